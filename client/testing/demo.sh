#!/usr/bin/env bash
# The demo: generates baselines, serves them, tests a good and a faulty vendor library, prints the report.
# usage: demo.sh BUILD_FOLDER [DATA_FOLDER]
set -euo pipefail
build=${1:?"usage: demo.sh BUILD_FOLDER [DATA_FOLDER]"}
data=${2:-$PWD/diopi-data}
bin=$build/bin
mkdir -p "$data"

say() { printf '\n== %s\n' "$*"; }

# An agent's run: exit 1 only says that something failed, which is what a faulty library is for.
run_agent() {
  local status=0
  "$bin/diopi-agent" --server "$address" --quiet "$@" || status=$?
  [ "$status" -le 1 ] || { echo "demo: the agent ended with exit status $status" >&2; exit 3; }
}

say "Generating baselines into $data"
"$bin/diopi-cli" gen --data "$data"

say "Starting the server"
ready=$(mktemp -u)
mkfifo "$ready"
"$bin/diopi-server" --data "$data" --listen 127.0.0.1:0 --log-level warn --ready-fd 3 3>"$ready" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$ready"' EXIT
read -r _ address <"$ready"
echo "serving on $address"

say "A good vendor library: $build/lib/libdiopi_cpu.so"
run_agent --impl "$build/lib/libdiopi_cpu.so" --chip demo-good --error-report "$data/error_report_good.csv"

say "A faulty vendor library: $build/lib/vendors/libdiopi_faulty.so"
run_agent --impl "$build/lib/vendors/libdiopi_faulty.so" --chip demo-faulty --timeout-s 2 \
  --error-report "$data/error_report_faulty.csv"

say "Report of the faulty library"
"$bin/diopi-cli" report --data "$data" --run latest --format text

say "Files"
echo "results database      $data/results.db"
echo "baselines             $data/baselines/cpu"
echo "error reports         $data/error_report_good.csv, $data/error_report_faulty.csv"
echo "read them again with  $bin/diopi-cli report --data $data --run latest"
