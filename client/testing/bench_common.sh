#!/usr/bin/env bash
# Shared by the benchmark scripts. Sourced after $build is set; makes $work, a folder that is removed at the
# end. BENCH_SHORT=1 runs everything once at its smallest size, to check that the scripts work: its figures
# mean nothing.
# shellcheck disable=SC2034,SC2154  # variables of, and for, the scripts that source this file
bin=$build/bin
tools=$build/tools
lib=$build/lib/libdiopi_cpu.so
short=${BENCH_SHORT:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# choose FULL SHORT: the value for this form of the benchmark.
choose() { if [ -n "$short" ]; then echo "$2"; else echo "$1"; fi; }

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.3f\n", b - a }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ran COMMAND...: discards the command's output. The command may exit with 0 or 1; any other status ends the
# script with a message.
ran() {
  local code=0
  "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" -le 1 ] || failed "$code" "$@"
}
failed() {
  tail -n 20 "$work/out" >&2
  echo "bench: exit status $1: ${*:2}" >&2
  exit 3
}

# timed COMMAND...: sets $seconds. The command must exit with 0.
timed() {
  local start
  start=$(now)
  "$@" >"$work/out" 2>&1 || failed $? "$@"
  seconds=$(since "$start")
}

# row NAME VALUE UNIT AIM MORE_IS_BETTER(1|0) [WORDS]
row() {
  awk -v name="$1" -v value="$2" -v unit="$3" -v aim="$4" -v more="$5" -v words="${6:-}" 'BEGIN {
    ratio = more ? value / aim : aim / value
    printf "%-50s %10.2f %-8s aim %8.2f  ratio to aim %6.2f   %s\n", name, value, unit, aim, ratio, words }'
}

# plain NAME VALUE UNIT [WORDS]: a figure without an aim
plain() {
  awk -v name="$1" -v value="$2" -v unit="$3" -v words="${4:-}" 'BEGIN {
    printf "%-50s %10.2f %-8s no aim %22s   %s\n", name, value, unit, "", words }'
}

describe_machine() { echo "machine: $(nproc) cores, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)$1"; }
