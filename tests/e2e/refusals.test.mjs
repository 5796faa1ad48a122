// Files that cannot be read are refused with their place while what was loaded stays; what can be
// mended is, with a warning; and a page that cannot run says so in a plain line.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";
import { DIST, choose, drop, hook, panels, planned } from "./panel.mjs";

let all;
before(async () => (all = await panels()));
after(() => all?.close());

async function withPanel(work, prepare) {
  const { page, close } = await all.open(prepare);
  try {
    await planned(page);
    await work(page);
  } finally {
    await close();
  }
}

const shown = async (page) => [await hook(page, "total").innerText(), await page.locator("[data-row]").count()];

for (const [name, content, place] of [
  ["empty.json", "", /empty|nothing/i],
  ["truncated.json", '{"messages":[{"role":"user","content":"hel', /line 1|byte|column/i],
]) {
  test(`${name} is refused with its place, and what was loaded stays`, () =>
    withPanel(async (page) => {
      const before = await shown(page);
      await drop(page, name, content);
      const line = hook(page, "unopened");
      await line.waitFor();
      assert.match(await line.innerText(), new RegExp(name.replace(".", "\\.")));
      assert.match(await line.innerText(), place);
      assert.deepEqual(await shown(page), before);
    }));
}

test("100 MB of noise are refused with a place, and what was loaded stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-noise-"));
  try {
    const path = join(folder, "noise.bin");
    const file = openSync(path, "w");
    const block = Buffer.alloc(1 << 20);
    let state = 1;
    for (let at = 0; at < block.length; at++) block[at] = (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
    for (let at = 0; at < 100; at++) writeSync(file, block);
    closeSync(file);
    await withPanel(async (page) => {
      const before = await shown(page);
      await choose(page, path);
      const line = hook(page, "unopened");
      await line.waitFor({ timeout: 120_000 });
      assert.match(await line.innerText(), /noise\.bin/);
      assert.match(await line.innerText(), /line \d|byte \d|column \d/i);
      assert.deepEqual(await shown(page), before);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a lone surrogate and NaN load, each with a warning at its place", () =>
  withPanel(async (page) => {
    await drop(page, "mended.json", '{"temperature": NaN,\n "messages":[{"role":"user","content":"half \\ud83d here"}]}');
    await hook(page, "sample").waitFor({ state: "detached" });
    await planned(page);
    await hook(page, "warnings").click();
    const dialog = page.getByRole("dialog");
    assert.match(await dialog.innerText(), /line 1\b/);
    assert.match(await dialog.innerText(), /line 2\b/);
    assert.match(await dialog.innerText(), /NaN/);
    assert.match(await dialog.innerText(), /surrogate/i);
  }));

test("without storage the page works and says that the theme is not kept", () =>
  withPanel(
    async (page) => {
      await page.getByRole("button", { name: /^Theme/ }).click();
      await page.getByText(/no storage/).waitFor();
    },
    (page) => page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } })),
  ));

test("opened from a file it says that it has to be served", async () => {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(DIST, "index.html")).href);
    const line = page.locator("#sorry");
    await line.waitFor();
    assert.match(await line.innerText(), /has to be served/);
  } finally {
    await browser.close();
  }
});

test("where the server does not send the wasm it says what is wrong", async () => {
  const broken = await panels({ missing: /\.wasm$/ });
  try {
    const { page, close } = await broken.open();
    const line = page.locator("#sorry");
    await line.waitFor();
    assert.match(await line.innerText(), /\.wasm/);
    await close();
  } finally {
    await broken.close();
  }
});

test("with a wrong MIME type for wasm it works all the same, or says what is wrong: it is never blank", async () => {
  const wrong = await panels({ types: { ".wasm": "text/html" } });
  try {
    const { page, close } = await wrong.open();
    await page.locator("#sorry:not([hidden]), [data-hook=total]").first().waitFor();
    await close();
  } finally {
    await wrong.close();
  }
});
