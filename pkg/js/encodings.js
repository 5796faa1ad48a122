// Exact counters: for each vocabulary a module that counts with it, loaded when asked for.
import { asset } from "#asset";
import { installEncoding } from "../dist/galley.js";
import { Refusal } from "./refusal.js";

// Written out, because bundlers follow an address they can read and no other.
const VOCABULARIES = {
  o200k_base: [() => import("../dist/counter/o200k_base.js"), new URL("../dist/counter/o200k_base_bg.wasm", import.meta.url)],
  cl100k_base: [() => import("../dist/counter/cl100k_base.js"), new URL("../dist/counter/cl100k_base_bg.wasm", import.meta.url)],
  p50k_base: [() => import("../dist/counter/p50k_base.js"), new URL("../dist/counter/p50k_base_bg.wasm", import.meta.url)],
  r50k_base: [() => import("../dist/counter/r50k_base.js"), new URL("../dist/counter/r50k_base_bg.wasm", import.meta.url)],
};
const VOCABULARY_OF = {
  o200k_base: "o200k_base",
  o200k_harmony: "o200k_base",
  cl100k_base: "cl100k_base",
  p50k_base: "p50k_base",
  r50k_base: "r50k_base",
};

const modules = new Map();
const encodings = new Map();
const loaded = [];

/** The encodings that are loaded, in the order they came, each by its name and its counter. */
export const loadedEncodings = () => loaded;

/** Loads an encoding once; from then on the engine counts with it for every model that declares it. */
export async function loadEncoding(name, options) {
  if (!Object.hasOwn(VOCABULARY_OF, name)) {
    const known = Object.keys(VOCABULARY_OF).join(", ");
    throw new Refusal({ code: "token_counter_unavailable", status: 422, detail: String(name), message: `No encoding is named "${name}"; use one of ${known}.` });
  }
  return once(encodings, name, async () => {
    const { Counter } = await once(modules, VOCABULARY_OF[name], (vocabulary) => start(vocabulary, options));
    const counter = new Counter(name);
    installEncoding(name, counter);
    loaded.push([name, counter]);
    return new Encoding(name, counter);
  });
}

async function start(vocabulary, options) {
  const [module, wasm] = VOCABULARIES[vocabulary];
  const [loaded, bytes] = await Promise.all([module(), asset(wasm, options)]);
  await loaded.default({ module_or_path: bytes });
  return loaded;
}

function once(all, name, load) {
  if (!all.has(name)) {
    const coming = load(name);
    all.set(name, coming);
    // What failed may be asked for again.
    coming.catch(() => all.delete(name));
  }
  return all.get(name);
}

const utf8 = new TextEncoder();

class Encoding {
  #counter;

  constructor(name, counter) {
    this.name = name;
    this.#counter = counter;
  }

  count(text) {
    return this.#counter.count(utf8.encode(text));
  }
}
