#!/usr/bin/env bash
# Builds pkg/dist/importer: the wasm that opens files of other tools, and its JavaScript.
# Expects wasm-bindgen and wasm-opt on PATH (scripts/env.sh).
source "$(dirname "$0")/env.sh"

out=pkg/dist/importer
cargo build --quiet --locked --profile quick -p galley-importer --target "$WASM_TARGET"
built="$CARGO_TARGET_DIR/$WASM_TARGET/quick/galley_importer.wasm"
if [ "$out/importer.js" -nt "$built" ] && [ "$out/importer.js" -nt pkg/js/drive.js ]; then exit; fi
wasm-bindgen --target web --no-typescript --omit-default-module-path --out-dir "$out" --out-name importer "$built"
wasm-opt -O3 "${WASM_FEATURES[@]}" "$out/importer_bg.wasm" -o "$out/importer_bg.opt.wasm"
mv "$out/importer_bg.opt.wasm" "$out/importer_bg.wasm"
# By this a page that keeps the wasm knows whether it still belongs to the JavaScript.
checksum=$(cksum <"$out/importer_bg.wasm" | tr ' ' -)
cp pkg/js/drive.js "$out/drive.js"
printf '\nexport const checksum = "%s";\n' "$checksum" >>"$out/importer.js"
