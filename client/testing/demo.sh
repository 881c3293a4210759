#!/usr/bin/env bash
# The demo: generates the baselines of suite smoke, serves them, tests an early, a faulty and a good vendor library on two
# chips, prints reports and the address of the dashboard.
# usage: demo.sh BUILD_FOLDER [--keep] [DATA_FOLDER]      --keep: leave the server running until Ctrl-C
# DEMO_SELECTION: other cases than "--suite smoke", for the test
set -euo pipefail
usage="usage: demo.sh BUILD_FOLDER [--keep] [DATA_FOLDER]"
build=${1:?"$usage"}
shift
keep=
data=$PWD/diopi-data
for argument in "$@"; do
  case "$argument" in
    --keep) keep=1 ;;
    -*) echo "demo: unknown option $argument; $usage" >&2; exit 2 ;;
    *) data=$argument ;;
  esac
done
bin=$build/bin
read -ra selection <<<"${DEMO_SELECTION:---suite smoke}"
mkdir -p "$data"

say() { printf '\n== %s\n' "$*"; }

# An agent's run of LIBRARY on CHIP: exit status 1 only means that something failed, as a faulty library
# should.
run_agent() {
  local chip=$1 library=$2 status=0
  "$bin/diopi-agent" --server "$address" --quiet --impl "$library" --chip "$chip" "${selection[@]}" \
    --timeout-s 2 --error-report "$data/error_report_$chip.csv" >"$data/agent_$chip.log" 2>&1 || status=$?
  if [ "$status" -gt 1 ]; then
    cat "$data/agent_$chip.log" >&2
    echo "demo: the agent ended with exit status $status" >&2
    return 3
  fi
  printf '%-7s %-20s %s\n' "$chip" "$(basename "$library")" "$(grep '^Correctness' "$data/agent_$chip.log")"
}

say "Generating baselines (${selection[*]}) into $data"
"$bin/diopi-cli" gen --data "$data" "${selection[@]}"

say "Starting the server"
ready=$(mktemp -u)
mkfifo "$ready"
"$bin/diopi-server" --data "$data" --listen 127.0.0.1:0 --http 127.0.0.1:0 --log-level warn --ready-fd 3 3>"$ready" &
server=$!
stop() { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$ready"; }
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
{ read -r _ address; read -r _ dashboard; } <"$ready"
echo "serving on $address"

early=$build/lib/vendors/vendor_early.so
faulty=$build/lib/vendors/libdiopi_faulty.so
good=$build/lib/libdiopi_cpu.so

say "Six runs: chip demo-a improves from run to run, demo-b regresses"
for library in "$early" "$faulty" "$good"; do run_agent demo-a "$library"; done &
first=$!
for library in "$early" "$good" "$faulty"; do run_agent demo-b "$library"; done
wait "$first"

say "Report of the newest run of demo-b, a faulty library"
newest=$("$bin/diopi-cli" runs --data "$data" --chip demo-b --limit 1 --format csv | sed -n '2s/,.*//p')
"$bin/diopi-cli" report --data "$data" --run "$newest" --format text >"$data/report_demo-b.txt"
sed -n '1,/^Did not pass/p' "$data/report_demo-b.txt" | sed '$d'
echo "Every failure, with the command that repeats it: $data/report_demo-b.txt"

say "Chips"
"$bin/diopi-cli" chips --data "$data"

say "Files"
"$bin/diopi-cli" evaluate --data "$data" --run "$newest" --format html --output "$data/evaluation_demo-b.html"
echo "results database      $data/results.db"
echo "baselines             $data/baselines/cpu"
echo "evaluation report     $data/evaluation_demo-b.html"
echo "error reports         $data/error_report_demo-a.csv, $data/error_report_demo-b.csv"
echo "to show a report      $bin/diopi-cli report --data $data --run latest"

say "Dashboard: http://$dashboard/"
if [ -n "$keep" ]; then
  echo "The server runs until Ctrl-C, or: kill $server"
  wait "$server" || true
else
  echo "The server ends now; ./run demo --keep leaves it running"
fi
