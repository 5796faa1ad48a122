// A static file server on 127.0.0.1, for a folder under a sub-path.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * Serves `folder` at `base` (`/some/path/`); anything outside it is 404. `types` overrides content types
 * by extension, `missing` names files that answer 404. Answers `{ url, close }`.
 */
export async function serve(folder, { base = "/", types = {}, missing } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://here");
    const inside = pathname.startsWith(base) && normalize(decodeURIComponent(pathname.slice(base.length)) || "index.html");
    const file = inside && !inside.startsWith("..") && join(folder, inside.endsWith(sep) ? `${inside}index.html` : inside);
    if (!file || missing?.test(file) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
