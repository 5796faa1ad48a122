#!/usr/bin/env bash
# Everything that is checked. Stops at the first thing that fails; without a browser it runs all the
# rest and fails at the end, with the one line that says what to run.
source "$(dirname "$0")/env.sh"
started=$SECONDS
scripts/setup.sh rust wasm-bindgen trunk binaryen browser node:tests

scripts/lint.sh

say "native tests"
cargo test --quiet --workspace --exclude galley-web --exclude galley-pkg

scripts/npm.sh

say "the package under Node"
node --test tests/node/*.test.mjs

export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner
say "the engine's boundary under Node (wasm-bindgen-test)"
cargo test -p galley-pkg --target "$WASM_TARGET"

scripts/panel.sh build

if have_browser; then
  say "the page's own code in Chromium (wasm-bindgen-test)"
  CHROMEDRIVER="$(command -v chromedriver)" cargo test -p galley-web --target "$WASM_TARGET"
  say "the panel and the package in Chromium"
  node --test tests/e2e/*.test.mjs
else
  die "make test: all but the browser tests passed; they did not run because Chromium is missing. Run: sudo sh -c '$BROWSER_INSTALL'"
fi

took=$((SECONDS - started))
printf '\nmake test: everything passed, in %d min %d s\n' $((took / 60)) $((took % 60))
