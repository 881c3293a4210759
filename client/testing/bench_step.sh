#!/usr/bin/env bash
# The time of a model's step that `diopi-cli performance` estimates from a run (medians of calls in workers times how often a
# step makes them), beside the measured sum: the same calls, each as often as a step makes it, in one process.
# usage: bench_step.sh BUILD_FOLDER [MODEL[@SETTINGS]...]     default: a training step of ResNet-50 with two images, a decoding
# step of Llama 3 8B with one request
set -euo pipefail
build=${1:?"usage: bench_step.sh BUILD_FOLDER [MODEL...]"}
shift
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(resnet50_step@batch=2 llama3_8b@stage=decode@requests=1)
[ -z "$short" ] || models=(llama3_8b@stage=decode@requests=1@hidden=64@inter=64@vocab=64@layers=2@context=16)

describe_machine ""
for model in "${models[@]}"; do
  ran "$bin/diopi-agent" --impl "$lib" --data "$work/data" --error-report "$work/errors.csv" --model "$model" --max-bytes 16K \
    --performance --timeout-s 600
  "$bin/diopi-cli" performance --data "$work/data" --models --format csv --output "$work/steps.csv"
  "$tools/step_bench" "$lib" "$lib" "$model" >"$work/measured"
  # model,stage,ms,low,high,"N of M",operators
  python3 - "$work/steps.csv" "$work/measured" <<'PYTHON'
import csv
import sys

measured = {}
for line in open(sys.argv[2]):
    stage, calls, seconds = line.split()
    measured[stage] = (int(calls), float(seconds) * 1e3)
for row in csv.DictReader(open(sys.argv[1])):
    calls, ms = measured[row["stage"]]
    print("%-16s %-8s estimated %s ms (%s to %s, %s calls measured), measured in one process %.1f ms (%d calls): ratio %.3f" % (
        row["model"], row["stage"], row["ms"], row["low"], row["high"], row["measured"], ms, calls, float(row["ms"]) / ms))
PYTHON
done
