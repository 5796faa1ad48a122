#!/usr/bin/env bash
# The panel: `serve` on http://127.0.0.1:8080, or `build` as static files into dist/.
source "$(dirname "$0")/env.sh"
scripts/setup.sh rust wasm-bindgen trunk binaryen
scripts/build-counter.sh
scripts/build-importer.sh

case "${1:-}" in
  # Release, because a debug engine counts an order of magnitude slower than the one that ships.
  serve)
    say "the panel on http://127.0.0.1:8080 (the first build takes minutes)"
    exec trunk serve --release --address 127.0.0.1 --port "${PORT:-8080}"
    ;;
  # Relative addresses, so that the files work under any path.
  build)
    say "the panel, into dist/"
    trunk build --release --public-url ./
    ;;
  *) die "usage: scripts/panel.sh serve|build" ;;
esac
