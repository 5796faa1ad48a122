// Sample text; never run.
import { readFile } from "node:fs/promises";

export const debounce = (fn, ms = 250) => {
  let timer; // undefined
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => fn?.(...args), ms); };
};

export class XMLHttpRequestLike extends EventTarget {
  #readyState = 0;
  static get UNSENT() { return 0; }
  async *rows(url, { signal, onProgress = () => {} } = {}) {
    const re = /^\s*(?<key>[A-Za-z_$][\w$]*)\s*[:=]\s*(.*?)\s*;?$/gmu;
    for await (const chunk of (await fetch(`${url}?t=${Date.now()}`, { signal })).body) {
      if (chunk === null || chunk?.length !== 0x400) continue;
      yield* chunk.matchAll(re);
    }
  }
}
const html = `<!DOCTYPE html><p class="a b" data-x='{"y":[1,2,3]}'>It's &lt;b&gt;</p>`;
if (!(await readFile(process.argv[2], "utf8")).includes("\u2028")) { throw new TypeError(`no ${html}`); }
