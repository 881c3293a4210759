#!/usr/bin/env bash
# What the tap costs a call: idle, beside the call of a library that does nothing, and with each tool, in a host that trains
# a small transformer block on the CPU reference.
# usage: bench_tap.sh BUILD_FOLDER
set -euo pipefail
build=${1:?"usage: bench_tap.sh BUILD_FOLDER"}
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
tap=$build/lib/libdiopi_tap.so
steps=$(choose 200 2)
describe_machine ""

read -r direct tapped < <("$tools/tap_bench" "$tap" "$build/lib/vendors/vendor_nothing.so")
row "a call through an idle tap, added" "$(awk -v a="$direct" -v b="$tapped" 'BEGIN { print (b > a) ? b - a : 0.01 }')" ns 200 0 \
  "direct $direct ns, through the tap $tapped ns"

host=("$tools/tap_host" "$tap" transformer)
export DIOPI_TAP_IMPL=$lib DIOPI_TAP_CAPTURE=$work/capture
calls=$(DIPU_DUMP_OP_ARGS=1 "${host[@]}" 1 2>&1 >/dev/null | grep -c 'diopi_tap: diopi')
# microseconds STEPS [SETTING...]: the time of a call, start and end of the host left out.
microseconds() {
  local count=$1 short long
  shift
  timed env "$@" "${host[@]}" 1
  short=$seconds
  rm -rf "$work/capture"
  timed env "$@" "${host[@]}" $((count + 1))
  long=$seconds
  rm -rf "$work/capture"
  awk -v a="$short" -v b="$long" -v n="$((count * calls))" 'BEGIN { printf "%.3f\n", (b - a) * 1e6 / n }'
}
forwarded=$(microseconds $((steps * 10)) DIOPI_TAP_TRACE=)
plain "a call, forwarded" "$forwarded" us "$calls calls a step"
tool() {
  local name=$1 count=$2
  shift 2
  plain "added by $name" "$(awk -v a="$forwarded" -v b="$(microseconds "$count" "$@")" 'BEGIN { print b - a }')" us "$*"
}
tool "names of called functions" $((steps * 10)) "DIOPI_TAP_CALLED=$work/called"
tool "time" "$steps" OP_TIME_MEASURE_LIST=.*
tool "time and trace" "$steps" "DIOPI_TAP_TRACE=$work/trace.json"
tool "memory" "$steps" DIOPI_TAP_MEMORY=1
tool "capture, first of each signature" "$steps" OP_CAPTURE_LIST=.*
tool "capture, every call" "$((steps / 10 + 1))" OP_CAPTURE_LIST=.* DIOPI_TAP_EVERY_CALL=1
tool "compare, first of each signature" "$steps" OP_AUTOCOMPARE_LIST=.*
tool "compare, every call" "$((steps / 10 + 1))" OP_AUTOCOMPARE_LIST=.* DIOPI_TAP_EVERY_CALL=1
tool "fall back, every call" "$((steps / 10 + 1))" OP_FALLBACK_LIST=.*
