// The package as its users get it: `npm pack`, installed into an empty folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../../pkg/", import.meta.url));

/** A new project that depends on nothing but the packed package. */
export function project(files) {
  const folder = mkdtempSync(join(tmpdir(), "galley-user-"));
  const npm = (...words) => execFileSync("npm", [...words, "--loglevel=error"], { cwd: folder, encoding: "utf8" });
  const [{ filename, files: packed }] = JSON.parse(npm("pack", PACKAGE, "--json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  npm("install", "--offline", "--no-audit", "--no-fund", join(folder, filename));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, packed: packed.map(({ path }) => path), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs a file of the project under Node. */
export function run(folder, ...words) {
  return execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
