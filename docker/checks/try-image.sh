#!/usr/bin/env bash
# Tries the images without a Docker engine: makes them with try_image.py, then lets server and agents work together
# as docker/deploy does: non-root, read-only root, tokens, TLS. Needs root, debootstrap, openssl and Debian's mirror.
# usage: try-image.sh WORK_FOLDER [PREFIX]
#   PREFIX  holds opt/server, opt/agent and opt/demo made by `./run install`: taken for the stage `build`, which
#           otherwise compiles everything anew (a quarter of an hour and more)
set -euo pipefail
work=$(realpath -m "${1:?"usage: try-image.sh WORK_FOLDER [PREFIX]"}")
checks=$(cd "$(dirname "$0")" && pwd)
image=$checks/try_image.py

if [ "${DIOPI_TRY_INSIDE:-}" != yes ]; then
  "$image" build --work "$work" ${2:+--given "build=$2"} server agent-demo
  # A network of its own, with loopback only: 0.0.0.0 is nobody else's there.
  DIOPI_TRY_INSIDE=yes exec unshare --net "$0" "$@"
fi
/usr/bin/python3 - <<'PYTHON'
import fcntl, socket, struct  # `ip link set lo up`, without iproute2
with socket.socket() as s:
    fcntl.ioctl(s, 0x8914, struct.pack('16sh14x', b'lo', 0x1 | 0x40))
PYTHON

trial=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$trial"
}
trap cleanup EXIT
mkdir "$trial"/{data,cache,reports,secrets}
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout "$trial/secrets/tls.key" -out "$trial/secrets/tls.crt" 2>/dev/null
chown -R 65532:65532 "$trial"
chmod 755 "$trial"

volumes=(--volume "$trial/data:/var/lib/diopi/data" --volume "$trial/cache:/var/lib/diopi/cache"
  --volume "$trial/reports:/var/lib/diopi/reports" --volume "$trial/secrets:/mnt")
start=("$image" run --work "$work" --read-only "${volumes[@]}")
in_image() { "${start[@]}" "$@"; }
expect() { # expect STATUS WHAT COMMAND...
  local wanted=$1 what=$2 status=0
  shift 2
  "$@" >"$trial/out" 2>&1 || status=$?
  if [ "$status" -ne "$wanted" ]; then
    tail -n 20 "$trial/out" | cut -c1-300 >&2
    echo "try-image: $what: exit status $status, expected $wanted" >&2
    exit 1
  fi
  echo "try-image: $what: as expected (exit status $status)"
}
said() { # the last command's output has this
  grep -q -- "$1" "$trial/out" || { echo "try-image: it did not say '$1' but:" >&2; cut -c1-300 "$trial/out" >&2; exit 1; }
}
newest_runs() { in_image --entrypoint /opt/diopi/bin/diopi-cli server runs | awk '/^[^ ]/{print $1}' | head -n "$1"; }

cli=/opt/diopi/bin/diopi-cli
expect 0 "baselines" in_image --entrypoint "$cli" server gen --fname add,relu
expect 2 "a server for others without TLS is refused" in_image server
said "use --tls-cert and --tls-key"
expect 1 "the health check fails while nothing serves" in_image --health server
"${start[@]}" server --listen 0.0.0.0:7410 --http 0.0.0.0:7411 --http-remote --require-token --log-level warn \
  --tls-cert /mnt/tls.crt --tls-key /mnt/tls.key 2>"$trial/server.log" &
server=$!
deadline=$((SECONDS + 60))
until in_image --health server 2>/dev/null; do
  [ $SECONDS -lt $deadline ] || { cut -c1-300 "$trial/server.log" >&2; echo "try-image: never healthy" >&2; exit 1; }
  kill -0 "$server" 2>/dev/null || { cut -c1-300 "$trial/server.log" >&2; echo "try-image: no server" >&2; exit 1; }
done
expect 0 "the health check" in_image --health server
in_image --entrypoint /opt/diopi/bin/diopi-server server token add --name agents --role run >"$trial/secrets/token"

agent() { in_image agent-demo --server localhost:7410 --tls-ca /mnt/tls.crt --token-file /mnt/token --quiet "$@"; }
expect 3 "an agent without a token" in_image agent-demo --server localhost:7410 --tls-ca /mnt/tls.crt \
  --impl /opt/diopi/lib/libdiopi_cpu.so --fname add
said token
for index in 0 1; do
  expect 0 "the good library, shard $index of 2" agent --impl /opt/diopi/lib/libdiopi_cpu.so --chip demo-good \
    --fname add,relu --shard-index $index --shard-count 2
done
mapfile -t shards < <(newest_runs 2)
expect 0 "merging" in_image --entrypoint "$cli" server merge "${shards[@]}"
expect 1 "the faulty library" agent --impl /opt/diopi/lib/demo/libdiopi_faulty.so --chip demo-faulty --fname add,relu
expect 0 "an agent with a server of its own" in_image agent-demo --impl /opt/diopi/lib/libdiopi_cpu.so \
  --fname relu --data /var/lib/diopi/cache/own --quiet
kill -TERM "$server"
status=0
wait "$server" || status=$?
server=
[ "$status" -eq 0 ] || { echo "try-image: SIGTERM: exit status $status" >&2; exit 1; }
echo "try-image: the server ends on SIGTERM"
expect 0 "the data afterwards" in_image --entrypoint /opt/diopi/bin/diopi-server server check
echo "try-image: passed"
