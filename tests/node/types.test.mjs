// A consumer compiles against the shipped declarations, as Node and as a bundler resolve them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { project } from "./packed.mjs";

const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
const user = project({ "consumer.ts": readFileSync(new URL("consumer.ts", import.meta.url), "utf8") });
after(user.remove);

for (const [module, resolution] of [["nodenext", "nodenext"], ["esnext", "bundler"]]) {
  test(`consumer.ts compiles with module resolution ${resolution}`, () => {
    const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", module, "--moduleResolution", resolution];
    try {
      execFileSync(process.execPath, [TSC, ...flags, "consumer.ts"], { cwd: user.folder, encoding: "utf8" });
    } catch (error) {
      assert.fail(error.stdout);
    }
  });
}
