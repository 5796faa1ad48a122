#!/usr/bin/env bash
# The figures, each with its target beside it, in one run.
source "$(dirname "$0")/env.sh"
scripts/setup.sh rust wasm-bindgen trunk binaryen browser node:tests
scripts/npm.sh
scripts/panel.sh build

say "counting"
bench/counting/run.sh
say "sizes"
node bench/sizes.mjs
say "from an edit to a new plan"
node bench/plan.mjs
say "a history made to fit"
node --expose-gc bench/fit.mjs
say "large exports"
if have_browser; then node bench/import.mjs; else echo "not measured: Chromium is missing. Run: sudo sh -c '$BROWSER_INSTALL'"; fi
say "typing in the panel"
if have_browser; then node bench/typing.mjs; else echo "not measured: Chromium is missing. Run: sudo sh -c '$BROWSER_INSTALL'"; fi
