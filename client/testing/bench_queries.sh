#!/usr/bin/env bash
# The dashboards' queries on a generated database: 200 runs of 5,000 cases on 4 chips, a million verdicts. Every
# median must stay below 100 ms.
# usage: bench_queries.sh BUILD_FOLDER [RUNS CASES CHIPS]; 2000 5000 shows the growth to ten million (6 GB, minutes), 228
# 5000 114 a large lab
set -euo pipefail
build=${1:?"usage: bench_queries.sh BUILD_FOLDER [RUNS CASES CHIPS]"}
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
runs=${2:-$(choose 200 8)}
cases=${3:-$(choose 5000 50)}

status=0
{ "$tools/query_bench" "$work" "$runs" "$cases" 11 "${4:-4}" || status=$?; } >"$work/out"
[ "$status" -le 1 ] || exit "$status"
{ "$tools/model_bench" "$work" || status=$?; } >>"$work/out"
[ "$status" -le 1 ] || exit "$status"
awk '/^made/ { print; next }
     { name = substr($0, 1, 32)
       median = $(NF - 2)
       printf "%s %10.2f ms  limit %6.0f  ratio to limit %6.2f   slowest %.2f ms\n", name, median, 100,
         100 / (median > 0.01 ? median : 0.01), $NF }' "$work/out"
exit "$status"
