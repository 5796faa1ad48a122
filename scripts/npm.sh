#!/usr/bin/env bash
# The npm package, in pkg/: the counters, the importer, the context manager, the engine's wasm, the types.
#
#   scripts/npm.sh [--write-types]     --write-types replaces the committed declarations and schemas
source "$(dirname "$0")/env.sh"
scripts/setup.sh rust wasm-bindgen binaryen
scripts/build-counter.sh
scripts/build-importer.sh
scripts/build-fit.sh

say "the engine's wasm, into pkg/dist/"
cargo build --quiet --release -p galley-pkg --target "$WASM_TARGET"
wasm-bindgen --target web --omit-default-module-path --out-dir pkg/dist --out-name galley \
  "$CARGO_TARGET_DIR/$WASM_TARGET/release/galley_pkg.wasm"
wasm-opt -Oz "${WASM_FEATURES[@]}" pkg/dist/galley_bg.wasm -o pkg/dist/galley_bg.opt.wasm
mv pkg/dist/galley_bg.opt.wasm pkg/dist/galley_bg.wasm
cp LICENSE pkg/dist/LICENSE

# The shipped declarations are the committed ones; what wasm-bindgen wrote is only their source.
mkdir -p "$CARGO_TARGET_DIR/galley"
mv pkg/dist/galley.d.ts "$CARGO_TARGET_DIR/galley/bindgen.d.ts"
rm -f pkg/dist/galley_bg.wasm.d.ts
node scripts/types.mjs "$CARGO_TARGET_DIR/galley/bindgen.d.ts" pkg/types/galley.d.ts "${1:---check}"

if [ "${1:-}" = --write-types ]; then
  cargo run --quiet -p galley-pkg --example schema pkg/schema
fi

node scripts/sizes.mjs pkg/dist/galley_bg.wasm pkg/dist/importer/importer_bg.wasm pkg/dist/fit/fit_bg.wasm
