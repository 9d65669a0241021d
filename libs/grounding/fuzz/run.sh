#!/usr/bin/env bash
# Fuzzes the reading and judging of answers for so many seconds (600 unless told otherwise); exits non-zero with the input on a finding.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
exec "$here/../../../tools/fuzz.sh" "$here" judge 20 "${1:-600}" "$here"/../../../README.md "$here"/../../../docs/*.md
