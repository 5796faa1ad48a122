// A person's way through the files of other tools: an export of many conversations, its branches, its warnings at
// their places, an archive with a picture, and a long load that is given up.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { drop, hook, panels, planned } from "./panel.mjs";

const SUITE = new URL("../suite/import/", import.meta.url);
const fixture = (name) => readFileSync(new URL(name, SUITE));

let all;
before(async () => (all = await panels()));
after(() => all?.close());

async function withPanel(work) {
  const { page, seen, close } = await all.open();
  try {
    await planned(page);
    await work(page);
    assert.deepEqual(seen.errors, []);
  } finally {
    await close();
  }
}

const chat = (words) => ({ messages: [{ role: "user", content: words }, { role: "assistant", content: `answer to ${words}` }] });
const rail = (page, words) => page.locator("[data-row]").getByText(words).first().waitFor();

test("of a file with many conversations one is picked, by mouse and by keyboard, found by its title", () =>
  withPanel(async (page) => {
    const many = Array.from({ length: 300 }, (_, n) => chat(`question ${n}`));
    await drop(page, "many.json", JSON.stringify(many));
    await hook(page, "conversations").waitFor();
    assert.equal(await hook(page, "conversations").innerText(), "conversation 1 of 300");
    await rail(page, "question 0");
    await hook(page, "conversations").click();
    const choices = page.locator(".choices button");
    assert.equal(await choices.count(), 200);
    await page.getByLabel("Find a conversation by its title").fill("question 299");
    assert.equal(await choices.count(), 1);
    await choices.first().focus();
    await page.keyboard.press("Enter");
    await rail(page, "question 299");
    assert.equal(await hook(page, "conversations").innerText(), "conversation 300 of 300");
  }));

test("a branch of a conversation is chosen, and the conversation shows it", () =>
  withPanel(async (page) => {
    await drop(page, "conversations.json", fixture("chatgpt/branches.input.json"));
    const branch = page.getByLabel("Branch of the conversation");
    await branch.waitFor();
    await planned(page);
    const rows = () => page.locator("[data-row]").allInnerTexts();
    const before = await rows();
    const other = await branch.locator("option").evaluateAll((options) => options.find((option) => !option.selected).value);
    await branch.selectOption(other);
    await page.waitForFunction((before) => [...document.querySelectorAll("[data-row]")].map((row) => row.innerText).join() !== before, before.join());
    assert.notDeepEqual(await rows(), before);
  }));

test("a warning leads to its place in the file", () =>
  withPanel(async (page) => {
    const lines = [chat("first"), chat("second")].map((one) => JSON.stringify(one));
    await drop(page, "data.jsonl", `${lines[0]}\n{"messages": oops}\n${lines[1]}\n`);
    await hook(page, "warnings").click();
    await hook(page, "place").first().click();
    const around = await hook(page, "around").innerText();
    assert.match(around, /"messages": oops/);
    assert.equal(await hook(page, "around").locator("mark").innerText(), "o");
  }));

test("a packed log opens, and a session log in the order it was said", () =>
  withPanel(async (page) => {
    await drop(page, "session.jsonl.gz", gzipSync(fixture("claude_code/plain.input.jsonl")));
    await page.getByText("session.jsonl.gz").first().waitFor();
    await planned(page);
    assert.ok((await page.locator("[data-row]").count()) > 1);
  }));

test("a file of no known tool is opened by a guess only when it is told to", () =>
  withPanel(async (page) => {
    await drop(page, "unknown.json", JSON.stringify({ log: [{ who: "Ann", msg: "is it read?" }, { who: "Bot", msg: "it is" }] }));
    await hook(page, "unopened").getByText("file_uncertain").waitFor();
    await hook(page, "unopened").getByRole("button", { name: "Read it so" }).click();
    await rail(page, "is it read?");
    await hook(page, "warnings").waitFor();
  }));

test("what is open is saved as a native file and as a request, and opens again", () =>
  withPanel(async (page) => {
    await drop(page, "talk.json", JSON.stringify(chat("to be saved")));
    await rail(page, "to be saved");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    for (const to of ["native", "anthropic"]) {
      const coming = page.waitForEvent("download");
      await page.locator(`[data-save=${to}]`).click();
      const download = await coming;
      assert.equal(download.suggestedFilename(), `talk.${to}.json`);
      const body = JSON.parse(readFileSync(await download.path(), "utf8"));
      assert.ok(to === "native" ? body.galley === "conversation/1" : body.messages[0].content[0].text === "to be saved", JSON.stringify(body));
      await hook(page, "written").getByText(`talk.${to}.json`).waitFor();
    }
  }));

test("a long load is given up, and what was loaded stays", () =>
  withPanel(async (page) => {
    const rows = await page.locator("[data-row]").allInnerTexts();
    const one = JSON.stringify(chat("x".repeat(20_000)));
    await page.evaluate(async (one) => {
      const parts = ["[", ...Array.from({ length: 9_999 }, () => `${one},`), one, "]"];
      const data = new DataTransfer();
      data.items.add(new File(parts, "long.json"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, one);
    await hook(page, "reading").waitFor();
    await hook(page, "reading").getByText("Cancel").click();
    await hook(page, "reading").waitFor({ state: "detached" });
    assert.equal(await hook(page, "unopened").count(), 0);
    assert.deepEqual(await page.locator("[data-row]").allInnerTexts(), rows);
    await drop(page, "next.json", JSON.stringify([{ role: "user", content: "next" }, { role: "assistant", content: "yes" }]));
    await rail(page, "next");
  }));
