// The exact counters: a module and its vocabularies beside the page, fetched when a model first needs
// one. A vocabulary is kept in the browser's cache storage, so that a second visit needs no network.

const KEPT = "galley-vocabularies-1";
const FILES = { o200k_harmony: "o200k_base" };
let module;

export async function load_counter(name, progress) {
  const folder = new URL("./counter/", self.location.href);
  const url = new URL(`${FILES[name] ?? name}.vocab`, folder);
  module ??= import(new URL("galley_counter.js", folder).href).then(async (loaded) => {
    await loaded.default({ module_or_path: new URL("galley_counter_bg.wasm", folder) });
    return loaded.Counter;
  });
  module.catch(() => { module = undefined; });
  const Counter = await module;
  const cache = await self.caches?.open(KEPT).catch(() => undefined);
  const known = await cache?.match(url).catch(() => undefined);
  if (known) {
    try {
      return new Counter(name, await unpacked(known, progress));
    } catch {
      await cache.delete(url);
    }
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answers ${response.status}`);
  const keep = response.clone();
  const counter = new Counter(name, await unpacked(response, progress));
  await cache?.put(url, keep).catch(() => undefined);
  return counter;
}

// The bytes inside the gzip file; progress is told of the packed ones.
async function unpacked(response, progress) {
  const of = Number(response.headers.get("content-length")) || 0;
  let bytes = 0;
  const told = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      progress(bytes, Math.max(of, bytes));
      controller.enqueue(chunk);
    },
  });
  const stream = response.body.pipeThrough(told).pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
