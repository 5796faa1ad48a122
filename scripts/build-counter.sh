#!/usr/bin/env bash
# Builds pkg/dist/counter: the counter's wasm with its JavaScript, and one vocabulary file per encoding.
# Expects wasm-bindgen and wasm-opt on PATH (scripts/env.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

out=pkg/dist/counter
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$out"

# The crate is a library for the tests; Cargo optimises across crates only when this is its sole form.
cargo rustc --quiet --locked --profile counter --target wasm32-unknown-unknown --package galley-counter \
  --lib --crate-type cdylib
wasm-bindgen --target web --out-dir "$out" "$target/wasm32-unknown-unknown/counter/galley_counter.wasm"
wasm-opt -O3 --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext \
  --enable-mutable-globals --enable-reference-types --enable-multivalue \
  "$out/galley_counter_bg.wasm" -o "$out/galley_counter_bg.wasm"

# The vocabularies never change, so they are written once.
if [ ! -e "$out/r50k_base.vocab" ]; then
  raw=$(mktemp -d)
  trap 'rm -rf "$raw"' EXIT
  cargo run --quiet --locked --package galley-counter --features reference --example vocabularies -- "$raw"
  for file in "$raw"/*.bin; do
    name=$(basename "$file" .bin)
    # Not named .gz: a server would label it as encoded, and some would not.
    gzip -9 --no-name --stdout "$file" >"$out/$name.vocab"
  done
fi
