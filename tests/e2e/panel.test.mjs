// A person's way through the panel: the sample, a real file, a bad template and its repair, the history
// bound by keyboard and by mouse. Nothing is asked of another origin.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { loadEncoding, openConversation } from "../../pkg/js/index.js";
import { drop, fates, hook, panels, planned, template } from "./panel.mjs";

const SHARED = new URL("../../../shared/samples/chat-completions-stored.json", import.meta.url);
const OWN = new URL("fixtures/chat-completions-stored.json", import.meta.url);
const STORED = readFileSync(existsSync(SHARED) ? SHARED : OWN);

const LEAN = (block = []) => JSON.stringify({ blocks: [...block, { type: "history" }, { type: "input" }] });

let all;
before(async () => (all = await panels()));
after(() => all?.close());

async function withPanel(work) {
  const { page, seen, close } = await all.open();
  try {
    await planned(page);
    await work(page);
    assert.deepEqual(seen.errors, []);
    const elsewhere = seen.requests.filter((url) => !url.startsWith(all.site.url) && !url.startsWith("data:") && !url.startsWith(`blob:${new URL(all.site.url).origin}/`));
    assert.deepEqual(elsewhere, []);
  } finally {
    await close();
  }
}

test("at first sight it stands on its sample, with a proof", () =>
  withPanel(async (page) => {
    await hook(page, "sample").waitFor();
    assert.match(await hook(page, "total").innerText(), /\d/);
    assert.ok((await page.locator("[data-row]").count()) > 3);
    assert.ok((await page.locator("[data-entry]").count()) > 0);
    assert.ok((await page.locator("[data-hook=blocks] [data-block=history]").count()) === 1);
    assert.ok((await fates(page)).selected > 0);
  }));

test("a stored chat completion dropped on it is opened and proved, its tools in a row of their own", () =>
  withPanel(async (page) => {
    await drop(page, "stored.json", STORED);
    await hook(page, "sample").waitFor({ state: "detached" });
    await page.getByText("stored.json").first().waitFor();
    await planned(page);
    assert.equal(await page.locator("[data-hook=blocks] [data-block=tools]").count(), 1);
    const system = JSON.parse(STORED).messages[0].content.slice(0, 40);
    await page.locator("[data-entry='0']").getByText(system).waitFor();
  }));

test("what a provider counted of a request stands beside our count of it, in the totals and at its turn", () =>
  withPanel(async (page) => {
    await loadEncoding("o200k_base");
    const session = openConversation(STORED);
    const { request_tokens, usage } = session.recount(session.toJSON().turns.at(-1).id);
    const both = `provider counted ${usage.input_tokens.toLocaleString("en")} · we count ${request_tokens.toLocaleString("en")}, `;
    await drop(page, "stored.json", STORED);
    const reported = hook(page, "reported").filter({ hasText: both });
    await reported.waitFor();
    await page.locator("[data-row]").last().click();
    await page.locator("[data-hook=history] [data-hook=reported]").filter({ hasText: both }).waitFor();
    assert.equal(await reported.count(), 2);
    await drop(page, "plain.json", JSON.stringify([{ role: "user", content: "nobody counted this" }, { role: "assistant", content: "so it is" }]));
    await reported.first().waitFor({ state: "detached" });
    assert.equal(await hook(page, "reported").count(), 0);
    // What a file does not have of a request, its provider counted all the same.
    const stored = JSON.parse(STORED);
    stored.usage.prompt_tokens = request_tokens * 2;
    await drop(page, "less.json", JSON.stringify(stored));
    await hook(page, "reported").filter({ hasText: `we count ${request_tokens.toLocaleString("en")} in what the file has of it, 50.0 % less` }).first().waitFor();
  }));

test("a bad template is refused at its pointer, and the repair is taken", () =>
  withPanel(async (page) => {
    await template(page, LEAN([{ type: "lorebook" }]));
    await page.locator("[data-hook=refusal][data-pointer='/blocks/0/type']").waitFor();
    await template(page, LEAN([{ type: "inline", role: "user", text: "{{mood}}" }]));
    await page.locator("[data-hook=refusal][data-pointer='/blocks/0/text']").waitFor();
    await template(page, LEAN([{ type: "inline", role: "user", text: "A text of the trial." }]));
    await hook(page, "refusal").waitFor({ state: "detached" });
    await page.locator("[data-hook=blocks] [data-block='inline:0']").waitFor();
    await page.locator("[data-entry]").getByText("A text of the trial.").first().waitFor();
  }));

test("text that is no JSON, and a template over 64 KiB, are refused; the proof before it stays", () =>
  withPanel(async (page) => {
    const rows = await page.locator("[data-row]").count();
    await template(page, '{"blocks": [');
    await hook(page, "refusal").first().waitFor();
    await template(page, LEAN([{ type: "inline", role: "user", text: "x".repeat(66_000) }]));
    await page.locator("[data-hook=refusal][data-pointer='/']").waitFor();
    assert.equal(await page.locator("[data-row]").count(), rows);
    assert.match(await hook(page, "total").innerText(), /\d/);
  }));

test("the history bound, by keyboard and by mouse, changes what is selected and what is skipped", () =>
  withPanel(async (page) => {
    const share = page.locator("#share");
    const before = await fates(page);
    assert.ok(before.selected > 0);
    const settled = (holds) => page.waitForFunction(holds);

    // Nothing but the bound is touched: as good as nothing, then all that may be had.
    await share.focus();
    await page.keyboard.press("Home");
    await settled(() => document.querySelectorAll("[data-row][data-state=selected]").length < 2);
    const least = await fates(page);
    assert.ok(least.skipped > (before.skipped ?? 0), JSON.stringify({ before, least }));
    await page.keyboard.press("End");
    await settled(() => document.querySelectorAll("[data-row][data-state=selected]").length > 2);
    const most = await fates(page);
    assert.ok(most.selected >= before.selected && (most.skipped ?? 0) < least.skipped, JSON.stringify({ before, least, most }));

    const { x, y, width, height } = await share.boundingBox();
    await page.mouse.move(x + width - 2, y + height / 2);
    await page.mouse.down();
    for (let at = 1; at >= 0; at -= 0.05) await page.mouse.move(x - 10 + (width + 8) * at, y + height / 2);
    await page.mouse.up();
    await settled(() => document.querySelectorAll("[data-row][data-state=selected]").length < 2);
    assert.equal((await fates(page)).skipped, least.skipped);
    await hook(page, "history").getByText(/skipped/).first().waitFor();
  }));

// Counted by a vocabulary that the page has not loaded yet, so that an estimate stands in at first:
// `hello world` is 3 by its bytes and 2 by the tokenizer.
const COUNTED = (turns) =>
  JSON.stringify({
    galley: "conversation/1",
    users: { human: { kind: "human" }, agent: { kind: "agent", default_model: "m/x" } },
    models: [{ model: "m/x", input_tokens: 8192, counter: "cl100k_base" }],
    turns,
  });

test("what a summary stands for is priced by the tokenizer once it is here", () =>
  withPanel(async (page) => {
    await drop(page, "summary.json", COUNTED([{ text: "hello world" }, { kind: "compaction_summary", content: "so far" }, { text: "go on" }]));
    await page.getByText("summary.json").first().waitFor();
    await hook(page, "total").filter({ hasText: "exact by cl100k_base" }).waitFor();
    const folded = page.locator("#conversation [role=option]", { hasText: "1 turn compacted" });
    await folded.waitFor();
    assert.equal(await folded.locator(".n").innerText(), "2");
  }));

test("a turn beyond the candidate window shows what it would cost", () =>
  withPanel(async (page) => {
    await drop(page, "long.json", COUNTED(Array.from({ length: 205 }, () => ({ text: "hello world" }))));
    await page.getByText("long.json").first().waitFor();
    await hook(page, "total").filter({ hasText: "exact by cl100k_base" }).waitFor();
    await page.locator("#conversation [data-row]").first().waitFor();
    await page.locator("#conversation [role=listbox]").focus();
    await page.keyboard.press("Home");
    const oldest = page.locator("#conversation [data-row='0']");
    await oldest.waitFor();
    assert.equal(await oldest.getAttribute("data-state"), "skipped");
    assert.equal(await oldest.locator(".n").innerText(), "2");
  }));
