#!/usr/bin/env bash
# Builds pkg/dist/fit: the wasm of the context manager, and its JavaScript.
# Expects wasm-bindgen and wasm-opt on PATH (scripts/env.sh).
source "$(dirname "$0")/env.sh"

out=pkg/dist/fit
cargo build --quiet --locked --profile quick -p galley-fit --target "$WASM_TARGET"
built="$CARGO_TARGET_DIR/$WASM_TARGET/quick/galley_fit.wasm"
if [ "$out/fit.js" -nt "$built" ]; then exit; fi
wasm-bindgen --target web --no-typescript --omit-default-module-path --out-dir "$out" --out-name fit "$built"
wasm-opt -O3 "${WASM_FEATURES[@]}" "$out/fit_bg.wasm" -o "$out/fit_bg.opt.wasm"
mv "$out/fit_bg.opt.wasm" "$out/fit_bg.wasm"
touch "$out/fit.js"
