#!/usr/bin/env bash
# Whether the performance test finds what is slow, and nothing else, on this machine as it is: compares runs of the
# CPU reference that is slow in three functions with runs in which it is not, and the latter with each other.
# usage: [RUNS=10] bench_performance.sh BUILD_FOLDER [options of diopi-agent]
# BENCH_SHORT=1 compares once, over few functions, and says nothing about the figures.
set -euo pipefail
build=${1:?"usage: bench_performance.sh BUILD_FOLDER [options of diopi-agent]"}
shift
short=${BENCH_SHORT:-}
runs=${RUNS:-${short:+1}}
runs=${runs:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
selection=("$@")
[ ${#selection[@]} -gt 0 ] || [ -z "$short" ] || selection=(--fname softmax exp --dtype float32 --suite smoke
  --performance-seconds 0.02)
[ ${#selection[@]} -gt 0 ] || selection=(--fname softmax layer_norm sort exp add mul sum mean permute cat
  log_softmax batch_norm group_norm gelu sigmoid conv2d linear matmul topk embedding --dtype float32)

# measure SWITCH: runs the agent on the same library with DIOPI_SLOW=SWITCH, prints the run's id.
measure() {
  DIOPI_SLOW=$1 "$build/bin/diopi-agent" --impl "$build/lib/vendors/vendor_slow.so" --data "$work/data" --error-report "$work/errors.csv" --performance \
    "${selection[@]}" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 3; }
  awk '/^Results +run /{ print $3 }' "$work/out"
}

# compared AFTER BEFORE: the names of slower and faster functions, and the noise.
compared() {
  "$build/bin/diopi-cli" performance --data "$work/data" --run "$1" --against "$2" --format json |
    python3 -c 'import json, sys; c = json.load(sys.stdin)["comparison"]; print("noise %.2f, factor %.2f, shared %.2f; slower: %s; faster: %s" % (
      c["noise"], c["factor"], c["shared"], " ".join(c["slower"]) or "none", " ".join(c["faster"]) or "none"))'
}

expected="diopiLayerNorm diopiSoftmax diopiSort"
found=0
quiet=0
for ((i = 1; i <= runs; i++)); do
  first=$(measure '')
  slow=$(measure slow)
  second=$(measure '')
  against_slow=$(compared "$slow" "$first")
  against_itself=$(compared "$second" "$first")
  echo "$i  slow library: $against_slow"
  echo "$i  reference:    $against_itself"
  [[ $against_slow != *"slower: $expected; faster: none" ]] || found=$((found + 1))
  [[ $against_itself != *"slower: none; faster: none" ]] || quiet=$((quiet + 1))
done
echo "the three slow functions and nothing else: $found of $runs; nothing in the reference: $quiet of $runs"
[ -n "$short" ] || { [ "$found" -eq "$runs" ] && [ "$quiet" -eq "$runs" ]; }
