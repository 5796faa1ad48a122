// The exact counters: a module for each vocabulary beside the page, fetched when a model first needs it.
// Its wasm, which holds the vocabulary, is kept in the browser's cache storage: a second visit does not
// download it again.

const KEPT = "galley-counters-1";
const VOCABULARIES = { o200k_harmony: "o200k_base" };
const modules = new Map();

export async function load_counter(name, progress) {
  const vocabulary = VOCABULARIES[name] ?? name;
  if (!modules.has(vocabulary)) {
    const coming = load(vocabulary, progress);
    modules.set(vocabulary, coming);
    // What failed may be asked for again.
    coming.catch(() => modules.delete(vocabulary));
  }
  const { Counter } = await modules.get(vocabulary);
  return new Counter(name);
}

async function load(vocabulary, progress) {
  const folder = new URL("./counter/", self.location.href);
  const module = await import(new URL(`${vocabulary}.js`, folder).href);
  const start = (response) => module.default({ module_or_path: told(response, progress) });
  const url = new URL(`${vocabulary}_bg.wasm`, folder);
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
