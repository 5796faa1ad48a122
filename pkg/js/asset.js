/** The bytes of one of the package's own files, from where the page or its bundler put it. */
export async function asset(url, { signal, onProgress } = {}) {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${response.statusText}`);
  if (!onProgress || !response.body) return new Uint8Array(await response.arrayBuffer());

  // What the header says is the compressed length where the server compresses, so it is no total.
  const total = response.headers.has("content-encoding") ? 0 : Number(response.headers.get("content-length")) || 0;
  const chunks = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    loaded += value.length;
    onProgress({ loaded, total });
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
