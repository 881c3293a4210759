#!/usr/bin/env bash
# Whole-process benchmarks of the main job, each beside its aim and beside the public Python harness's time
# and memory on the same kind of machine (2 cores; 14,143 cases: 413 s to generate, 848 s to run, 10.5 GB).
# usage: [BENCH_SHORT=1] bench.sh BUILD_FOLDER [verdict [options of diopi-proof verdict] | service [SECTION...] | performance [options of diopi-agent] | door [ATTACK|shared|plain|tls|log...] | explore [options of bench_explore.py] | harness [MODEL...] | large [MIB [REPEAT [MODEL]]] | models [options of bench_models.py] | queries [RUNS CASES] | step [MODEL...] | years [RUNS CASES] | quick | tap | tutorial]
set -euo pipefail
build=${1:?"usage: bench.sh BUILD_FOLDER"}
shift
case "${1:-}" in
  "") ;;
  verdict) exec "$build/bin/diopi-proof" "$@" ;;
  queries) shift && exec "${0%/*}/bench_queries.sh" "$build" "$@" ;;
  years) shift && exec "${0%/*}/bench_years.sh" "$build" "$@" ;;
  quick) exec "${0%/*}/bench_quick.sh" "$build" ;;
  tutorial) cd "${0%/*}/../.." && exec docs/pages_test.py "$(realpath "$build")" --times docs/en/tutorial.md ;;
  harness) shift && PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${0%/*}/../../baselines/crosscheck/per_call.py" "$build" "$@" ;;
  large)
    size=64 repeat=5
    [ -z "${BENCH_SHORT:-}" ] || size=2 repeat=1
    lib=$build/lib/libdiopi_cpu.so
    exec "$build/tools/large_bench" "$lib" "$lib" "${2:-$size}" "${3:-$repeat}" "${@:4}"
    ;;
  models) shift && exec "${0%/*}/bench_models.py" "$build" "$@" ;;
  tap) exec "${0%/*}/bench_tap.sh" "$build" ;;
  explore) shift && exec "${0%/*}/bench_explore.py" "$build" "$@" ;;
  step) shift && exec "${0%/*}/bench_step.sh" "$build" "$@" ;;
  performance) shift && exec "${0%/*}/bench_performance.sh" "$build" "$@" ;;
  door) shift && exec "$build/tools/door_bench" "${DOOR_SECONDS:-${BENCH_SHORT:+0.}5}" "$@" ;;
  service) shift && exec "${0%/*}/bench_service.sh" "$build" "$@" ;;
  *) echo "bench.sh: unknown benchmark '$1'; there are: door, explore, harness, large, models, performance, queries, quick, service, step, tap, tutorial, verdict, years" >&2; exit 2 ;;
esac
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
runs=$(choose 5 1)
selection=()
[ -z "$short" ] || selection=(--fname add)

# The median seconds of $runs runs of a command, after a warm-up run.
median_seconds() {
  local i
  timed "$@"
  for ((i = 0; i < runs; i++)); do
    timed "$@"
    echo "$seconds"
  done | median
}

# Peak resident memory of each of our processes that a command starts: NAME KIB, the kernel's own VmHWM.
peaks() {
  "$@" >"$work/out" 2>&1 &
  local pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    { cat /proc/[0-9]*/stat 2>/dev/null || true; } |
      awk -v root="$pid" '{ id = $1; sub(/^.*\) /, ""); parent[id] = $2 }
        END { for (id in parent) for (at = id; at > 1; at = parent[at]) if (at == root) { print id; break } }' |
      while read -r process; do
        awk '/^Name:/ { n = $2 } /^VmHWM:/ { if (n ~ /^diopi-/) print n, $2 }' "/proc/$process/status" 2>/dev/null || true
      done
    sleep 0.02
  done | sort -k1,1 -k2,2nr | awk '!seen[$1]++'
  wait "$pid"
}

cases() { "$bin/diopi-cli" list --count "$@"; }

total=$(cases "${selection[@]}")
add=$(cases --fname add)
describe_machine "; suite core: $total cases"

if [ -x "$tools/compare_bench" ]; then
  echo "== comparator"
  "$tools/compare_bench" --benchmark_min_time=0.2 \
    --benchmark_filter="$(choose . float32_noisy)" 2>"$work/out" || failed $? compare_bench
else
  echo "== comparator: left out, Google Benchmark was not found by the build"
fi

echo "== whole processes, medians of $runs runs"
gen_seconds=$(for ((i = 0; i < $(choose 3 1); i++)); do
  rm -rf "$work/gen"
  timed "$bin/diopi-cli" gen --data "$work/gen" "${selection[@]}"
  echo "$seconds"
done | median)
row "gen, core" "$(ratio "$total" "$gen_seconds")" cases/s 300 1 "harness 34.2 (14,143 in 413 s)"

agent=("$bin/diopi-agent" --impl "$lib" --data "$work/gen" --chip bench --quiet --error-report "$work/error_report.csv"
  "${selection[@]}")
core_seconds=$(median_seconds "${agent[@]}")
row "agent, core, 1 worker" "$(ratio "$total" "$core_seconds")" cases/s 1000 1 "harness 16.7"
core2_seconds=$(median_seconds "${agent[@]}" --workers 2)
row "agent, core, 2 workers" "$(ratio "$total" "$core2_seconds")" cases/s 1000 1 "harness 16.7"
add_seconds=$(median_seconds "${agent[@]}" --fname add)
row "agent --fname add ($add cases), warm store" "$add_seconds" s 0.5 0 "harness 2.4 s for 106 cases, 6.3 s with generation"

while read -r name kib; do
  row "peak memory of $name" "$(ratio "$kib" 1024)" MiB 300 0 "harness 10,500"
done < <(peaks "${agent[@]}"; peaks "$bin/diopi-cli" gen --force --data "$work/gen" "${selection[@]}")
