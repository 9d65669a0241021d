#!/usr/bin/env bash
# Runs a command with ASSAY_TEST_ES_URL naming an Elasticsearch: the one that is named, else one that the folder of
# tools beside the checkout can start. Without either the command does not run, and that is said.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${ASSAY_TEST_ES_URL:-}" ]; then
  serve=${ASSAY_SHARED:-$root/../shared}/tools/elasticsearch/serve.sh
  if [ ! -x "$serve" ] || ! command -v java >/dev/null || ! command -v mvn >/dev/null; then
    echo "SKIPPED: ASSAY_TEST_ES_URL names no Elasticsearch, and none can be started (it takes Java 17, Maven and the shared tools)"
    exit 0
  fi
  work=$(mktemp -d)
  "$serve" --port 0 --data "$work/data" >"$work/out" 2>"$work/log" &
  server=$!
  trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
  # The first start downloads and builds it.
  for _ in $(seq 600); do
    grep -q '^ready' "$work/out" 2>/dev/null && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.5
  done
  ASSAY_TEST_ES_URL=$(awk '/^ready/ { print $2; exit }' "$work/out")
  if [ -z "$ASSAY_TEST_ES_URL" ]; then
    echo "SKIPPED: Elasticsearch did not start; its last words:"
    tail -n 5 "$work/log"
    exit 0
  fi
  export ASSAY_TEST_ES_URL
fi
"$@"
