# The pinned tools, where they live, and the words every script uses. Sourced, never run.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"

WASM_BINDGEN_VERSION=0.2.129
TRUNK_VERSION=0.21.14
BINARYEN_VERSION=132
NIGHTLY=nightly-2026-05-20
CARGO_FUZZ_VERSION=0.13.2

# By version, in the user's cache: another checkout finds them there.
TOOLS="${XDG_CACHE_HOME:-$HOME/.cache}/galley/tools"
export PATH="$TOOLS/wasm-bindgen-$WASM_BINDGEN_VERSION/bin:$TOOLS/trunk-$TRUNK_VERSION/bin:$TOOLS/binaryen-$BINARYEN_VERSION/node_modules/.bin:$TOOLS/cargo-fuzz-$CARGO_FUZZ_VERSION/bin:$PATH"

# One target folder for every build, so that nothing is compiled twice.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ROOT/target}"
WASM_TARGET=wasm32-unknown-unknown

# What rustc emits; `strip` takes the section that would tell wasm-opt.
WASM_FEATURES=(--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext
  --enable-mutable-globals --enable-reference-types --enable-multivalue)

BROWSER_INSTALL="apt-get update && apt-get install -y --no-install-recommends chromium chromium-driver"

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
have_browser() { have chromium && have chromedriver; }
