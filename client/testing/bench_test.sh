#!/usr/bin/env bash
# Runs every benchmark script once in its short form: each must end with status 0 and print its rows, and a benchmark
# program that fails must end the script with its error.
# usage: bench_test.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "${1:?"usage: bench_test.sh BUILD_FOLDER"}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BENCH_SHORT=1

fail() {
  cat "$work/out" "$work/err" >&2
  echo "bench_test: $*" >&2
  exit 1
}

# expect ROWS COMMAND...: exit status 0 (or 1: a limit was missed, which may happen on a busy machine) and at
# least ROWS rows.
expect() {
  local rows=$1 code=0
  shift
  "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" -le 1 ] || fail "exit status $code: $*"
  [ "$(grep -cE '[0-9]' "$work/out")" -ge "$rows" ] || fail "fewer than $rows rows: $*"
}

expect 8 "$here/bench.sh" "$build"
for program in agent server worker cli; do
  grep -q "^peak memory of diopi-$program " "$work/out" || fail "no peak memory of diopi-$program"
done
expect 8 "$here/bench.sh" "$build" quick
expect 8 "$here/bench.sh" "$build" queries
expect 11 "$here/bench.sh" "$build" tap
expect 3 "$here/bench.sh" "$build" performance
expect 2 "$here/bench.sh" "$build" step
expect 4 "$here/bench.sh" "$build" explore
expect 7 "$here/bench.sh" "$build" large
if /usr/bin/python3 -c 'import h5py, torch' 2>/dev/null; then expect 3 "$here/bench.sh" "$build" harness; fi
expect 1 "$here/bench.sh" "$build" models crnn
expect 12 "$here/bench.sh" "$build" service
expect 4 "$here/bench.sh" "$build" door reset
expect 20 "$here/bench.sh" "$build" years
grep -q '^vacuum ' "$work/out" || fail "no row of vacuum"
expect 1 "$here/bench.sh" "$build" verdict --fname sgn --seeds 1
grep -q '^injected bugs caught' "$work/out" || fail "no line 'injected bugs caught'"

# A build whose comparator benchmark fails.
mkdir -p "$work/broken/tools"
ln -s "$build/bin" "$build/lib" "$work/broken/"
printf '#!/bin/sh\necho "compare_bench: no such option" >&2\nexit 2\n' >"$work/broken/tools/compare_bench"
chmod +x "$work/broken/tools/compare_bench"
code=0
"$here/bench.sh" "$work/broken" >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 3 ] || fail "a failing benchmark program: exit status $code, expected 3"
grep -q 'no such option' "$work/err" || fail "a failing benchmark program: its error is not shown"
