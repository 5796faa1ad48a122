// Large exports opened: to the list of what is in them, and one conversation of them; natively, in wasm under
// Node with the module's memory, and in the panel with the longest task of its main thread.
import { execFileSync } from "node:child_process";
import { mkdtempSync, openAsBlob, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import load, { Opening } from "../pkg/dist/importer/importer.js";
import { drive, taken } from "../pkg/js/drive.js";
import { choose, hook, panels, planned } from "../tests/e2e/panel.mjs";
import { chatgpt, claudeCode } from "./exports.mjs";
import { figure, ms } from "./figures.mjs";

process.removeAllListeners("warning");
const ROOT = fileURLToPath(new URL("../", import.meta.url));
const MB = 1e6;
const folder = mkdtempSync(join(tmpdir(), "galley-bench-"));
const files = [
  ["ChatGPT export, 2,000 conversations", join(folder, "conversations.json"), (path) => chatgpt(path, 2_000)],
  ["Claude Code log", join(folder, "session.jsonl"), (path) => claudeCode(path, 40 * MB)],
];
const speed = (value) => `${value.toFixed(0)} MB/s`;
const megabytes = (bytes) => `${(bytes / MB).toFixed(0)} MB`;

const { memory } = await load({ module_or_path: readFileSync(new URL("../pkg/dist/importer/importer_bg.wasm", import.meta.url)) });

try {
  for (const [name, path, make] of files) {
    await make(path);
    const size = statSync(path).size;
    console.log(`  ${name}: ${megabytes(size)}`);
    const native = Number(execFileSync("cargo", ["run", "--quiet", "--profile", "bench", "-p", "galley-tests", "--example", "open", "--", path], { cwd: ROOT, encoding: "utf8" }));
    figure("to the list, native", size / MB / native, { unit: speed, least: 50 });
    const blob = await openAsBlob(path);
    const bytes = { size, read: async (from, len) => new Uint8Array(await blob.slice(from, from + len).arrayBuffer()) };
    const from = performance.now();
    const file = await drive(new Opening(size), bytes);
    const listed = performance.now();
    figure("to the list, wasm", size / MB / ((listed - from) / 1000), { unit: speed, least: 20 });
    figure("to the list, wasm", listed - from, { unit: ms });
    const index = JSON.parse(file.index());
    const largest = Math.max(...index.conversations.map((one) => one.bytes || size));
    const picked = await drive(file.pick(index.conversations.length - 1), bytes);
    taken(picked);
    figure("one conversation of it", performance.now() - listed, { unit: ms });
    file.free();
    figure("memory of the module so far", memory.buffer.byteLength, { unit: megabytes, target: 2 * largest + 64 * MB });
    console.log();
  }

  const all = await panels();
  for (const [name, path] of files) {
    const { page, close } = await all.open();
    await planned(page);
    await page.evaluate(() => {
      window.long = [];
      new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
    });
    const from = performance.now();
    await choose(page, path);
    await hook(page, "sample").waitFor({ state: "detached", timeout: 180_000 });
    await planned(page);
    figure(`${name}: opened in the panel`, performance.now() - from, { unit: ms });
    figure("longest main-thread task (0: none over 50 ms)", Math.max(0, ...(await page.evaluate(() => window.long))), { unit: ms, target: 50 });
    await close();
  }
  await all.close();
} finally {
  rmSync(folder, { recursive: true });
}
