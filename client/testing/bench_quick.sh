#!/usr/bin/env bash
# The quick path of a pull request as whole processes: each should take at most a second. Medians of RUNS (5)
# runs after a warm-up run, in a data folder that has its baselines.
# usage: bench_quick.sh BUILD_FOLDER
set -euo pipefail
build=${1:?"usage: bench_quick.sh BUILD_FOLDER"}
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
runs=${RUNS:-$(choose 5 1)}
limit=1
selection=()
[ -z "$short" ] || selection=(--fname add diopiNeg)

server=
watcher=
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  for pid in $server $watcher; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap clean_up EXIT

# quick_row NAME SECONDS PROCESSOR_SECONDS|- [WORDS]: processor seconds tell a slow program from a busy machine.
quick_row() {
  awk -v name="$1" -v seconds="$2" -v cpu="$3" -v limit="$limit" -v words="${4:-}" 'BEGIN {
    printf "%-48s %6.3f s  processor %5s s  limit %4.2f s  ratio to limit %5.2f   %s\n", name, seconds,
      cpu == "-" ? cpu : sprintf("%.2f", cpu), limit, seconds / limit, words }'
}

# measure NAME WORDS COMMAND...
measure() {
  local name=$1 words=$2 i TIMEFORMAT='%R %U %S'
  shift 2
  ran "$@"
  for ((i = 0; i < runs; i++)); do time ran "$@"; done 2>"$work/times"
  quick_row "$name" "$(awk '{ print $1 }' "$work/times" | median)" "$(awk '{ print $2 + $3 }' "$work/times" | median)" \
    "$words"
}

# Reads descriptor $1 up to a line that begins with $2.
wait_for() {
  local line
  while IFS= read -r line <&"$1"; do
    [[ $line != "$2"* ]] || return 0
  done
  echo "bench: no line '$2' came" >&2
  exit 3
}

describe_machine ""
data=$work/data
ran "$bin/diopi-cli" gen --data "$data" --quiet "${selection[@]}"
agent=("$bin/diopi-agent" --data "$data" --chip bench --quiet --error-report "$work/error_report.csv")
count() { "$bin/diopi-cli" list --count "$@"; }

measure "agent --fname add" "$(count --fname add) cases" "${agent[@]}" --impl "$lib" --fname add
echo diopiNeg >"$work/one"
measure "agent --changed-functions, one function" "$(count --fname diopiNeg) cases" \
  "${agent[@]}" --impl "$lib" --changed-functions "$work/one"
eight=(diopiAdd diopiSub diopiMul diopiDiv diopiNeg diopiExp diopiSoftmax diopiBatchNorm)
[ -z "$short" ] || eight=(diopiAdd diopiNeg)
printf '%s\n' "${eight[@]}" >"$work/eight"
measure "agent --changed-functions, eight functions" "$(count --fname "${eight[@]}") cases" \
  "${agent[@]}" --impl "$lib" --changed-functions "$work/eight"
measure "agent --changed-since, nothing changed" "" "${agent[@]}" --impl "$lib" --changed-since "$lib"

# --watch: the time from the replacement of the library to the line that says what changed.
cp "$lib" "$work/watched.so"
cp "$lib" "$work/other.so"
printf 'x' >>"$work/other.so"  # other bytes, the same code
mkfifo "$work/watch"
"${agent[@]}" --impl "$work/watched.so" --fname add --watch >"$work/watch" 2>"$work/watch.err" &
watcher=$!
exec 3<"$work/watch"
wait_for 3 Watching
for ((i = 0; i <= runs; i++)); do
  if ((i % 2 == 0)); then cp "$work/other.so" "$work/new.so"; else cp "$lib" "$work/new.so"; fi
  start=$(now)
  mv "$work/new.so" "$work/watched.so"
  wait_for 3 Changed
  since "$start"
  wait_for 3 Watching
done | tail -n "$runs" >"$work/seconds"  # the first is not counted
quick_row "agent --fname add --watch, library replaced" "$(median <"$work/seconds")" - "to the line that says what changed"
kill -INT "$watcher"
wait "$watcher" || true
watcher=
exec 3<&-

# The gate, on the folder and on a server: the run of add, and the whole suite against an earlier complete
# run.
coproc SERVER { exec "$bin/diopi-server" --data "$data" --listen 127.0.0.1:0 --ready-fd 1 --log-level off 2>/dev/null; }
server=$SERVER_PID
read -r _ address <&"${SERVER[0]}"
gate=("$bin/diopi-cli" gate --expect "$work/expect.txt")
: >"$work/expect.txt"
ran "${agent[@]}" --impl "$lib" --fname add
measure "gate --expect, the run of add" "" "${gate[@]}" --data "$data"
measure "gate --expect --server, the run of add" "" "${gate[@]}" --server "$address"
for _ in 1 2; do ran "${agent[@]}" --impl "$lib" --workers 2 "${selection[@]}"; done
measure "gate --against last-green, suite core" "$(count) cases twice" "${gate[@]}" --data "$data" --against last-green
measure "gate --against last-green --server, suite core" "$(count) cases twice" \
  "${gate[@]}" --server "$address" --against last-green
