#!/usr/bin/env bash
# check-hosts.sh finds each kind of line that it should find, and passes lines that only look similar.
set -euo pipefail
check=$(cd "$(dirname "$0")" && pwd)/check-hosts.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$work" init -q

# expect STATUS LINE
expect() {
  local code=0
  printf '%s\n' "$2" >"$work/file"
  git -C "$work" add file
  "$check" "$work" 2>/dev/null || code=$?
  [ "$code" -eq "$1" ] || { echo "check-hosts: exit status $code, expected $1, for: $2" >&2; exit 1; }
}
expect 1 'INSERT INTO runs VALUES ("/work/main/build/lib/libdiopi_cpu.so")'
expect 1 'path: /home/someone/library.so'
expect 1 'cp /root/x y'
expect 1 '/builds/group/project/x.cc:12: error'
expect 1 'see /opt/src/diopi/build-asan/tests/worker_test'
expect 1 '"resolved": "https://registry.npmjs.org/vite/-/vite-6.4.6.tgz"'
expect 1 'http://deb.debian.org/debian'
expect 1 'pip install --index-url https://pypi.org/simple'
# shellcheck disable=SC2016  # not expanded on purpose
expect 0 'build="$root/work/x"; cd ./work/y; $HOME/z'
expect 0 'https://www.debian.org and https://docs.kernel.org'
expect 0 'GET /api/home'
expect 0 'build/bin/diopi-agent --impl /path/to/libdiopi_impl.so'
expect 0 '/opt/diopi/bin/diopi-server --data /var/lib/diopi/data'
