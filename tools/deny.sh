#!/usr/bin/env bash
# Checks every dependency: licences, sources, banned crates and known advisories. The advisories come from the RustSec
# database, fetched, or from the folder ADVISORY_DB, a copy of it; without either they are skipped, and that is said.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v cargo-deny >/dev/null; then
  echo "SKIPPED: cargo-deny is not installed (cargo install --locked cargo-deny); no dependency was checked"
  exit 0
fi
database=https://github.com/RustSec/advisory-db
checks=(bans licenses sources)
if [ -n "${ADVISORY_DB:-}" ]; then
  [ -d "$ADVISORY_DB/crates" ] || { echo "ADVISORY_DB=$ADVISORY_DB holds no folder crates/" >&2; exit 1; }
  # cargo-deny clones a repository; git is told to take this one for that of the database.
  copy=$PWD/target/advisory-db
  rm -rf "$copy" target/advisory-dbs
  git init --quiet --initial-branch main "$copy"
  cp -R "$ADVISORY_DB/crates" "$copy/"
  git -C "$copy" add --all
  git -C "$copy" -c user.name=copy -c user.email=copy@localhost -c commit.gpgsign=false commit --quiet --message "advisories of ADVISORY_DB"
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$copy.insteadOf" GIT_CONFIG_VALUE_0=$database
  checks+=(advisories)
elif git ls-remote --quiet --exit-code "$database" HEAD >/dev/null 2>&1; then
  checks+=(advisories)
else
  echo "SKIPPED: advisories: $database cannot be fetched, and ADVISORY_DB names no copy of it"
fi
"${CARGO:-cargo}" deny --locked check "${checks[@]}"
