// The package in a page that Vite built, with nothing configured: it loads, counts and refuses.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "vite";
import { project } from "../node/packed.mjs";
import { launch, watch } from "./browser.mjs";
import { serve } from "./serve.mjs";

const user = project({
  "index.html": `<!doctype html><title>user</title><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>`,
  "main.js": `
    import { Refusal, checkTemplate, loadEncoding } from "galley";
    const said = {};
    try { checkTemplate({}); } catch (error) { said.refused = error instanceof Refusal && error.path; }
    const progress = [];
    const encoding = await loadEncoding("cl100k_base", { onProgress: (step) => progress.push(step.loaded) });
    said.tokens = encoding.count("hello world");
    said.grew = progress.length > 0 && progress.every((loaded, at) => at === 0 || loaded > progress[at - 1]);
    window.said = said;`,
});
after(user.remove);

test("a Vite build of a page that imports the package works in Chromium", async () => {
  await build({ root: user.folder, base: "./", logLevel: "warn", configFile: false });
  const site = await serve(join(user.folder, "dist"), { base: "/deep/er/" });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const seen = watch(page);
    await page.goto(site.url);
    await page.waitForFunction(() => window.said);
    assert.deepEqual(await page.evaluate(() => window.said), { refused: "/blocks", tokens: 2, grew: true });
    assert.deepEqual(seen.errors, []);
    // On demand: only the vocabulary that was asked for, and the wasm of the page and of the counter.
    const binaries = seen.requests.filter((url) => /\.(wasm|vocab)$/.test(url));
    assert.equal(binaries.filter((url) => url.endsWith(".vocab")).length, 1);
    assert.equal(binaries.filter((url) => url.endsWith(".wasm")).length, 2);
  } finally {
    await browser.close();
    await site.close();
  }
});
