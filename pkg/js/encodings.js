// Exact counters: one module that counts, and a vocabulary for each encoding, loaded when asked for.
import { asset } from "#asset";
import { installEncoding } from "../dist/galley.js";
import load, { Counter } from "../dist/counter/galley_counter.js";
import { Refusal } from "./refusal.js";

// Written out, because bundlers follow an address they can read and no other.
const VOCABULARIES = {
  o200k_base: new URL("../dist/counter/o200k_base.vocab", import.meta.url),
  cl100k_base: new URL("../dist/counter/cl100k_base.vocab", import.meta.url),
  p50k_base: new URL("../dist/counter/p50k_base.vocab", import.meta.url),
  r50k_base: new URL("../dist/counter/r50k_base.vocab", import.meta.url),
};
const VOCABULARY_OF = {
  o200k_base: "o200k_base",
  o200k_harmony: "o200k_base",
  cl100k_base: "cl100k_base",
  p50k_base: "p50k_base",
  r50k_base: "r50k_base",
};

const encodings = new Map();
let module;

/** Loads an encoding once; from then on the engine counts with it for every model that declares it. */
export async function loadEncoding(name, options) {
  if (!Object.hasOwn(VOCABULARY_OF, name)) {
    const known = Object.keys(VOCABULARY_OF).join(", ");
    throw new Refusal({ code: "token_counter_unavailable", status: 422, detail: String(name), message: `No encoding is named "${name}"; use one of ${known}.` });
  }
  if (!encodings.has(name)) {
    const coming = open(name, options);
    encodings.set(name, coming);
    // What failed may be asked for again.
    coming.catch(() => encodings.delete(name));
  }
  return encodings.get(name);
}

async function open(name, options) {
  const [vocabulary] = await Promise.all([asset(VOCABULARIES[VOCABULARY_OF[name]], options).then(unpacked), counting()]);
  const counter = new Counter(name, vocabulary);
  installEncoding(name, counter);
  return new Encoding(name, counter);
}

function counting() {
  module ??= asset(new URL("../dist/counter/galley_counter_bg.wasm", import.meta.url))
    .then((bytes) => load({ module_or_path: bytes }))
    .catch((error) => {
      module = undefined;
      throw error;
    });
  return module;
}

async function unpacked(gzip) {
  const bytes = new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(bytes).arrayBuffer());
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
