#!/usr/bin/env bash
# The pictures of the README, of the built page on its own sample.
source "$(dirname "$0")/env.sh"
scripts/setup.sh rust wasm-bindgen trunk binaryen browser node:tests
have_browser || die "make screenshot needs Chromium. Run: sudo sh -c '$BROWSER_INSTALL'"
scripts/panel.sh build
node tests/e2e/screenshot.mjs docs
