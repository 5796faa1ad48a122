#!/usr/bin/env bash
# Importers and the context manager under libFuzzer, one group after the other: nothing panics, everything ends, a
# file read in slices is the file read whole, what is made of it is written and read again the same, and what the
# context manager answers holds. What is found stays in fuzz/artifacts.
#
#   scripts/fuzz.sh [SECONDS [GROUP...]]      60 seconds and every group, if not said
#
# A group starts from the fixtures of its formats and from fuzz/corpus/<group>; its words are those of the fixtures.
# What it learns stays in target/fuzz/<group>.
source "$(dirname "$0")/env.sh"

# group: the target, then folders of tests/suite/import, or of tests/suite.
groups() {
  cat <<'EOF'
apis: plain chat_completions responses anthropic gemini ai_studio
sessions: plain claude_code codex pi
trees: plain chatgpt claude_ai deepseek
archives: packed chatgpt claude_ai deepseek chat_completions codex
frameworks: plain ai_sdk ai_sdk_devtools langchain langsmith
kernels: plain galley iii_session agent_messages cybros
traces: plain har cassette event_stream lhar langfuse otel
tools: plain gemini_cli opencode goose cline copilot_cli amp kiro gptme openhands grok_cli hermes crush copilot_chat aider grok gemini_takeout
chats: plain lm_studio open_webui librechat sillytavern llama_cpp jan cherry_studio
evaluations: plain data_set inspect atif
fit: fit context-manager
EOF
}

shopt -s nullglob
seconds="${1:-60}"
wanted=" ${*:2} "
scripts/setup.sh nightly cargo-fuzz
say "build"
cargo "+$NIGHTLY" fuzz build --fuzz-dir fuzz --sanitizer none --target-dir "$CARGO_TARGET_DIR/fuzz/build"

found=0
while IFS=": " read -r group target folders; do
  [ "$wanted" = "  " ] || [[ "$wanted" == *" $group "* ]] || continue
  say "$group, $seconds s"
  learned="$CARGO_TARGET_DIR/fuzz/$group"
  mkdir -p "$learned" fuzz/artifacts
  seeds="$CARGO_TARGET_DIR/fuzz/$group.seeds"
  rm -rf "$seeds" && mkdir -p "$seeds"
  for folder in $folders; do
    for file in "tests/suite/import/$folder"/*.input.* "tests/suite/$folder"/*.json; do cp "$file" "$seeds/$folder-${file##*/}"; done
  done
  [ ! -d "fuzz/corpus/$group" ] || cp "fuzz/corpus/$group"/* "$seeds"
  grep -aohE '"[A-Za-z0-9_./:-]{1,40}"' -r "$seeds" | sort -u | sed 's/^"\(.*\)"$/"\\"\1\\""/' >"$seeds.dict"
  "$CARGO_TARGET_DIR/fuzz/build/x86_64-unknown-linux-gnu/release/$target" "$learned" "$seeds" \
    -dict="$seeds.dict" -max_total_time="$seconds" -max_len=32768 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="fuzz/artifacts/$group-" || found=1
done < <(groups)
exit "$found"
