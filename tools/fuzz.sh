#!/usr/bin/env bash
# Fuzzes one target of a crate and exits non-zero with the input on a finding; `libs/*/fuzz/run.sh` call it.
# usage: fuzz.sh FOLDER TARGET SECONDS-PER-INPUT SECONDS SEED…
set -euo pipefail
cd "$1"; name="$2"; slowest="$3"; seconds="$4"; shift 4
target="${CARGO_TARGET_DIR:-target}"
host="$(rustc -vV | sed -n 's/^host: //p')"
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1" \
  cargo build --release --target "$host" --target-dir "$target"
corpus="$target/corpus"
mkdir -p "$corpus" "$target/findings"
cp "$@" "$corpus/"
exec "$target/$host/release/$name" -max_total_time="$seconds" -max_len=4096 -timeout="$slowest" -rss_limit_mb=4096 \
  -artifact_prefix="$target/findings/" -dict="$name.dict" "$corpus"
