#!/usr/bin/env bash
# Fuzzes the targets of tests/fuzz for so many seconds each and ends non-zero with the input on a finding.
# usage: fuzz.sh SECONDS [TARGET…]
set -euo pipefail
cd "$(dirname "$0")/../tests/fuzz"
root=$PWD/../.. seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(answer avap body citations language message receipt settings)
target="${CARGO_TARGET_DIR:-target}"
host="$(rustc -vV | sed -n 's/^host: //p')"
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1" \
  cargo build --release --locked --target "$host" --target-dir "$target"

# A seed: what begins it, what is repeated, how often, what ends it.
seed() { local name=$1 before=$2 piece=$3 count=$4 after=$5; { printf '%b' "$before"; for ((n = 0; n < count; n++)); do printf '%b' "$piece"; done; printf '%b' "$after"; } >"$corpus/$name"; }

# Shapes that once overflowed the stack, took quadratic time or went through unchecked.
shapes() {
  case $1 in
    language)
      for count in 20 1000; do
        seed "sum-$count" 'sql\nselect ' '1+' $count 1
        seed "index-$count" 'sql\nselect a' '[0]' $count ''
        seed "union-$count" 'sql\nselect 1' ' union select 1' $count ''
        seed "generic-$count" 'java\n' 'A<' $count ''
        seed "comment-$count" 'java\n' 'A</*>*/' $count ''
        seed "line-comment-$count" 'java\n' 'A<//>\n' $count ''
        seed "semicolon-$count" 'java\n' 'A<;' $count ''
        seed "literal-$count" 'typescript\n' 'a<">",' $count ''
        seed "less-$count" 'typescript\n' 'a<' $count ''
        seed "coproc-$count" 'bash\n' 'coproc ' $count a
        seed "substitution-$count" 'bash\necho ' '"$(' $count a
        seed "array-$count" 'json\n' '[' $count 1
        seed "flow-$count" 'yaml\n' '{a: ' $count 1
        seed "dots-$count" 'toml\n' 'a.' $count 'a = 1'
        seed "template-$count" 'javascript\na = ' '`${' $count a
        seed "string-$count" 'python\nx = ' 'f"{' $count a
        seed "else-$count" 'rust\nfn f(){ if a {}' ' else if a {}' $count '}'
        seed "index-go-$count" 'go\npackage a\nvar a = ' 'a[' $count 'b\n'
        seed "element-$count" 'tsx\n' '<a b={' $count b
        seed "list-$count" 'avap\naddVar(x, ' '[' $count '1)'
      done ;;
    answer | citations)
      cp "$root"/README.md "$root"/docs/*.md "$corpus/"
      for count in 1 300; do
        seed "marker-$count" '' 'a [^1].' $count ''
        seed "fence-$count" '' '```\n' $count ''
        seed "quote-$count" '' '> - ' $count a
        seed "image-$count" '' '![](' $count a
        seed "row-$count" '' '|a' $count '\n|-|\n'
        seed "struck-$count" '~~Never~~ delete ' '~~a~~' $count ''
        seed "footnote-$count" '[^1]: ' 'Always delete. ' $count ''
        seed "figure-$count" 'The limit is ' '٧⑦𝟕' $count ' MB [^1].'
      done ;;
    avap) cp "$root"/libs/avap/examples/*.avap "$corpus/" ;;
    body)
      seed ask '{"query": "What is it?", "mode": "STRICT", "query_type": "PLATFORM", "stream": true}' '' 0 ''
      seed unknown '{"query": "a", "b": 1}' '' 0 ''
      seed deep '{"query": ' '[' 500 ''
      seed digits '{"query": ' '9' 1000 '}'
      seed surrogate '{"query": "\\ud800"}' '' 0 '' ;;
    message) for kind in 0 1 2 3 4 5 6 7; do seed "kind-$kind" "\\x0$kind" '\x0a\x01a' 3 ''; done ;;
    settings)
      seed whole 'http = "127.0.0.1:1"\nmax_programs = 3\nprofiles = ["core"]\n' '' 0 ''
      seed deep 'a = ' '[' 500 ''
      seed dots '' 'a.' 500 'a = 1' ;;
    receipt)
      seed patch '\x10\x00\x41' '' 0 ''
      seed export '{"kind":"log","version":2,"origin":"a","key":"b"}\n' '{"kind":"leaf","index":0,"leaf":"00"}\n' 3 '' ;;
  esac
}

mkdir -p "$target/findings"
for name in "${targets[@]}"; do
  corpus="$target/corpus/$name"
  mkdir -p "$corpus"
  shapes "$name"
  dict=()
  [ -f "$name.dict" ] && dict=(-dict="$name.dict")
  echo "== $name, $seconds s"
  "$target/$host/release/$name" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="$target/findings/$name-" "${dict[@]}" "$corpus" 2>&1 | grep -vE '^#[0-9]+\s+(REDUCE|NEW|pulse|RELOAD)' || { echo "finding in $name"; exit 1; }
done
