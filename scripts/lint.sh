#!/usr/bin/env bash
# rustfmt, clippy and rustdoc; a warning fails.
source "$(dirname "$0")/env.sh"
scripts/setup.sh rust

# What runs in a browser is checked for wasm alone: Leptos is not built for this machine as well.
say "rustfmt"
cargo fmt --all --check
say "clippy"
cargo clippy --quiet --workspace --exclude galley-web --exclude galley-pkg --all-targets --features galley-core/types -- -D warnings
cargo clippy --quiet -p galley-web -p galley-pkg --all-targets --target "$WASM_TARGET" -- -D warnings
say "rustdoc"
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps -p galley-core -p galley-counter
