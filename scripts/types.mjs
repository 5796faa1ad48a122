// types.mjs BINDGEN COMMITTED --check|--write-types: the package's declarations, from what wasm-bindgen
// wrote for the Rust types.
//
// What the package's functions, classes and constants do not lead to is left out, and the declarations are put in
// order of their names: the linker's order differs from build to build.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const HEADER = `// Generated from the Rust types by \`make types\`; do not edit.
`;

const NOT_EXPORTED = new Set(["InitInput", "InitOutput", "SyncInitInput", "initSync", "__wbg_init"]);

export function declarations(bindgen) {
  const text = bindgen
    .replace(/^\/\* (ts|es)lint.*\*\/$/gm, "")
    // An ordered map of the engine is an object here.
    .replaceAll("IndexMap<", "Record<")
    // Fields the engine does not know are kept, and their names stay out of the way of those it knows.
    .replaceAll("} & any;", "} & { [unknown: string]: any };")
    // Known to TypeScript only from esnext on; `free` does the same.
    .replace(/^ *\[Symbol\.dispose\]\(\): void;\n/gm, "");
  const found = split(text).filter(([name]) => !NOT_EXPORTED.has(name));
  const reached = reach(found);
  return [HEADER, ...found.filter(([name]) => reached.has(name)).sort(byName).map(([, lines]) => `${lines}\n`)].join("\n");
}

/** Names of the functions, classes and constants, and of every declaration they lead to. */
function reach(found) {
  const texts = new Map();
  for (const [name, text] of found) {
    const twice = texts.has(name) && !/export class/.test(text + texts.get(name));
    if (twice) throw new Error(`types: two Rust types are both named ${name}; give one of them #[tsify(rename = "…")]`);
    texts.set(name, `${texts.get(name) ?? ""}\n${text}`);
  }
  const reached = new Set();
  const follow = (name) => {
    if (reached.has(name) || !texts.has(name)) return;
    reached.add(name);
    const code = texts.get(name).replace(/\/\*\*[^]*?\*\//g, "");
    for (const [word] of code.matchAll(/\b[A-Z]\w+/g)) follow(word);
  };
  for (const [name, text] of found) if (/^export (class|function|const)/m.test(text)) follow(name);
  return reached;
}

const byName = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0);

/** `[name, text]` of each declaration at the top level, its comment included. */
function split(text) {
  const found = [];
  let lines = [];
  let name;
  let depth = 0;
  let comment = false;
  for (const line of text.split("\n")) {
    if (lines.length === 0 && line.trim() === "") continue;
    lines.push(line);
    if (line.trimStart().startsWith("/**")) comment = true;
    if (!comment) {
      name ??= /^export (?:default )?(?:interface|type|class|function|const) (\w+)/.exec(line)?.[1];
      depth += count(line, "{") - count(line, "}");
    }
    if (line.trimEnd().endsWith("*/")) comment = false;
    else if (!comment && depth === 0 && name !== undefined) {
      found.push([name, lines.join("\n").trim()]);
      lines = [];
      name = undefined;
    }
  }
  if (lines.join("").trim() !== "") throw new Error(`types: a declaration was not understood:\n${lines.slice(0, 5).join("\n")}`);
  return found;
}

const count = (line, character) => line.split(character).length - 1;

const [bindgen, committed, mode] = process.argv.slice(2);
const fresh = declarations(readFileSync(bindgen, "utf8"));
if (mode === "--write-types") writeFileSync(committed, fresh);
else if (!existsSync(committed) || readFileSync(committed, "utf8") !== fresh) {
  writeFileSync(`${bindgen}.fresh`, fresh);
  console.error(`${committed} is stale: the Rust types have changed. Run: make types (and commit it)`);
  process.exit(1);
}
