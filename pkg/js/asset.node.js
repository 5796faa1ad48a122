import { readFile } from "node:fs/promises";

/** The bytes of one of the package's own files. */
export async function asset(url, { signal } = {}) {
  return new Uint8Array(await readFile(url, { signal }));
}
