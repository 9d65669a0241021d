#!/usr/bin/env bash
# Fuzzes the reading and judging of answers for so many seconds (600 unless told otherwise); exits non-zero with the input on a finding.
set -euo pipefail
cd "$(dirname "$0")"
seconds="${1:-600}"
target="${CARGO_TARGET_DIR:-target}"
host="$(rustc -vV | sed -n 's/^host: //p')"
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1" \
  cargo build --release --target "$host" --target-dir "$target"
corpus="$target/corpus"
mkdir -p "$corpus" "$target/findings"
cp ../../../README.md ../../../docs/*.md "$corpus/"
exec "$target/$host/release/judge" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 \
  -artifact_prefix="$target/findings/" -dict=judge.dict "$corpus"
