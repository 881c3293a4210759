#!/usr/bin/env bash
# Whole-process benchmarks of the main job, each beside its aim and beside what the public Python harness
# needs on the same kind of machine (2 cores; 14,143 cases: 413 s to generate, 848 s to run, 10.5 GB).
# usage: bench.sh BUILD_FOLDER [verdict [options of diopi-proof verdict] | service [SECTION...] | queries [RUNS CASES] | quick]
set -euo pipefail
build=${1:?"usage: bench.sh BUILD_FOLDER"}
bin=$build/bin
lib=$build/lib/libdiopi_cpu.so
shift
case "${1:-}" in
  "") ;;
  verdict) exec "$bin/diopi-proof" "$@" ;;
  queries) shift && exec "${0%/*}/bench_queries.sh" "$build" "$@" ;;
  quick) exec "${0%/*}/bench_quick.sh" "$build" ;;
  service) shift && exec "${0%/*}/bench_service.sh" "$build" "$@" ;;
  *) echo "bench.sh: unknown benchmark '$1'; there are: queries, quick, service, verdict" >&2; exit 2 ;;
esac
runs=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

now() { date +%s.%N; }

# Runs a command, its output thrown away; leaves the seconds in $seconds. A failing command ends the script.
timed() {
  local start
  start=$(now)
  "$@" >"$work/out" 2>&1 || { tail -n 20 "$work/out" >&2; echo "bench: failed: $*" >&2; exit 3; }
  seconds=$(awk -v a="$start" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }')
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The median seconds of $runs runs of a command, after one that is not counted.
median_seconds() {
  local i
  timed "$@"
  for ((i = 0; i < runs; i++)); do
    timed "$@"
    echo "$seconds"
  done | median
}

# Peak resident memory of each of our processes in a command's session: NAME KIB, the kernel's own VmHWM.
peaks() {
  setsid "$@" >"$work/out" 2>&1 &
  local pid=$! folder
  while kill -0 "$pid" 2>/dev/null; do
    for folder in /proc/[0-9]*; do
      awk -v session="$pid" '{ sub(/^.*\) /, ""); exit $4 != session }' "$folder/stat" 2>/dev/null || continue
      awk '/^Name:/ { n = $2 } /^VmHWM:/ { if (n ~ /^diopi-/) print n, $2 }' "$folder/status" 2>/dev/null || true
    done
    sleep 0.02
  done | sort -k1,1 -k2,2nr | awk '!seen[$1]++'
  wait "$pid"
}

# figure, unit, aim, whether more is better, what the public harness shows
row() {
  awk -v name="$1" -v value="$2" -v unit="$3" -v aim="$4" -v more="$5" -v rival="$6" 'BEGIN {
    ratio = more ? value / aim : aim / value
    printf "%-44s %10.2f %-8s aim %8.2f  ratio to aim %6.2f   %s\n", name, value, unit, aim, ratio, rival }'
}

cases() { "$bin/diopi-cli" list --count "$@"; }

total=$(cases)
add=$(cases --fname add)
echo "machine: $(nproc) cores, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo); suite core: $total cases"

for program in "$build"/tests/*_bench "$bin"/*_bench; do
  [ -x "$program" ] || continue
  echo "== ${program##*/}"
  "$program" --benchmark_min_time=0.2 2>/dev/null
done

echo "== whole processes, medians of $runs runs"
gen_seconds=$(for ((i = 0; i < 3; i++)); do
  rm -rf "$work/gen"
  timed "$bin/diopi-cli" gen --data "$work/gen"
  echo "$seconds"
done | median)
row "gen, core" "$(awk -v n="$total" -v s="$gen_seconds" 'BEGIN { print n / s }')" cases/s 300 1 "harness 34.2 (14,143 in 413 s)"

agent=("$bin/diopi-agent" --impl "$lib" --data "$work/gen" --chip bench --quiet --error-report "$work/error_report.csv")
core_seconds=$(median_seconds "${agent[@]}")
row "agent, core, 1 worker" "$(awk -v n="$total" -v s="$core_seconds" 'BEGIN { print n / s }')" cases/s 1000 1 "harness 16.7"
core2_seconds=$(median_seconds "${agent[@]}" --workers 2)
row "agent, core, 2 workers" "$(awk -v n="$total" -v s="$core2_seconds" 'BEGIN { print n / s }')" cases/s 1000 1 "harness 16.7"
add_seconds=$(median_seconds "${agent[@]}" --fname add)
row "agent --fname add ($add cases), warm store" "$add_seconds" s 0.5 0 "harness 2.4 s for 106 cases, 6.3 s with generation"

while read -r name kib; do
  row "peak memory of $name" "$(awk -v k="$kib" 'BEGIN { print k / 1024 }')" MiB 300 0 "harness 10,500"
done < <(peaks "${agent[@]}"; peaks "$bin/diopi-cli" gen --force --data "$work/gen")
