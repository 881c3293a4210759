#!/usr/bin/env bash
# The service under load, as ratios against a stated rival or aim. Each section is a function bench_NAME;
# without names, every section runs. A section prints its own rows with `row`.
# usage: bench_service.sh BUILD_FOLDER [SECTION...]
set -euo pipefail
build=${1:?"usage: bench_service.sh BUILD_FOLDER [SECTION...]"}
shift
bin=$build/bin
lib=$build/lib/libdiopi_cpu.so
sections=(workers idle_agents stream results memory)  # in the order in which they run

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

# A run's time with 1 and 2 workers: compute-bound (the convolutions, each called many times), and core as it is,
# where the agent and its server are as busy as the workers and take a core themselves. The cores that the run with 2 workers got show whether
# the machine was free: on a busy one the ratio says nothing.
bench_workers() {
  local agent=("$bin/diopi-agent" --impl "$lib" --data "$work/workers" --chip bench --quiet
    --error-report "$work/error_report.csv") repeat one two cores name words i
  local convolutions='conv*'
  timed "$bin/diopi-cli" gen --data "$work/workers" --quiet
  for repeat in 2 "${WORKERS_REPEAT:-400}"; do
    name="suite core, 2 calls a case, 2 workers"
    if [ "$repeat" != 2 ]; then
      name="convolutions, $repeat calls a case, 2 workers"
      agent+=(--fname "$convolutions")
    fi
    truncate -s 0 "$work/one" "$work/two" "$work/cores"
    for ((i = 0; i < ${WORKERS_RUNS:-3}; i++)); do  # one beside the other, so that a busy machine is busy for both
      timed "${agent[@]}" --repeat "$repeat" --workers 1
      echo "$seconds" >>"$work/one"
      { TIMEFORMAT='%U %S' && time timed "${agent[@]}" --repeat "$repeat" --workers 2; } 2>"$work/cpu"
      echo "$seconds" >>"$work/two"
      awk -v s="$seconds" 'END { printf "%.2f\n", ($1 + $2) / s }' "$work/cpu" >>"$work/cores"
    done
    one=$(median <"$work/one") two=$(median <"$work/two") cores=$(median <"$work/cores")
    words="1 worker $one s, 2 workers $two s on $cores cores"
    if [ "$repeat" = 2 ]; then
      plain "$name" "$(awk -v a="$one" -v b="$two" 'BEGIN { print a / b }')" "x 1" "$words"
    else
      row "$name" "$(awk -v a="$one" -v b="$two" 'BEGIN { print a / b }')" "x 1" 1.7 1 "$words"
    fi
  done
}

# What 200 standing agents cost a server that has nothing for them. Aims: a server's memory stays far below its
# 300 MiB, a minute of waiting costs it 3 s at most, and a run reaches its agent before a user looks up.
bench_idle_agents() {
  local out="$work/idle_agents"
  timed "$bin/diopi-cli" gen --data "$work/idle" --fname add --quiet
  "$bin/idle_agents_bench" "$bin/diopi-server" "$work/idle" "${IDLE_AGENTS:-200}" "${IDLE_SECONDS:-60}" >"$out"
  sed 's/^/  /' "$out"
  row "server memory, 200 idle agents" "$(awk '/^server rss/ { print $3 }' "$out")" MiB 300 0
  row "server cpu a minute, 200 idle agents" "$(awk '/^server cpu/ { print $3 }' "$out")" s 3 0
  row "submit to assignment, median" "$(awk '/^submit/ { print $5 }' "$out")" ms 50 0
}

# Starts a server of ours over a data folder; leaves $address and $server_pid.
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
  "$build/tools/data_bench" store "$work/store" "${STORE_MIB:-4096}" >/dev/null
}

# MiB a second from the store's files to an agent that calls nothing, against a bare gRPC stream of the same
# chunks: through generated stubs, and of bytes serialised once that nobody looks at.
bench_stream() {
  local mib=1024 run ours stub raw i
  make_store
  start_server "$work/store"
  truncate -s 0 "$work/ours" "$work/stub" "$work/raw"
  for ((i = 0; i < 7; i++)); do
    run=$("$build/tools/data_bench" run "$address" "$work/store" $mib)
    "$build/tools/data_bench" draw "$address" "$run" bench | awk '{ print $3 }' >>"$work/ours"
    "$build/tools/data_bench" bare stub $mib >>"$work/stub"
    "$build/tools/data_bench" bare raw $mib >>"$work/raw"
  done
  stop_server
  ours=$(median <"$work/ours") stub=$(median <"$work/stub") raw=$(median <"$work/raw")
  row "store to agent / bare stream, stubs" "$(awk -v a="$ours" -v b="$stub" 'BEGIN { print a / b }')" x 0.8 1 \
    "$ours of $stub MiB/s"
  row "store to agent / bare stream, raw bytes" "$(awk -v a="$ours" -v b="$raw" 'BEGIN { print a / b }')" x 0.8 1 \
    "$ours of $raw MiB/s"
}

# Verdicts a second into SQLite against a bare loop of prepared inserts of the same rows into the same schema, 64 a
# transaction: stored in process, and reported over gRPC by 4 agents
# and by one that waits for each answer. Tables without keys, indexes and constraints
# are the second rival: no service could keep its word with those, so it has no aim.
bench_results() {
  local report alone append same bare i words
  mkdir -p "$work/results"
  truncate -s 0 "$work/report" "$work/alone" "$work/append" "$work/same" "$work/bare"
  start_server "$work/results"
  for ((i = 0; i < 5; i++)); do
    "$build/tools/data_bench" report "$address" 64 4 >>"$work/report"
    "$build/tools/data_bench" report "$address" 64 1 >>"$work/alone"
    mkdir "$work/insert"
    "$build/tools/insert_bench" "$work/insert" 14000 64 >"$work/insert.out"
    for words in append same bare; do
      awk -v name="$words" '$1 == name { print $2 }' "$work/insert.out" >>"$work/$words"
    done
    rm -rf "$work/insert"
  done
  stop_server
  report=$(median <"$work/report") alone=$(median <"$work/alone") append=$(median <"$work/append")
  same=$(median <"$work/same") bare=$(median <"$work/bare")
  row "Database::Append / bare inserts, same schema" "$(awk -v a="$append" -v b="$same" 'BEGIN { print a / b }')" \
    x 0.5 1 "$append of $same verdicts/s"
  row "Report RPC, 4 agents / bare inserts, same schema" "$(awk -v a="$report" -v b="$same" 'BEGIN { print a / b }')" \
    x 0.5 1 "$report of $same verdicts/s"
  plain "Report RPC, 1 agent / bare inserts, same schema" "$(awk -v a="$alone" -v b="$same" 'BEGIN { print a / b }')" \
    x "$alone of $same verdicts/s"
  plain "Database::Append / bare inserts, no keys" "$(awk -v a="$append" -v b="$bare" 'BEGIN { print a / b }')" x \
    "$append of $bare verdicts/s"
  plain "Report RPC, 4 agents / bare inserts, no keys" "$(awk -v a="$report" -v b="$bare" 'BEGIN { print a / b }')" x \
    "$report of $bare verdicts/s"
}

# Peak memory of the server while 8 agents draw the whole store.
bench_memory() {
  local run i pids=()
  make_store
  start_server "$work/store"
  run=$("$build/tools/data_bench" run "$address" "$work/store")
  for ((i = 0; i < 8; i++)); do
    "$build/tools/data_bench" draw "$address" "$run" "agent$i" >>"$work/drawn" &
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
echo "machine: $(nproc) cores, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)"
for section in "$@"; do
  echo "== $section"
  "bench_$section"
done
