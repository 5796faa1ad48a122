#!/usr/bin/env bash
# Installs what the build needs, each once and at its pinned version; what is there is left alone.
#
#   scripts/setup.sh [rust|nightly|wasm-bindgen|trunk|binaryen|cargo-fuzz|browser|node:FOLDER]...
#
# A tool is built in a folder of its own beside its place and moved there when it is whole, so an
# interrupted installation is not taken for an installed tool.
source "$(dirname "$0")/env.sh"

rust() {
  have cargo || die "cargo is missing. Install Rust with rustup (https://rustup.rs), then run this again."
  # Answers only once rustup has the toolchain that rust-toolchain.toml pins.
  if ! { rustc --version && cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1; then
    have rustup || die "The toolchain of rust-toolchain.toml is missing and rustup is not there to install it."
    say "Rust toolchain"
    rustup toolchain install
  fi
  if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$WASM_TARGET/lib" ]; then
    have rustup || die "The $WASM_TARGET target is missing and rustup is not there to install it."
    say "$WASM_TARGET target"
    rustup target add "$WASM_TARGET"
  fi
}

# libFuzzer's instrumentation is a flag that only a nightly compiler takes.
nightly() {
  have rustup || die "rustup is missing: it installs $NIGHTLY (https://rustup.rs)."
  rustup toolchain list | grep -q "^$NIGHTLY-" && return
  say "$NIGHTLY"
  rustup toolchain install "$NIGHTLY" --profile minimal --no-self-update
}

# place NAME-VERSION PROBE COMMAND...: runs COMMAND with the staging folder as its last argument.
place() {
  local name="$1" probe="$2" home="$TOOLS/$1"
  shift 2
  [ -x "$home/$probe" ] && return
  mkdir -p "$TOOLS"
  # Two checkouts may set up at the same moment; the second finds the tool when it gets the lock.
  if have flock; then
    exec 9>"$TOOLS/.lock"
    flock 9
    [ -x "$home/$probe" ] && { exec 9>&-; return; }
  fi
  say "$name into $home"
  local staging="$TOOLS/.staging-$name"
  rm -rf "$staging"
  mkdir -p "$staging"
  "$@" "$staging"
  [ -x "$staging/$probe" ] || die "$name was installed, but $probe is not in it."
  rm -rf "$home" "$staging/target"
  mv "$staging" "$home"
  if have flock; then exec 9>&-; fi
}

# crate NAME VERSION [cargo install flags...] STAGING
crate() {
  local name="$1" version="$2" staging="${*: -1}"
  local flags=("${@:3:$#-3}")
  if cargo binstall -V >/dev/null 2>&1 &&
    cargo binstall --no-confirm --disable-strategies compile --root "$staging" "$name@$version"; then
    return
  fi
  CARGO_TARGET_DIR="$staging/target" cargo install "$name" --version "$version" --locked --root "$staging" "${flags[@]}"
}

# These run for seconds, not for hours: compile time is what counts.
wasm_bindgen() {
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    place "wasm-bindgen-$WASM_BINDGEN_VERSION" bin/wasm-bindgen-test-runner \
    crate wasm-bindgen-cli "$WASM_BINDGEN_VERSION"
}

trunk() {
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    CARGO_PROFILE_RELEASE_DEBUG=0 \
    place "trunk-$TRUNK_VERSION" bin/trunk crate trunk "$TRUNK_VERSION" --no-default-features
}

cargo_fuzz() {
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    CARGO_PROFILE_RELEASE_DEBUG=0 \
    place "cargo-fuzz-$CARGO_FUZZ_VERSION" bin/cargo-fuzz crate cargo-fuzz "$CARGO_FUZZ_VERSION"
}

binaryen_npm() { npm install --prefix "$1" --no-audit --no-fund --loglevel=error "binaryen@$BINARYEN_VERSION.0.0"; }
binaryen() {
  need_node
  place "binaryen-$BINARYEN_VERSION" node_modules/.bin/wasm-opt binaryen_npm
}

need_node() {
  have node && have npm || die "Node is missing. Install Node 20 or newer, with npm, then run this again."
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || die "Node $(node --version) is too old: 20 or newer is needed."
}

# A folder's packages, by its lock file; the stamp is written when npm has finished.
node_packages() {
  need_node
  local stamp
  stamp="$1/node_modules/.galley-$(cksum <"$1/package-lock.json" | cut -d" " -f1)"
  [ -e "$stamp" ] && return
  say "npm packages of $1"
  npm ci --prefix "$1" --no-audit --no-fund --loglevel=error
  touch "$stamp"
}

# Without root this only says so: the tests that need no browser can still run.
browser() {
  have_browser && return
  if [ "$(id -u)" = 0 ] && have apt-get; then
    say "Chromium and ChromeDriver"
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium chromium-driver
  else
    echo "Chromium is missing and this is not root: browser tests will not run. To install it: sudo sh -c '$BROWSER_INSTALL'" >&2
  fi
}

for what in "$@"; do
  case "$what" in
    rust) rust ;;
    wasm-bindgen) wasm_bindgen ;;
    trunk) trunk ;;
    nightly) nightly ;;
    cargo-fuzz) cargo_fuzz ;;
    binaryen) binaryen ;;
    browser) browser ;;
    node:*) node_packages "${what#node:}" ;;
    *) die "setup: unknown part '$what'" ;;
  esac
done
