#!/usr/bin/env bash
# The service under load, as ratios against a stated rival or aim. Each section is a function bench_NAME;
# without names, every section runs. A section prints its own rows with `row`.
# usage: bench_service.sh BUILD_FOLDER [SECTION...]
set -euo pipefail
build=${1:?"usage: bench_service.sh BUILD_FOLDER [SECTION...]"}
shift
# shellcheck source=client/testing/bench_common.sh
. "${0%/*}/bench_common.sh"
sections=(workers idle_agents stream results memory)  # in the order in which they run

# A run's time with 1 and 2 workers: compute-bound (the convolutions, each called many times), and core
# unchanged, where the agent and its server are as busy as the workers and need a core themselves. The cores
# that the run with 2 workers got show whether the machine was idle: on a busy machine the ratio says nothing.
bench_workers() {
  local agent=("$bin/diopi-agent" --impl "$lib" --data "$work/workers" --chip bench --quiet
    --error-report "$work/error_report.csv") repeat one two cores name words i functions convolutions
  functions=$(choose '*' floor) convolutions=$(choose 'conv*' floor)
  timed "$bin/diopi-cli" gen --data "$work/workers" --quiet --fname "$functions"
  for repeat in 2 "${WORKERS_REPEAT:-$(choose 400 3)}"; do
    name="suite core, 2 calls a case, 2 workers"
    if [ "$repeat" != 2 ]; then
      name="convolutions, $repeat calls a case, 2 workers"
      functions=$convolutions
    fi
    truncate -s 0 "$work/one" "$work/two" "$work/cores"
    for ((i = 0; i < ${WORKERS_RUNS:-$(choose 3 1)}; i++)); do  # one beside the other, so that a busy machine is busy for both
      timed "${agent[@]}" --fname "$functions" --repeat "$repeat" --workers 1
      echo "$seconds" >>"$work/one"
      { TIMEFORMAT='%U %S' && time timed "${agent[@]}" --fname "$functions" --repeat "$repeat" --workers 2; } 2>"$work/cpu"
      echo "$seconds" >>"$work/two"
      awk -v s="$seconds" 'END { printf "%.2f\n", ($1 + $2) / s }' "$work/cpu" >>"$work/cores"
    done
    one=$(median <"$work/one") two=$(median <"$work/two") cores=$(median <"$work/cores")
    words="1 worker $one s, 2 workers $two s on $cores cores"
    if [ "$repeat" = 2 ]; then
      plain "$name" "$(ratio "$one" "$two")" "x 1" "$words"
    else
      row "$name" "$(ratio "$one" "$two")" "x 1" 1.7 1 "$words"
    fi
  done
}

# The cost of 200 idle standing agents to a server. Aims: the server's memory stays far below its 300 MiB, a
# minute of waiting costs at most 3 s, and a run reaches its agent before a user notices a delay.
bench_idle_agents() {
  local out="$work/idle_agents"
  timed "$bin/diopi-cli" gen --data "$work/idle" --fname add --quiet
  "$tools/idle_agents_bench" "$bin/diopi-server" "$work/idle" \
    "${IDLE_AGENTS:-$(choose 200 5)}" "${IDLE_SECONDS:-$(choose 60 1)}" >"$out"
  sed 's/^/  /' "$out"
  row "server memory, 200 idle agents" "$(awk '/^server rss/ { print $3 }' "$out")" MiB 300 0
  row "server cpu a minute, 200 idle agents" "$(awk '/^server cpu/ { print $3 }' "$out")" s 3 0
  row "submit to assignment, median" "$(awk '/^submit/ { print $5 }' "$out")" ms 50 0
}

# Starts a server for a data folder; sets $address and $server_pid.
start_server() {
  rm -f "$work/ready"
  mkfifo "$work/ready"
  "$bin/diopi-server" --data "$1" --listen 127.0.0.1:0 --log-level warn --ready-fd 3 3>"$work/ready" \
    >/dev/null 2>"$work/server.log" &
  server_pid=$!
  read -r _ address <"$work/ready"
}

stop_server() {
  kill "$server_pid"
  wait "$server_pid" || true
}

# A synthetic store, made once for the sections that draw it: cases with references of 8 to 64 MiB.
make_store() {
  [ -d "$work/store" ] && return
  mkdir "$work/store"
  "$tools/data_bench" store "$work/store" "${STORE_MIB:-$(choose 4096 128)}" >/dev/null
}

# MiB per second from the store's files to an agent that calls nothing, against a bare gRPC stream of the same
# chunks: through generated stubs, and as bytes serialised once that nobody reads.
bench_stream() {
  local mib rounds run ours stub raw i
  mib=$(choose 1024 64) rounds=$(choose 7 1)
  make_store
  start_server "$work/store"
  truncate -s 0 "$work/ours" "$work/stub" "$work/raw"
  for ((i = 0; i < rounds; i++)); do
    run=$("$tools/data_bench" run "$address" "$work/store" "$mib")
    "$tools/data_bench" draw "$address" "$run" bench | awk '{ print $3 }' >>"$work/ours"
    "$tools/data_bench" bare stub "$mib" >>"$work/stub"
    "$tools/data_bench" bare raw "$mib" >>"$work/raw"
  done
  stop_server
  ours=$(median <"$work/ours") stub=$(median <"$work/stub") raw=$(median <"$work/raw")
  row "store to agent / bare stream, stubs" "$(ratio "$ours" "$stub")" x 0.8 1 \
    "$ours of $stub MiB/s"
  row "store to agent / bare stream, raw bytes" "$(ratio "$ours" "$raw")" x 0.8 1 \
    "$ours of $raw MiB/s"
}

# Verdicts per second into SQLite against a bare loop of prepared inserts of the same rows into the same
# schema, 64 per transaction: stored in process, and reported over gRPC by 4 agents and by one that waits for
# each answer. The rival's rows are encoded beforehand, which is two thirds of the work since schema version 2;
# hence the aims of 0.3 and 0.2. The second comparison, tables without keys, indexes and constraints, has no aim, because no
# service could work correctly with those.
bench_results() {
  local report alone append same bare i words verdicts
  verdicts=$(choose 14000 640)
  mkdir -p "$work/results"
  truncate -s 0 "$work/report" "$work/alone" "$work/append" "$work/same" "$work/bare"
  start_server "$work/results"
  for ((i = 0; i < $(choose 5 1); i++)); do
    "$tools/data_bench" report "$address" 64 4 >>"$work/report"
    "$tools/data_bench" report "$address" 64 1 >>"$work/alone"
    mkdir "$work/insert"
    "$tools/insert_bench" "$work/insert" "$verdicts" 64 >"$work/insert.out"
    for words in append same bare; do
      awk -v name="$words" '$1 == name { print $2 }' "$work/insert.out" >>"$work/$words"
    done
    rm -rf "$work/insert"
  done
  stop_server
  report=$(median <"$work/report") alone=$(median <"$work/alone") append=$(median <"$work/append")
  same=$(median <"$work/same") bare=$(median <"$work/bare")
  row "Database::Append / bare inserts, same schema" "$(ratio "$append" "$same")" \
    x 0.3 1 "$append of $same verdicts/s"
  row "Report RPC, 4 agents / bare inserts, same schema" "$(ratio "$report" "$same")" \
    x 0.2 1 "$report of $same verdicts/s"
  plain "Report RPC, 1 agent / bare inserts, same schema" "$(ratio "$alone" "$same")" \
    x "$alone of $same verdicts/s"
  plain "Database::Append / bare inserts, no keys" "$(ratio "$append" "$bare")" x \
    "$append of $bare verdicts/s"
  plain "Report RPC, 4 agents / bare inserts, no keys" "$(ratio "$report" "$bare")" x \
    "$report of $bare verdicts/s"
}

# Peak memory of the server while 8 agents draw the whole store.
bench_memory() {
  local run i pids=()
  make_store
  start_server "$work/store"
  run=$("$tools/data_bench" run "$address" "$work/store")
  for ((i = 0; i < 8; i++)); do
    "$tools/data_bench" draw "$address" "$run" "agent$i" >>"$work/drawn" &
    pids+=($!)
  done
  wait "${pids[@]}"
  row "server's peak memory, 8 agents" "$(awk '/^VmHWM:/ { print $2 / 1024 }' "/proc/$server_pid/status")" MiB \
    300 0 "$(awk '{ n += $1 } END { printf "%.0f MiB drawn", n / 1048576 }' "$work/drawn")"
  stop_server
}

[ $# -gt 0 ] || set -- "${sections[@]}"
for section in "$@"; do
  [ "$(type -t "bench_$section")" = function ] || {
    echo "bench_service.sh: unknown section '$section'; there are: ${sections[*]}" >&2
    exit 2
  }
done
describe_machine ""
for section in "$@"; do
  echo "== $section"
  "bench_$section"
done
