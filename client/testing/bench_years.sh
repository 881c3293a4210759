#!/usr/bin/env bash
# A results database over a year: the size of a verdict, the dashboards' queries, a prune, a vacuum, and an upgrade from
# schema version 1. Goal: less than 150 bytes per verdict.
# usage: bench_years.sh BUILD_FOLDER [RUNS CASES]; 365 100000 is a year of core every night, 36.5 million verdicts
set -euo pipefail
build=${1:?"usage: bench_years.sh BUILD_FOLDER [RUNS CASES]"}
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
runs=${2:-$(choose 60 8)}
cases=${3:-$(choose 100000 200)}
sources=$(cd "${0%/*}/../.." && pwd)

describe_machine "; $runs runs of $cases cases"
# 1: a median was above its limit, which is for runs of 5,000 cases.
"$tools/query_bench" "$work" "$runs" "$cases" "$(choose 5 1)" >"$work/out" || [ $? -eq 1 ] || failed $? query_bench
bytes=$(awk '/^made/ { print $(NF - 3) }' "$work/out")
sed 's/^/  /' "$work/out"
row "results.db, per verdict" "$bytes" bytes 150 0

timed "$bin/diopi-cli" prune --data "$work" --keep 1 --dry-run
plain "prune --keep 1 --dry-run" "$seconds" s "$(tail -n 1 "$work/out")"
timed "$bin/diopi-cli" archive latest --data "$work" --to "$work/archive.db"
plain "archive of a run" "$seconds" s "$(tail -n 1 "$work/out")"
timed "$bin/diopi-cli" prune --data "$work" --keep 1 --yes
plain "prune --keep 1" "$seconds" s "$(tail -n 1 "$work/out")"
timed "$bin/diopi-cli" vacuum --data "$work"
plain "vacuum" "$seconds" s "$(tail -n 1 "$work/out")"
timed "$bin/diopi-server" check --data "$work"
plain "check of the remaining runs" "$seconds" s "$(tail -n 1 "$work/out")"

mkdir "$work/old"
timed "$tools/upgrade_bench" "$work/old" "$sources/server/store/testdata/version_1.sql" "$(choose 10 2)" "$cases"
plain "upgrade from version 1" "$seconds" s "$(tail -n 1 "$work/out")"
