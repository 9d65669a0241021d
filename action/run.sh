#!/usr/bin/env bash
# Lints documentation and checks an answer; reads its inputs from INPUT_*, so that it runs without GitHub, too.
# ASSAY names the binary. Exits with 1 if anything was found.
set -euo pipefail
assay=${ASSAY:-assay}
read -ra paths <<<"${INPUT_PATHS:-docs}"
rules=()
for rule in ${INPUT_RULES:-}; do rules+=(--rule "$rule"); done
failed=0

lint=$("$assay" lint "${rules[@]}" --format github "${paths[@]}") || failed=$?
# 1 is a finding; anything else is a mistake of the call, which the command has explained.
[ "$failed" -le 1 ] || exit "$failed"
[ -z "$lint" ] || printf '%s\n' "$lint"
if [ -n "${INPUT_SARIF:-}" ]; then
  "$assay" lint "${rules[@]}" --format sarif "${paths[@]}" >"$INPUT_SARIF" || [ $? -eq 1 ]
fi

if [ -n "${INPUT_ANSWER:-}" ]; then
  [ -n "${INPUT_SOURCES:-}" ] || { echo "::error::the input sources is missing: an answer is checked against them"; exit 64; }
  checked=0
  "$assay" check "$INPUT_ANSWER" --sources "$INPUT_SOURCES" --format github || checked=$?
  [ "$checked" -le 3 ] || exit "$checked"
  [ "$checked" -eq 0 ] || failed=1
fi

count=$(printf '%s' "$lint" | grep -c '^::' || true)
summary="Assay: $count findings in ${paths[*]}"
[ -z "${INPUT_ANSWER:-}" ] || summary+=", ${INPUT_ANSWER} checked"
echo "$summary"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "$summary" >>"$GITHUB_STEP_SUMMARY"
exit "$failed"
