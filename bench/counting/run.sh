#!/usr/bin/env bash
# Counting speed beside the counters that npm has. The counter has to be built (scripts/build-counter.sh).
source "$(dirname "$0")/../../scripts/env.sh"
scripts/setup.sh rust node:bench/counting
cargo build --quiet --locked --profile quick --package galley-counter --example speed
node bench/counting/bench.mjs "$CARGO_TARGET_DIR/quick/examples/speed"
