// The package in a page of Vite's, built and in its development server, with nothing configured: it loads, counts and refuses.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { build, createServer } from "vite";
import { project } from "../node/packed.mjs";
import { launch, watch } from "./browser.mjs";
import { serve } from "./serve.mjs";

const user = project({
  "index.html": `<!doctype html><title>user</title><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>`,
  "main.js": `
    import { Refusal, checkTemplate, createContextManager, loadEncoding } from "galley";
    const said = {};
    try { checkTemplate({}); } catch (error) { said.refused = error instanceof Refusal && error.path; }
    const progress = [];
    const encoding = await loadEncoding("cl100k_base", { onProgress: (step) => progress.push(step.loaded) });
    said.tokens = encoding.count("hello world");
    said.grew = progress.length > 0 && progress.every((loaded, at) => at === 0 || loaded > progress[at - 1]);
    const messages = [{ role: "user", content: [{ type: "text", text: "hello world" }], timestamp: 1 }];
    const counted = await createContextManager().countTokens({ messages, model: { id: "gpt-4" } });
    said.counted = [counted.tokens, counted.estimator];
    const files = createContextManager({ config: { lease_dir: "leases" } });
    said.files = await files.countTokens({ messages, model: { id: "gpt-4" } }).catch((error) => error.path);
    window.said = said;`,
});
after(user.remove);

const CONFIG = { root: user.folder, logLevel: "warn", configFile: false };

async function works(url) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const seen = watch(page);
    await page.goto(url);
    await page.waitForFunction(() => window.said);
    assert.deepEqual(await page.evaluate(() => window.said), {
      refused: "/blocks",
      tokens: 2,
      grew: true,
      counted: [2, "tokenizer"],
      files: "/lease_dir",
    });
    assert.deepEqual(seen.errors, []);
    // On demand: the engine's wasm, the context manager's, and of the counters only the one that was asked for.
    const wasm = seen.requests.map((url) => new URL(url).pathname.split("/").pop()).filter((name) => name.endsWith(".wasm"));
    const found = wasm.map((name) => /^(galley|fit|cl100k_base)_bg/.exec(name)?.[1]).sort();
    assert.deepEqual(found, ["cl100k_base", "fit", "galley"]);
  } finally {
    await browser.close();
  }
}

test("a Vite build, under a sub-path", async () => {
  await build({ ...CONFIG, base: "./" });
  const site = await serve(join(user.folder, "dist"), { base: "/deep/er/" });
  try {
    await works(site.url);
  } finally {
    await site.close();
  }
});

test("Vite's development server", async () => {
  const server = await createServer({ ...CONFIG, server: { host: "127.0.0.1", port: 0 } });
  try {
    await server.listen();
    await works(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});
