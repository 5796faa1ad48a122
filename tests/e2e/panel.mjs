// The built panel, served under a sub-path, in a page of its own; and what a person does to it.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, watch } from "./browser.mjs";
import { serve } from "./serve.mjs";

export const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));

/** One site and one browser for a file of tests. */
export async function panels(options) {
  assert.ok(statSync(DIST, { throwIfNoEntry: false }), "dist/ is missing: run make dist");
  // The browser first: where it is missing, no server is left to keep the tests waiting.
  const browser = await launch();
  const site = await serve(DIST, { base: "/some/where/", ...options });
  return {
    site,
    /** A fresh page, with nothing kept from another; `prepare` runs before it loads. */
    async open(prepare = () => {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      const seen = watch(page);
      await prepare(page);
      await page.goto(site.url);
      return { page, seen, close: () => context.close() };
    },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

export const hook = (page, name) => page.locator(`[data-hook=${name}]`);

/** Waits until a plan is shown, counted with the vocabulary it needs: until then the total says what it waits for. */
export async function planned(page) {
  await hook(page, "total").filter({ hasNotText: /until/ }).waitFor();
}

/** Drops a file on the page, as a hand would. */
export async function drop(page, name, content) {
  const files = await page.evaluateHandle(
    ([name, bytes]) => {
      const files = new DataTransfer();
      files.items.add(new File([Uint8Array.from(atob(bytes), (byte) => byte.charCodeAt(0))], name));
      return files;
    },
    [name, Buffer.from(content).toString("base64")],
  );
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: files });
  await files.dispose();
}

/** Opens a file of the disk through the page's own button. */
export async function choose(page, path) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await (await chooser).setFiles(path);
}

/** Lines of the conversation, by what became of them. */
export async function fates(page) {
  const states = await page.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.dataset.state));
  const count = {};
  for (const state of states) count[state] = (count[state] ?? 0) + 1;
  return count;
}

/** The template's text, in its JSON editor. */
export async function template(page, text) {
  await page.locator("#template").getByText("JSON", { exact: true }).click();
  await page.getByLabel("Template as JSON").fill(text);
}
