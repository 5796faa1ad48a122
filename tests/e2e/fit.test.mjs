// A person's way through the fit: from the proof to it and back, what each pass did to results too long and too
// old, a part old against new, the settings by slider and by digits, a conversation that does not fit, a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createContextManager } from "../../pkg/js/index.js";
import { drop, hook, panels, planned } from "./panel.mjs";

const call = (id, name) => ({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }] });
const result = (id, content) => ({ role: "tool", tool_call_id: id, content });
const turn = (at, name, content) => [{ role: "user", content: `question ${at}` }, call(`c${at}`, name), result(`c${at}`, content), { role: "assistant", content: `answer ${at}` }];

// One result of 200,000 bytes, and after it three turns of 4,000: with no tokenizer a token is four bytes.
const LONG = JSON.stringify({
  messages: [
    { role: "system", content: "You keep the log." },
    ...turn(0, "f::g", "x".repeat(200_000)),
    ...[1, 2, 3].flatMap((at) => turn(at, "read_log", `${at}`.repeat(4_000))),
  ],
});

let all;
before(async () => (all = await panels()));
after(() => all?.close());

async function withFit(work, { viewport = { width: 1280, height: 800 }, file = LONG } = {}) {
  const { page, seen, close } = await all.open((page) => page.setViewportSize(viewport));
  try {
    await planned(page);
    await drop(page, "log.json", file);
    await page.getByText("log.json").first().waitFor();
    const views = page.locator((await page.locator(".dock").isVisible()) ? ".dock" : ".views");
    await views.getByRole("button", { name: "Fit" }).click();
    await limits(page, 200_000, 8_000);
    await work(page);
    assert.deepEqual(seen.errors, []);
    const elsewhere = seen.requests.filter((url) => !url.startsWith(all.site.url) && !url.startsWith("data:"));
    assert.deepEqual(elsewhere, []);
  } finally {
    await close();
  }
}

/** A model that nobody knows, with these limits: everything is counted by the bytes. */
async function limits(page, window, out) {
  const settings = page.locator("#settings");
  const phone = await page.locator(".dock").isVisible();
  if (phone) await page.locator(".dock").getByText("Settings").click();
  await settings.locator("#fit-model").selectOption({ label: "another, by its limits" });
  await settings.locator("#context_window").fill(`${window}`);
  await settings.locator("#max_output_tokens").fill(`${out}`);
  if (phone) await page.locator(".dock").getByText("Fit").click();
  const reserved = Math.min(20_000, Math.floor(window / 10));
  await usable(page, window - out - reserved);
}

const number = (text) => Number(text.replaceAll(/[^\d]/g, ""));
const usable = (page, tokens) => hook(page, "fit-limits").locator("tfoot td").filter({ hasText: tokens.toLocaleString("en-US") }).waitFor();
const pass = (page, name) => page.locator(`[data-pass=${name}]`);

/** How many entries are drawn, once their heights are known and no more come. */
async function entries(page) {
  const drawn = await page.waitForFunction(() => {
    const all = [...document.querySelectorAll("[data-entry]")];
    const waits = all.length === 0 || all.some((entry) => entry.querySelector(".body").innerText === "…");
    const same = !waits && window.drawn?.count === all.length;
    window.drawn = { count: all.length, frames: same ? window.drawn.frames + 1 : 0 };
    return window.drawn.frames > 20 && all.length;
  });
  return drawn.jsonValue();
}

/** Tokens before and after a pass, or the one number that stays. */
async function tokens(page, name) {
  const text = await pass(page, name).locator("[data-hook=tokens]").innerText();
  const [before, after = before] = text.split("→").map(number);
  return { before, after };
}

test("the fit is one press or one key away, and so is the way back", () =>
  withFit(async (page) => {
    await page.locator("h1", { hasText: "Fit of log.json" }).waitFor({ state: "attached" });
    assert.equal(await page.locator("#proof").isVisible(), false);
    await page.locator("#fit").focus();
    await page.keyboard.press("1");
    await page.locator("#proof").waitFor();
    assert.equal(await page.locator("#fit").count(), 0);
    await page.keyboard.press("2");
    await hook(page, "fit-total").waitFor();
    await page.keyboard.press("F6");
    await page.waitForFunction(() => document.activeElement.id === "settings");
  }));

test("while the fit is shown, the proof behind it asks for nothing", () =>
  withFit(
    async (page) => {
      await page.locator(".views").getByRole("button", { name: "Proof" }).click();
      const drawn = await entries(page);
      await page.keyboard.press("2");
      for (const name of ["cap", "prune", "compaction", "emergency"]) {
        await page.getByRole("tab", { name: new RegExp(name) }).click();
        await page.locator("#parts h2", { hasText: name }).waitFor();
      }
      assert.equal(await page.locator("[data-entry]").count(), drawn);
    },
    { file: JSON.stringify({ messages: Array.from({ length: 400 }, (_, at) => turn(at, "f::g", "short")).flat() }) },
  ));

test("each pass says what it did to the tokens, and the sums agree", () =>
  withFit(async (page) => {
    await pass(page, "cap").getByText("1 part rewritten").waitFor();
    const [images, cap, prune, compaction, emergency] = await Promise.all(["images", "cap", "prune", "compaction", "emergency"].map((name) => tokens(page, name)));
    assert.deepEqual([images.after, cap.after, prune.after, compaction.after], [cap.before, prune.before, compaction.before, emergency.before]);
    // 200,000 bytes become 72,000 of which two are newlines, which JSON writes in two bytes each.
    assert.equal(cap.before - cap.after, 32_000 - 1);
    assert.equal(prune.before, prune.after);
    await pass(page, "cap").getByText(/cached prefix holds through message 1:/).waitFor();
    await pass(page, "prune").getByText(/did nothing/).waitFor();
    await pass(page, "compaction").getByText("did nothing: everything fits").waitFor();
    const total = await hook(page, "fit-total").innerText();
    assert.ok(total.includes(images.before.toLocaleString("en-US")) && total.includes(emergency.after.toLocaleString("en-US")), total);
    assert.match(total, /of 172,000 usable tokens, estimate: bytes ÷ 4/);
    assert.match(await hook(page, "fit-verdict").innerText(), /^\s*Fits\./);
    const shares = await page.locator("[data-share] td:nth-child(2)").allInnerTexts();
    assert.equal(shares.map(number).reduce((sum, one) => sum + one), emergency.after);
  }));

test("a capped result is shown old against new, and the rest of it comes when it is asked for", () =>
  withFit(async (page) => {
    await pass(page, "cap").getByText("1 part rewritten").waitFor();
    await page.getByRole("tab", { name: /cap/ }).press("End");
    await page.locator("#parts").getByText("It did nothing").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const parts = page.getByRole("listbox", { name: /Parts/ });
    await parts.focus();
    await page.keyboard.press("ArrowDown");
    const old = page.locator("[data-side=old]");
    const now = page.locator("[data-side=new]");
    // The ends that are kept are the contract's own: 43,125 bytes of the head and 28,750 of the tail.
    for (const side of [old, now]) {
      await side.getByText("kept, 43,125 bytes").waitFor();
      await side.getByText("kept, 28,750 bytes").waitFor();
    }
    await old.getByText("out, 128,125 bytes").waitFor();
    await now.getByText("in, 125 bytes").waitFor();
    await now.getByText("result capped: was ~50000 tokens; middle omitted; re-call f::g").waitFor();
    const gone = old.locator("[data-fate=out] pre");
    const shown = (await gone.innerText()).length;
    assert.ok(shown < 2_000);
    await old.locator("[data-fate=out] button").click();
    await page.waitForFunction((shown) => document.querySelector("[data-side=old] [data-fate=out] pre").innerText.length > shown, shown);
    await now.locator("[data-fate=kept] button").first().click();
    await page.waitForFunction(() => document.querySelector("[data-side=new] [data-fate=kept] pre").innerText.length > 4_000);
  }));

test("sliders and digits change what is pruned at once, undo takes it back, and the defaults are a press away", () =>
  withFit(async (page) => {
    await pass(page, "prune").getByText(/did nothing/).waitFor();
    const free = page.getByLabel("min_free_tokens").and(page.locator("[type=range]"));
    await free.focus();
    await page.keyboard.press("Home");
    const recent = page.getByLabel("protect_recent_tokens").and(page.locator("[type=range]"));
    await recent.focus();
    await page.keyboard.press("Home");
    // The two newest turns are not looked at: what is left is the long result and the first of the short ones.
    await pass(page, "prune").getByText("2 parts rewritten").waitFor();
    const turns = page.locator("#protected_user_turns");
    await turns.fill("0");
    await pass(page, "prune").getByText("4 parts rewritten").waitFor();
    await page.getByRole("tab", { name: /prune/ }).click();
    await page.locator("[data-part='1']").click();
    await page.locator("[data-side=new]").getByText("[output of read_log pruned: was ~1000 tokens; re-call it if still needed]").waitFor();
    await page.locator("[data-side=old]").getByText("1111").waitFor();
    await page.getByLabel("allow_prune").uncheck();
    await pass(page, "prune").getByText("did nothing: it is switched off").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await pass(page, "prune").getByText("4 parts rewritten").waitFor();
    await hook(page, "defaults").click();
    await hook(page, "defaults").waitFor({ state: "detached" });
    assert.equal(await turns.inputValue(), "");
  }));

test("functions are protected by their names, and an earlier summary counts in the prompt", () =>
  withFit(async (page) => {
    for (const name of ["min_free_tokens", "protect_recent_tokens", "protected_user_turns"]) await page.locator(`#${name}`).fill("0");
    await pass(page, "prune").getByText("4 parts rewritten").waitFor();
    const functions = page.getByLabel("protected_functions");
    assert.deepEqual(await page.locator("#functions-called option").evaluateAll((all) => all.map((one) => one.value)), ["f::g", "read_log"]);
    await functions.fill("read_log");
    await pass(page, "prune").getByText("1 part rewritten").waitFor();
    await functions.fill("f::g, read_log");
    await pass(page, "prune").getByText(/did nothing/).waitFor();

    const total = async () => number((await hook(page, "fit-total").innerText()).split("of")[0]);
    const before = await total();
    await page.getByLabel("previous_summary").fill("They spoke of the log. ".repeat(40));
    await page.waitForFunction((before) => !document.querySelector("[data-hook=fit-total]").innerText.includes(before), before.toLocaleString("en-US"));
    assert.ok((await total()) > before + 200);
    await page.getByLabel("request_overhead_tokens").and(page.locator("[type=number]")).fill("1000");
    await page.getByLabel("thinking_level").selectOption("high");
    assert.equal(await page.getByLabel("thinking_level").inputValue(), "high");
    await hook(page, "defaults").click();
    await hook(page, "defaults").waitFor({ state: "detached" });
    assert.deepEqual([await functions.inputValue(), await page.getByLabel("previous_summary").inputValue(), await page.getByLabel("thinking_level").inputValue()], ["", "", ""]);
  }));

test("the last of many parts opens with one key, though it was not in sight", () =>
  withFit(
    async (page) => {
      for (const name of ["min_free_tokens", "protect_recent_tokens", "protected_user_turns"]) await page.locator(`#${name}`).fill("0");
      await pass(page, "prune").getByText("120 parts rewritten").waitFor();
      await page.getByRole("tab", { name: /prune/ }).click();
      const parts = page.getByRole("listbox", { name: /Parts/ });
      await parts.focus();
      await page.keyboard.press("End");
      await page.locator("[data-part='119'][aria-selected=true]").waitFor();
      await page.locator("[data-side=old]").getByText("last words").waitFor();
      // Keys pressed faster than parts come are all counted.
      await page.keyboard.press("Home");
      for (let times = 0; times < 3; times += 1) await page.keyboard.press("ArrowDown");
      await page.locator("[data-part='3'][aria-selected=true]").waitFor();
      // And from a part to where it stands in the conversation.
      await page.locator(".against").getByRole("button", { name: "turn 4" }).click();
      await page.locator("[data-row][aria-selected=true]", { hasText: "read_log" }).waitFor();
      assert.equal(await page.locator("main").getAttribute("data-screen"), "proof");
    },
    { file: JSON.stringify({ messages: Array.from({ length: 120 }, (_, at) => turn(at, "read_log", (at === 119 ? "last words" : "words").padEnd(4_000, "ab "))).flat() }) },
  ));

test("a number that is none of the configuration's is refused at its place, and undo takes it back", () =>
  withFit(async (page) => {
    await page.locator("#tail_turns").fill("99999999999");
    await hook(page, "fit-verdict").getByText("/tail_turns").waitFor();
    assert.match(await hook(page, "fit-verdict").innerText(), /^parameter_invalid/);
    assert.equal(await hook(page, "passes").count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await hook(page, "passes").waitFor();
  }));

test("what does not fit says by how much; what would be summarised is told, and what the summariser would read", () =>
  withFit(async (page) => {
    await page.locator("#reserved_tokens").fill("187000");
    await usable(page, 5_000);
    await hook(page, "fit-verdict").getByText("Fits once summarised.").waitFor();
    await pass(page, "compaction").getByText(/would summarise \d+ messages/).waitFor();
    await page.getByRole("tab", { name: /compaction/ }).click();
    await hook(page, "compaction").getByText(/Messages 0–\d+ would be summarised/).waitFor();
    await page.locator("[data-side=asked]").getByText("<conversation>").waitFor();

    await page.getByLabel("allow_compaction").uncheck();
    await page.locator("#reserved_tokens").fill("191900");
    await usable(page, 100);
    const verdict = hook(page, "fit-verdict");
    await verdict.getByText(/Does not fit/).waitFor();
    const { after } = await tokens(page, "emergency");
    assert.ok((await verdict.innerText()).includes(`${(after - 100).toLocaleString("en-US")} too many`));
    await verdict.getByText("context/overflow").waitFor();
    assert.ok((await hook(page, "fit-total").innerText()).includes("of 100 usable"));
  }));

test("on a phone nothing stands beyond the edge", () =>
  withFit(
    async (page) => {
      await pass(page, "cap").getByText("1 part rewritten").waitFor();
      await page.locator("[data-part='0']").click();
      await page.locator("[data-side=new]").getByText("result capped").waitFor();
      for (const pane of ["Fit", "Settings"]) {
        await page.locator(".dock").getByText(pane).click();
        const beyond = await page.evaluate(() => {
          const panes = [document.documentElement, ...document.querySelectorAll(".scroll")];
          return panes.filter((pane) => pane.scrollWidth > pane.clientWidth).map((pane) => pane.className || pane.tagName);
        });
        assert.deepEqual(beyond, []);
      }
    },
    { viewport: { width: 390, height: 844 } },
  ));

const said = (role, content, more = {}) => ({ role, content: [].concat(content).map((one) => (typeof one === "string" ? { type: "text", text: one } : one)), ...more, timestamp: 1 });
const MESSAGES = Array.from({ length: 12 }, (_, at) => [
  said("user", `question ${at}`),
  said("assistant", { type: "function_call", id: `c${at}`, function_id: at % 2 ? "f::g" : "read_log", arguments: { at } }, { stop_reason: "function_call", model: "", provider: "" }),
  said("function_result", `${at} `.repeat(at * 900 + 9), { function_call_id: `c${at}`, function_id: at % 2 ? "f::g" : "read_log", details: null, is_error: false }),
  said("assistant", `answer ${at}`, { stop_reason: "end", model: "", provider: "" }),
]).flat();

for (const [window, config] of [
  [60_000, { min_free_tokens: 500, protect_recent_tokens: 4_000, max_result_tokens: 3_000, protected_user_turns: 1 }],
  [12_000, { min_free_tokens: 0, protect_recent_tokens: 0, decay_user_turns: 3, tail_turns: 1 }],
]) {
  test(`in a window of ${window} the page says of every pass what the package says`, () =>
    withFit(
      async (page) => {
        await limits(page, window, 1_000);
        for (const [name, value] of Object.entries(config)) await page.locator(`#${name}`).fill(`${value}`);
        const model = { id: "any", limits: { context_window: window, max_output_tokens: 1_000 } };
        const { detail } = await createContextManager({ config }).explain("assemble", { messages: MESSAGES, model }, { dry_run: true });
        const after = detail.tokens_after.toLocaleString("en-US");
        await hook(page, "fit-total").filter({ hasText: new RegExp(`≈ ${after}\\s*of`) }).waitFor();
        for (const told of detail.passes) {
          assert.deepEqual(await tokens(page, told.pass), { before: told.tokens_before, after: told.tokens_after }, told.pass);
          assert.equal(await pass(page, told.pass).getAttribute("data-acted"), String(told.idle === undefined), told.pass);
        }
        assert.ok(detail.passes.some(({ parts }) => parts.length > 1));
      },
      { file: JSON.stringify(MESSAGES) },
    ));
}
