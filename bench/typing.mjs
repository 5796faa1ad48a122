// Typing in the panel, headless Chromium, on the conversation of a million tokens: how long the main
// thread is held, and how long the worker takes from a question to its plan.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choose, hook, panels, planned } from "../tests/e2e/panel.mjs";
import { ROW, conversation } from "./conversation.mjs";
import { figure, median, ms, p95 } from "./figures.mjs";

const LETTERS = 200;
const folder = mkdtempSync(join(tmpdir(), "galley-bench-"));
const file = join(folder, "million.json");
writeFileSync(file, JSON.stringify(conversation(1_000_000, ROW)));

const all = await panels();
try {
  const { page } = await all.open((page) =>
    page.addInitScript(() => {
      // From the question's message to the answer's, seen from the page: the worker's work and both crossings.
      window.trips = [];
      window.inside = [];
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (...message) {
        if (!this.watched) {
          this.watched = true;
          this.addEventListener("message", ({ data }) => {
            if (this.asked === undefined) return;
            window.trips.push(performance.now() - this.asked);
            this.asked = undefined;
            // What the worker itself took stands in its reply.
            const took = /"took_ms":([\d.]+)/.exec(data);
            if (took) window.inside.push(Number(took[1]));
          });
        }
        this.asked = performance.now();
        return post.apply(this, message);
      };
    }),
  );
  await planned(page);
  await choose(page, file);
  await page.getByText("million.json").first().waitFor({ timeout: 120_000 });
  await planned(page);
  await page.waitForFunction(() => document.querySelector("[data-hook=total]")?.innerText.includes("exact"), undefined, { timeout: 120_000 });

  await page.evaluate(() => {
    window.trips.length = window.inside.length = 0;
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
    window.frames = [];
    let last = performance.now();
    const frame = (now) => {
      window.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.locator("#prompt").focus();
  for (let at = 0; at < LETTERS; at++) await page.keyboard.type("typing without a pause "[at % 23], { delay: 25 });
  await page.waitForTimeout(500);

  const { trips, inside, long, frames } = await page.evaluate(() => ({ trips: window.trips, inside: window.inside, long: window.long, frames: window.frames }));
  console.log(`  ${LETTERS} letters typed, ${trips.length} plans asked and answered; ${await hook(page, "total").innerText()}`.replaceAll("\n", " "));
  // The browser reports tasks from 50 ms on: none reported is the target met.
  figure("longest main-thread task (0: none over 50 ms)", Math.max(0, ...long), { unit: ms, target: 50 });
  figure("frame, p95", p95(frames), { unit: ms });
  figure("edit to plan, in the worker: median", median(inside), { unit: ms });
  figure("edit to plan, in the worker: p95", p95(inside), { unit: ms, target: 4 });
  figure("with both crossings: median", median(trips), { unit: ms });
  figure("with both crossings: p95", p95(trips), { unit: ms });
} finally {
  await all.close();
  rmSync(folder, { recursive: true });
}
