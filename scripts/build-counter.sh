#!/usr/bin/env bash
# Builds pkg/dist/counter: for each vocabulary a wasm that counts with it, and its JavaScript.
# Expects wasm-bindgen on PATH (scripts/env.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

out=pkg/dist/counter
target=${CARGO_TARGET_DIR:-target}
inputs=(pkg/counter Cargo.toml Cargo.lock rust-toolchain.toml scripts/build-counter.sh scripts/env.sh)

for vocabulary in o200k_base cl100k_base p50k_base r50k_base; do
  # Cargo keeps one cdylib for the crate, whatever its features, and would link all four anew each time.
  if [ -e "$out/$vocabulary.js" ] && [ -z "$(find "${inputs[@]}" -newer "$out/$vocabulary.js")" ]; then
    continue
  fi
  # The crate is a library for the tests; Cargo optimises across crates only when this is its sole form.
  # The engine needs more than a megabyte of stack, which is all that a wasm gets unasked.
  cargo rustc --quiet --locked --profile quick --target wasm32-unknown-unknown --package galley-counter \
    --no-default-features --features "$vocabulary" --lib --crate-type cdylib -- -C link-arg=-zstack-size=4194304
  wasm-bindgen --target web --omit-default-module-path --out-dir "$out" --out-name "$vocabulary" \
    "$target/wasm32-unknown-unknown/quick/galley_counter.wasm"
  # By this a page that keeps the wasm knows whether it still belongs to the JavaScript.
  checksum=$(cksum <"$out/${vocabulary}_bg.wasm" | tr ' ' -)
  printf '\nexport const checksum = "%s";\n' "$checksum" >>"$out/$vocabulary.js"
  echo 'export const checksum: string;' >>"$out/$vocabulary.d.ts"
done
