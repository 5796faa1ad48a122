// Modules beside the page, each fetched when first needed: the exact counters, one a vocabulary, and the one
// that opens files of other tools. Their wasm is kept in the browser's cache storage: a second visit does
// not download it again.

const KEPT = "galley-modules-1";
const VOCABULARIES = { o200k_harmony: "o200k_base" };
const modules = new Map();

export async function load_counter(name, progress) {
  const { Counter } = await module("counter", VOCABULARIES[name] ?? name, progress);
  return new Counter(name);
}

let opened;
let stop;

/** Opens a file, as what it looks like or as `format`; the one before stays when it is refused. Answers what is in it. */
export async function open_file(blob, format, progress) {
  stop = new AbortController();
  const { signal } = stop;
  const read = async (from, len) => new Uint8Array(await blob.slice(from, from + len).arrayBuffer());
  const bytes = { size: blob.size, read };
  const { Opening } = await module("importer", "importer", () => {});
  const file = await drive(new Opening(blob.size, format), bytes, { signal, onProgress: ({ loaded, total }) => progress(loaded, total) });
  opened?.file.free();
  opened = { file, bytes };
  return file.index();
}

/** Opens a conversation of that file: its native file, and what was noticed. */
export async function pick_conversation(index, branch, progress) {
  stop = new AbortController();
  const { signal } = stop;
  const steps = opened.file.pick(index, branch);
  const picked = await drive(steps, opened.bytes, { signal, onProgress: ({ loaded, total }) => progress(loaded, total) });
  return written(picked);
}

/** Writes a native file as another shape: the text, and what is otherwise in it. */
export async function write_file(file, to) {
  const { convert } = await module("importer", "importer", () => {});
  return written(convert(file, to));
}

/** Gives up what is being opened. */
export function stop_opening() {
  stop?.abort();
}

const driver = () => import(new URL("./importer/drive.js", self.location.href).href);

async function drive(...words) {
  const { drive } = await driver();
  return drive(...words);
}

async function written(file) {
  const { taken } = await driver();
  const { text, warnings } = taken(file);
  return [text, warnings];
}

function module(folder, name, progress) {
  if (!modules.has(name)) {
    const coming = load(new URL(`./${folder}/`, self.location.href), name, progress);
    modules.set(name, coming);
    // What failed may be asked for again.
    coming.catch(() => modules.delete(name));
  }
  return modules.get(name);
}

async function load(folder, name, progress) {
  const module = await import(new URL(`${name}.js`, folder).href);
  const start = (response) => module.default({ module_or_path: told(response, progress) });
  const url = new URL(`${name}_bg.wasm`, folder);
  const key = `${url}?${module.checksum}`;
  const cache = await self.caches?.open(KEPT).catch(() => undefined);
  const known = await cache?.match(key).catch(() => undefined);
  if (known) {
    try {
      await start(known);
      return module;
    } catch {
      await cache.delete(key);
    }
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answers ${response.status}`);
  const keep = response.clone();
  await start(response);
  // First goes what an earlier build of this page left.
  await cache?.delete(url, { ignoreSearch: true }).catch(() => undefined);
  await cache?.put(key, keep).catch(() => undefined);
  return module;
}

// The same response, whose bytes are told of as they come. Where the server compresses, the length it
// states is another one.
function told(response, progress) {
  const of = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length")) || 0;
  let bytes = 0;
  const telling = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      progress(bytes, of);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(telling), { headers: { "content-type": "application/wasm" } });
}
