// What `npm pack` gives works in an empty folder: import, require's answer, the manual entry, the command.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { after, test } from "node:test";
import { project, run } from "./packed.mjs";

const user = project({
  "import.js": `
    import { Refusal, checkTemplate, loadEncoding, openFile } from "galley";
    checkTemplate({ blocks: [{ type: "history" }, { type: "input" }] });
    try { checkTemplate({}); } catch (error) { if (!(error instanceof Refusal)) throw error; }
    const file = await openFile('[{"role": "user", "content": "hello"}]');
    console.log(file.format, (await file.open()).pending.text);
    console.log((await loadEncoding("o200k_base")).count("hello world"));`,
  "require.cjs": `require("galley");`,
  "manual.js": `
    import { readFileSync } from "node:fs";
    import { Refusal, checkTemplate, init } from "galley/manual";
    init(readFileSync(new URL("node_modules/galley/dist/galley_bg.wasm", import.meta.url)));
    try { checkTemplate([]); } catch (error) { console.log(error instanceof Refusal, error.path); }`,
});
after(user.remove);

test("it carries the wasm, the counters and the types, and no sources", () => {
  for (const file of ["dist/galley_bg.wasm", "dist/galley.js", "dist/counter/o200k_base.js", "dist/counter/o200k_base_bg.wasm", "dist/counter/r50k_base_bg.wasm", "dist/importer/importer_bg.wasm", "dist/fit/fit_bg.wasm", "js/index.js", "js/cli.js", "types/galley.d.ts", "schema/conversation-1.json", "schema/context-assemble.request.json", "README.md"]) {
    assert.ok(user.packed.includes(file), `${file} is not in the package`);
  }
  assert.deepEqual(user.packed.filter((file) => /\.rs$|^src\/|^tests\//.test(file)), []);
});

test("import", () => assert.equal(run(user.folder, "import.js"), "chat_completions hello\n2\n"));

test("require answers with what to write instead", () => {
  const { status, stderr } = spawnSync(process.execPath, ["require.cjs"], { cwd: user.folder, encoding: "utf8" });
  assert.notEqual(status, 0);
  assert.match(stderr, /galley is an ES module.*use `import`/);
});

test("galley/manual starts from bytes the host has", () => assert.equal(run(user.folder, "manual.js"), "true /\n"));

test("npx galley", () => {
  const help = execFileSync("npx", ["--offline", "galley", "--help"], { cwd: user.folder, encoding: "utf8" });
  assert.match(help, /galley preview FILE/);
});
