#!/usr/bin/env bash
# The manifests on a real Kubernetes, in a state folder and a network namespace of its own; nothing outlives the script.
#
# usage: cluster.sh [--real] [--keep DIR]
#   (nothing)   real API server, scheduler and controllers over fake nodes: every set is accepted and rolls out
#   --real      a real node as well (root): the local overlay answers questions, restarts, is cut off and killed
#   --keep DIR  use DIR for state and logs, and leave it there
#
# ASSAY_KUBE_TOOLS  folder of serve.sh (../shared/tools/kubernetes beside the checkout)
# ASSAY_IMAGE       image archive for --real (target/assay.tar; without it, target/debug/assay is packed)
# ASSAY_PROGRAM     program that makes keys and certificates (target/debug/assay, else target/release/assay)
# Exit code: 0 all passed or nothing is prepared (said), 1 something failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
real="" keep=""
while [ $# -gt 0 ]; do
  case $1 in
    --real) real=yes ;;
    --keep) keep=$2; shift ;;
    *) sed -n '2,13p' "$0"; exit 2 ;;
  esac
  shift
done

tools=${ASSAY_KUBE_TOOLS:-${ASSAY_SHARED:-$PWD/../shared}/tools/kubernetes}
skip() { echo "SKIPPED: $*"; exit 0; }
[ -x "$tools/serve.sh" ] || skip "no cluster: there is no $tools/serve.sh"
# serve.sh builds what it lacks, for minutes; here only what has been built is used.
version=$(sed -n 's|^[[:space:]]*k8s.io/kubernetes \(v[0-9.]*\).*|\1|p' "$tools/go.mod" | head -n 1)
sources=(go.mod go.sum stages.yaml addons/go.mod addons/go.sum control/system.yaml ./*/*.go sample/server/*.go)
hash=$(cd "$tools" && eval cat "${sources[*]}" | sha256sum | cut -c 1-12)
programs=${ASSAY_KUBE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay-kube}/$version-$hash
[ -x "$programs/control" ] || skip "no cluster: $tools/serve.sh --prepare was not run for these sources"
if [ -n "$real" ]; then
  [ "$(id -u)" = 0 ] || skip "no real node: it needs root"
  for program in containerd runc nft ip nsenter jq curl openssl; do
    command -v "$program" >/dev/null || skip "no real node: the program $program is not installed"
  done
fi

if [ -n "$keep" ]; then mkdir -p "$keep"; work=$(cd "$keep" && pwd); else work=$(mktemp -d); fi
namespace=assay
server="" loads=()
passed=0 failed=0

# --- lines, and what they count ---

result() { # CODE NAME
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1)); printf 'ok      %s\n' "$2"
  else
    failed=$((failed + 1)); printf 'FAILED  %s\n' "$2"; tail -n 25 "$work/out" 2>/dev/null | cut -c 1-400 | sed 's/^/        /'
  fi
}
ok() { local name=$1; shift; "$@" >"$work/out" 2>&1; result $? "$name"; }
must() { local before=$failed; ok "$@"; [ "$failed" -eq "$before" ] || finish 1; }
refuses() { local name=$1; shift; ! "$@" >"$work/out" 2>&1; result $? "$name"; }
soon() { # SECONDS NAME COMMAND...: the command succeeds within the seconds
  local end=$((SECONDS + $1)) name=$2 code=1
  shift 2
  while :; do
    "$@" >"$work/out" 2>&1 && { code=0; break; }
    [ "$SECONDS" -lt "$end" ] || break
    sleep 0.5
  done
  result "$code" "$name"
}
note() { printf '        %s\n' "$*"; }

finish() {
  local code=${1:-0} pid
  for pid in "${loads[@]:-}"; do [ -n "$pid" ] && kill "$pid" 2>/dev/null; done
  if [ -n "$server" ]; then kill -TERM "$server" 2>/dev/null; wait "$server" 2>/dev/null; server=; fi
  if [ -n "$keep" ]; then note "state and logs are in $work"; else rm -rf "$work"; fi
  trap - EXIT
  [ "$failed" -eq 0 ] || code=1
  printf '%s passed, %s failed, %s seconds\n' "$passed" "$failed" "$SECONDS"
  exit "$code"
}
trap 'finish 1' EXIT
trap 'finish 130' INT TERM

start() { # FLAGS...
  : >"$work/serve.out"
  "$tools/serve.sh" --dir "$work/state" --port "${ASSAY_KUBE_PORT:-17443}" "$@" >"$work/serve.out" 2>"$work/serve.err" &
  server=$!
  local end=$((SECONDS + 300))
  until grep -q '^ready ' "$work/serve.out"; do
    if ! kill -0 "$server" 2>/dev/null || [ "$SECONDS" -gt "$end" ]; then
      cat "$work/serve.err"; echo "FAILED  the cluster does not start"; failed=1; finish 1
    fi
    sleep 0.5
  done
  export KUBECONFIG=$work/state/kubeconfig KUBECACHEDIR=$work/cache
}
k() { "$programs/kubectl" --request-timeout=60s "$@"; }
a() { k --namespace "$namespace" "$@"; }
apply() { k apply --server-side --validate=strict "$@"; }
apply_clean() { apply "$@" >"$work/applied" 2>&1; local code=$?; cat "$work/applied"; ! grep -qi warning "$work/applied" && return $code; }

services=$(sed -n 's/^| \([a-z]*\) | 7[0-9]* |.*/\1/p' docs/architecture.md)
[ "$(wc -w <<<"$services")" -ge 8 ] || { echo "docs/architecture.md has no table of services"; exit 1; }
kind_of() { case $1 in router | audit) echo statefulset ;; *) echo deployment ;; esac; }
port_of() { sed -n "s/^| $1 | \(7[0-9]*\) |.*/\1/p" docs/architecture.md; }
rolled() { a rollout status "$(kind_of "$1")/$1" --timeout="${2:-180s}"; }
rollouts() { local s; for s in $services; do rolled "$s" || return 1; done; }

# --- fake nodes ---

budgets() { # every budget lets one pod go
  local s
  for s in $services; do
    [ "$(a get pdb "$s" -o jsonpath='{.status.disruptionsAllowed}')" = 1 ] || { echo "$s"; a get pdb "$s" -o yaml; return 1; }
  done
}
replicas() { # COUNT: the scaled services have so many ready pods
  local s
  for s in gateway generation validation parser; do
    [ "$(a get deployment "$s" -o jsonpath='{.status.availableReplicas}')" = "$1" ] || { echo "$s"; return 1; }
  done
}
nodes_of() { a get pods -l "app.kubernetes.io/name=$1" -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort -u | wc -l; }
without() { awk -v drop="$1" 'BEGIN{RS="---\n"; ORS="---\n"} $0 !~ drop'; }

check_fake() {
  ok "the overlay 'local' is applied server-side, strictly, without a warning" apply_clean -k k8s/overlays/local
  ok "every rollout ends" rollouts
  ok "the ingest Job completes" a wait --for=condition=Complete job/ingest-guide --timeout=60s
  ok "an equal apply changes nothing" k diff --server-side -k k8s/overlays/local
  soon 40 "every disruption budget lets one pod go" budgets
  soon 20 "the claims are bound" bash -c '[ "$('"$programs/kubectl"' -n assay get pvc -o jsonpath="{.items[*].status.phase}")" = "Bound Bound Bound" ]'
  ok "the namespace goes" k delete namespace "$namespace" --timeout=120s

  ok "the overlay 'production' is applied" apply_clean -k k8s/overlays/production
  soon 60 "the autoscalers raise every scaled service to three" replicas 3
  ok "every rollout ends" rollouts
  soon 40 "every disruption budget lets one pod go" budgets
  ok "the three gateways are on three nodes" test "$(nodes_of gateway)" = 3
  ok "a restart is taken" a rollout restart deployment/validation
  ok "and rolls out" rolled validation
  local node
  node=$(a get pods -l app.kubernetes.io/name=gateway -o jsonpath='{.items[0].spec.nodeName}')
  ok "a node is drained within the budgets" k drain "$node" --ignore-daemonsets --delete-emptydir-data --timeout=120s
  ok "its pods come up elsewhere" rollouts
  ok "the node is back" k uncordon "$node"

  if "$tools/serve.sh" --crds "$work/crds" >"$work/out" 2>&1 && apply -f "$work/crds" >>"$work/out" 2>&1; then
    k wait --for=condition=Established crd/podmonitors.monitoring.coreos.com --timeout=30s >/dev/null
    k kustomize k8s/tests/everything | without 'apiVersion: cert-manager.io' >"$work/everything.yaml"
    soon 30 "every component together is applied, with the monitors of the Prometheus operator" apply_clean --force-conflicts -f "$work/everything.yaml"
  else
    echo "SKIPPED: no definitions of the Prometheus operator's kinds: $(tail -n 1 "$work/out")"
  fi
}

# --- the real node ---

inside() { nsenter --target "$(cat "$work/state/inside.pid")" --mount --net "$@"; }
outcome() { jq -e "$1" "$work/answer.json"; }
ask() { # KEY QUERY: one question through the Service of the gateway; the code is printed
  inside curl --silent --show-error --max-time 75 --output "$work/answer.json" --write-out '%{http_code}' \
    --header "Authorization: Bearer $1" --json "$(jq -nc --arg q "$2" '{query: $q}')" "http://$front:7100/v1/ask"
}
answered() { [ "$(ask "$user_key" "$1")" = 200 ]; }

record_id='(.audit | objects | .id) // .audit_id' # of an answer, of a rejection, of a failure
# Asks again and again, and writes one line for each answer: time, code, audit id.
load() { # PAUSE
  local body code at
  while :; do
    at=$(date +%s.%N)
    body=$(inside curl --silent --show-error --max-time 75 --write-out '\n%{http_code}' --header "Authorization: Bearer $user_key" \
      --json '{"query":"How do I read a request parameter in AVAP and return it?"}' "http://$front:7100/v1/ask" 2>&1)
    code=${body##*$'\n'}
    body=${body%$'\n'*}
    printf '%s %s %s\n' "$at" "$code" "$(jq -r "$record_id // .code" <<<"$body" 2>/dev/null || tr '\n' ' ' <<<"$body")" >>"$work/load"
    sleep "$1"
  done
}
count() { wc -l <"$work/load"; }
since() { tail -n "+$(($1 + 1))" "$work/load"; }
none_lost() { # MARK: of the answers since then, none is a failure
  since "$1" | awk '$2 != 200 && $2 != 422' >"$work/lost"
  [ ! -s "$work/lost" ] || { echo "$(wc -l <"$work/lost") of $(since "$1" | wc -l) were lost:"; head -n 20 "$work/lost"; return 1; }
}
moved_on() { [ "$(count)" -ge $(($1 + 6)) ]; }

settled() { # no pod of the service is leaving any more
  local leaving
  leaving=$(a get pods -l "app.kubernetes.io/name=$1" -o jsonpath='{.items[*].metadata.deletionTimestamp}') && [ -z "$leaving" ]
}
restart() { # SERVICE: under load, nothing is lost
  local mark start=$SECONDS
  mark=$(count)
  a rollout restart "$(kind_of "$1")/$1" >"$work/out" 2>&1
  ok "$1 restarts" rolled "$1" 240s
  soon 60 "its old pods are gone" settled "$1"
  soon 90 "the load goes on" moved_on "$(count)"
  ok "no request was lost while $1 restarted" none_lost "$mark"
  note "$(since "$mark" | wc -l) answers in $((SECONDS - start)) s"
}

container_of() { # POD: id of its running container, not of its sandbox
  ctr --address "$work/state/node/containerd.sock" --namespace k8s.io containers list -q \
    "labels.\"io.kubernetes.pod.name\"==$1,labels.\"io.cri-containerd.kind\"==container" | while read -r id; do
    ctr --address "$work/state/node/containerd.sock" --namespace k8s.io tasks list | awk -v id="$id" '$1 == id && $3 == "RUNNING" {print id}'
  done
}
kill_container() { # POD: as a crash would
  local id
  id=$(container_of "$1")
  [ -n "$id" ] || { echo "no running container of $1"; return 1; }
  ctr --address "$work/state/node/containerd.sock" --namespace k8s.io tasks kill --signal SIGKILL "$id"
}
answers() { awk '$2 == 200 || $2 == 422 {print $3}' "$work/load" | sort -u; }
recorded() { # every answer of the load has its record
  local id code
  touch "$work/recorded"
  for id in $(answers | grep -vxFf "$work/recorded"); do
    code=$(inside curl --silent --max-time 10 --output /dev/null --write-out '%{http_code}' \
      --header "Authorization: Bearer $review_key" "http://$front:7100/v1/audit/$id")
    [ "$code" = 200 ] || { echo "$id: $code"; return 1; }
    echo "$id" >>"$work/recorded"
  done
}
once() { # no id is listed twice
  # Asking for every record just now may have used up what this key may ask in a minute.
  local try
  for try in $(seq 15); do
    inside "$program" --endpoint "http://$front:7110" --api-key "$review_key" --json audit list --limit 1000 >"$work/list.json" && break
    [ "$try" -lt 15 ] || return 1
    sleep 2
  done
  jq -r '.. | .audit_id? // empty' "$work/list.json" | sort | uniq -d >"$work/twice"
  [ ! -s "$work/twice" ] || { cat "$work/twice"; return 1; }
}

namespace_of_address() { # ADDRESS: the pod's network namespace
  inside sh -c 'for n in $(ip netns list | cut -d " " -f 1); do ip -n "$n" -4 -o address show | grep -q " '"$1"'/" && echo "$n"; done'
}
address_of() { a get pods -l "app.kubernetes.io/name=$1" --field-selector=status.phase=Running -o jsonpath='{.items[0].status.podIP}'; }
dial() { # NETNS ADDRESS PORT
  inside ip netns exec "$1" timeout 5 bash -c "exec 3<>/dev/tcp/$2/$3" 2>/dev/null
}
matrix() { # who reaches whom, asked from inside each pod's own network
  declare -A at net port
  local s from to
  for s in $services; do
    at[$s]=$(address_of "$s") net[$s]=$(namespace_of_address "${at[$s]}")
    port[$s]=$(port_of "$s")
    [ -n "${net[$s]}" ] || { echo "$s has no network"; return 1; }
  done
  at[stranger]=$(a get pod stranger -o jsonpath='{.status.podIP}') net[stranger]=$(namespace_of_address "${at[stranger]}")
  rm -f "$work"/edge.*
  (
    for from in $services stranger; do
      for to in $services; do
        [ "$from" = "$to" ] || { dial "${net[$from]}" "${at[$to]}" "${port[$to]}" && echo "$from --> $to" >"$work/edge.$from.$to"; } &
      done
    done
    wait
  )
  cat "$work"/edge.* 2>/dev/null | sort >"$work/found"
  sed -n 's/^  \([a-z]* --> [a-z]*\)$/\1/p' docs/architecture.md | sort >"$work/specified"
  diff "$work/specified" "$work/found"
}

certificates() { # new ones of the same authority
  "$program" certs --out "$work/certs" --kubernetes --namespace "$namespace" >"$work/certs.yaml" && apply -f "$work/certs.yaml"
}
serial() { openssl x509 -noout -serial; }
renewed() { # every service shows the certificate of its Secret
  local s shown wanted
  for s in $services; do
    [ "$s" = gateway ] && continue
    wanted=$(a get secret "assay-$s-tls" -o jsonpath='{.data.tls\.crt}' | base64 -d | serial)
    shown=$(inside openssl s_client -connect "$(address_of "$s"):$(port_of "$s")" -alpn h2 </dev/null 2>/dev/null | serial)
    [ "$shown" = "$wanted" ] || { echo "$s shows $shown, its Secret has $wanted"; return 1; }
  done
}

secrets() {
  certificates || return 1
  rm -f "$work/keys.toml"
  ingest_key=$("$program" keys create --principal ingest --tenant demo --role ingest --file "$work/keys.toml") || return 1
  user_key=$("$program" keys create --principal user --tenant demo --role ask --file "$work/keys.toml") || return 1
  review_key=$("$program" keys create --principal reviewer --tenant demo --role review,admin,ask --file "$work/keys.toml") || return 1
  a create secret generic assay-gateway-keys --from-file=keys.toml="$work/keys.toml" || return 1
  a create secret generic assay-ingest-key --from-literal=key="$ingest_key"
}
all_ready() { rollouts && a wait --for=condition=Ready pod -l app.kubernetes.io/component=service --timeout=60s; }
describe() { a get pods -o wide; a get events --sort-by=.lastTimestamp | tail -n 15; for s in $services; do echo "--- $s"; a logs "$(kind_of "$s")/$s" --tail=5; done; }

stranger() {
  cat <<YAML
apiVersion: v1
kind: Pod
metadata: {name: stranger, namespace: $namespace}
spec:
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: stranger
      image: localhost/pause:1
      imagePullPolicy: Never
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
YAML
}

check_real() {
  must "the namespace is there" apply -f k8s/base/namespace.yaml
  must "certificates and keys are made and stored as Secrets" secrets
  must "kubectl apply -k k8s/overlays/local" apply_clean -k k8s/overlays/local
  local before=$failed
  ok "every pod is ready" all_ready
  [ "$failed" -eq "$before" ] || { describe; finish 1; }
  note "$SECONDS s after the start"
  ok "the guide is ingested through the gateway" a wait --for=condition=Complete job/ingest-guide --timeout=300s
  [ "$failed" -eq "$before" ] || { a logs job/ingest-guide --tail=20; describe; finish 1; }

  front=$(a get service gateway -o jsonpath='{.spec.clusterIP}')
  soon 60 "a question through the gateway's Service is answered" answered "How do I read a request parameter in AVAP and return it?"
  ok "with sources" outcome '.sources | length > 0'
  ok "a verdict" outcome '.verdict == "PASS" or .verdict == "REVIEW"'
  ok "and a record" outcome "$record_id != null"
  note "$(jq -c '{verdict, outcome, audit, sources: (.sources | length)}' "$work/answer.json")"
  echo "0 200 $(jq -r "$record_id" "$work/answer.json")" >"$work/load"
  soon 30 "that the gateway shows" recorded
  ok "without a key nobody is answered" test "$(ask assay_none x)" = 401
  apply -f <(stranger) >"$work/out" 2>&1
  ok "a pod of no service is there" a wait --for=condition=Ready pod/stranger --timeout=60s
  soon 30 "exactly the calls of the specifications get through, asked from inside every pod" matrix
  refuses "a peer without a certificate is refused" inside "$program" --endpoint "http://$(address_of audit):7105" audit list

  for _ in 1 2 3; do load 0.4 & loads+=($!); done
  soon 60 "three clients ask all the time" moved_on 1
  for s in parser validation generation evaluation gateway retrieval router; do restart "$s"; done

  local mark
  mark=$(count)
  ok "new certificates are stored" certificates
  # The kubelet would look within a minute; a changed pod makes it look now.
  ok "the kubelet is told" a annotate pods --all "assay.test/renewed=$SECONDS"
  soon 120 "every service shows its new certificate without a restart" renewed
  soon 90 "the load goes on" moved_on "$(count)"
  ok "no request was lost meanwhile" none_lost "$mark"

  mark=$(count)
  ok "the audit process is killed" kill_container audit-0
  soon 90 "the load goes on" moved_on "$mark"
  ok "the audit pod is ready again" rolled audit 180s
  ok "the audit pod is deleted" a delete pod audit-0 --timeout=90s
  ok "and ready again" rolled audit 180s
  soon 90 "the load goes on" moved_on "$(count)"
  ok "no request was lost meanwhile" none_lost "$mark"
  for pid in "${loads[@]}"; do kill "$pid"; done; loads=()
  soon 120 "every answer has its record" recorded
  note "$(wc -l <"$work/recorded") answers, as many records"
  ok "and has it once" once
  ok "and the log verifies" inside "$program" --endpoint "http://$front:7110" --api-key "$review_key" audit verify
}

if [ -n "$real" ]; then
  program=${ASSAY_PROGRAM:-}
  for found in target/debug/assay target/release/assay target/x86_64-unknown-linux-gnu/release/assay; do
    [ -n "$program" ] || { [ -x "$found" ] && program=$PWD/$found; }
  done
  [ -n "$program" ] || skip "no real node: build the program first (cargo build -p assay)"
  image=${ASSAY_IMAGE:-target/assay.tar}
  if [ ! -s "$image" ]; then
    tag=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    image=$work/assay.tar
    note "there is no target/assay.tar (make image): $program is packed instead"
    ok "the program is packed" "$tools/serve.sh" --pack "localhost/assay:$tag" "$program" "$image" /assay
  fi
  start --real --image "$image"
  check_real
else
  start --nodes 6
  check_fake
fi
finish 0
