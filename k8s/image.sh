#!/usr/bin/env bash
# Builds the image of the manifests as an archive, without a registry: target/assay.tar, which `docker load`,
# `podman load` and `ctr images import` take.
# usage: image.sh PROGRAM [ARCHIVE]     (PROGRAM is a static binary)
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1
archive=${2:-target/assay.tar}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=localhost/assay:$version
fail() { echo "image.sh: $*" >&2; exit 1; }

[ -x "$program" ] || fail "there is no program at $program"
if readelf -l "$program" 2>/dev/null | grep -q INTERP; then
  fail "$program wants a dynamic linker, which the image does not have; build it with RUSTFLAGS='-C target-feature=+crt-static'"
fi
context=target/image
rm -rf "$context"
mkdir -p "$context"
install -m 755 "$program" "$context/assay"
for bundle in "${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
  [ -n "$bundle" ] && [ -s "$bundle" ] && { install -m 644 "$bundle" "$context/ca-certificates.crt"; break; }
done
if [ ! -s "$context/ca-certificates.crt" ]; then
  echo "image.sh: no certificate authorities on this machine: the image will trust no model server over HTTPS" >&2
  : >"$context/ca-certificates.crt"
fi
rm -f "$archive"
if command -v buildah >/dev/null; then
  storage=$(mktemp -d)
  trap 'rm -rf "$storage"' EXIT
  run() { buildah --root "$storage/root" --runroot "$storage/run" --storage-driver vfs "$@"; }
  run bud --isolation chroot --quiet -t "$name" -f Dockerfile "$context" >/dev/null
  run push --quiet "$name" "docker-archive:$archive:$name"
elif command -v podman >/dev/null; then
  podman build --quiet -t "$name" -f Dockerfile "$context" >/dev/null
  podman save --quiet --format docker-archive -o "$archive" "$name"
elif docker info >/dev/null 2>&1; then
  docker build --quiet -t "$name" -f Dockerfile "$context" >/dev/null
  docker save -o "$archive" "$name"
else
  fail "buildah, podman or a running docker is needed"
fi
echo "$name in $archive ($(du -h "$archive" | cut -f 1))"
