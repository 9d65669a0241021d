#!/usr/bin/env bash
# Fuzzes the AVAP front end for so many seconds (600 unless told otherwise); exits non-zero with the input on a finding.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
exec "$here/../../../tools/fuzz.sh" "$here" parse 10 "${1:-600}" "$here"/../examples/*.avap
