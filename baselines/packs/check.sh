#!/usr/bin/env bash
# Runs every check of the NVIDIA reference on a machine with a GPU. ./run nvidia-check and a bundle's
# bin/diopi-nvidia-check call it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
self=$here/$(basename "$0")

usage() {
  cat <<'TEXT'
usage: nvidia-check [NAME] [--steps STEP,...] [--output DIR] [--limit-s S] [--jobs N] [--fname OPERATOR ...]

Steps, in this order; one that fails does not stop those after it:
  versions   GPU, driver, CUDA, cuDNN, tools
  core       all of core through diopi-agent, with reports as text and JSON
  pack       core's outputs packed into NAME.h5 (default nvidia.h5) and verified
  memcheck   compute-sanitizer over core, every tensor in device memory of exactly its size
  racecheck  the same for races in shared memory      (synccheck and initcheck: only when named)
  timing     a table of each function's time beside PyTorch's (needs a python3 with torch; DIOPI_PYTHON names one)

  --steps    only these (default: all but synccheck and initcheck)
  --output   folder for the results (default: nvidia-check here); an earlier run's other steps stay in it
  --limit-s  seconds for all steps together (default: 3000); memcheck and each other tool get two fifths of the seconds
             left when they begin, and report what they did not reach
  --jobs     compute-sanitizer processes at a time (default: 4)
  --fname    only these operators
  --impl     another library instead of libdiopi_cuda.so; --device cpu: PyTorch then computes on the CPU

Exit status: 0 every step passed, 1 a step failed, 2 wrong usage, or the library cannot be used here.
TEXT
}
fail() {
  echo "nvidia-check: $1" >&2
  exit 2
}

# --- One start of compute-sanitizer, for xargs: check.sh --chunk COMMAND FOLDER NUMBER OPERATOR...
if [ "${1:-}" = --chunk ]; then
  IFS=$'\t' read -ra watched <<<"$2"
  folder=$3 number=$4
  shift 4
  status=124 seconds=$((CHECK_END - $(date +%s)))
  if [ "$seconds" -gt 0 ]; then
    status=0
    timeout --kill-after=10 "$seconds" "${watched[@]}" --fname "$@" >"$folder/$number.log" 2>&1 || status=$?
  fi
  echo "$status" >"$folder/$number.status"
  exit 0
fi

prefix=$(realpath "${1:?"usage: check.sh PREFIX [NAME] [options]"}")
shift
name=nvidia output=nvidia-check limit=3000 jobs=4 device=cuda impl=$prefix/lib/libdiopi_cuda.so
all_steps=(versions core pack memcheck racecheck synccheck initcheck timing)
steps=versions,core,pack,memcheck,racecheck,timing
selection=()
while [ $# -gt 0 ]; do
  case "$1" in
    --steps | --output | --limit-s | --jobs | --impl | --device) [ $# -gt 1 ] || fail "$1 needs a value" ;;
  esac
  case "$1" in
    -h | --help) usage && exit 0 ;;
    --steps) steps=$2 && shift ;;
    --output) output=$2 && shift ;;
    --limit-s) limit=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --impl) impl=$(realpath -m "$2") && shift ;;
    --device) device=$2 && shift ;;
    --fname)
      shift
      while [ $# -gt 0 ] && [[ $1 != --* ]]; do
        selection+=("$1")
        shift
      done
      continue
      ;;
    --*) fail "unknown option $1; --help lists them" ;;
    *) name=$1 ;;
  esac
  shift
done
[ ${#selection[@]} -eq 0 ] || selection=(--fname "${selection[@]}")
IFS=, read -ra chosen <<<"$steps"
for step in "${chosen[@]}"; do
  [[ " ${all_steps[*]} " == *" $step "* ]] || fail "'$step' is no step; --help lists them"
done
case "$limit$jobs" in *[!0-9]*) fail "--limit-s and --jobs take whole numbers" ;; esac
case "$name" in *[!a-zA-Z0-9._-]* | .*) fail "'$name' cannot name a pack: letters, digits, '.', '_' and '-'" ;; esac

# --- The library, or an error that leaves nothing behind.
cli=$prefix/bin/diopi-cli
python=${DIOPI_PYTHON:-python3}
[ -e "$impl" ] || fail "there is no $impl (it is built where the CUDA toolkit 13 is found)"
if ldd "$impl" 2>/dev/null | grep -q 'not found'; then # as Python's packages bring them
  found=$("$python" -c 'import glob, os, sys
folders = {folder for path in sys.path for folder in glob.glob(os.path.join(path, "nvidia", "*", "lib"))}
print(":".join(sorted(folders)))' 2>/dev/null || true)
  [ -z "$found" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$found"
fi
probe=(--case add.float32.n17)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cli" call --impl "$impl" "${probe[@]}" >"$work/probe" 2>&1 || fail "$(tail -n 1 "$work/probe")"

# Workers are confined. A driver that does not work so is found here, not in every case.
sandbox=default
in_worker() {
  "$cli" repro add.float32.n1 --impl "$impl" --sandbox "$1" --data "$work/none" --output "$work/repro.c" >/dev/null 2>&1
}
if ! in_worker default && in_worker off; then
  sandbox=off
  echo "nvidia-check: the library works in workers with --sandbox off only; they run so"
fi

mkdir -p "$output" || fail "$output: no folder can be made there"
output=$(realpath "$output")
start=$SECONDS
left() { echo $((limit - (SECONDS - start))); }
limited() { # limited SECONDS COMMAND...: 124 when the time is over
  local seconds=$1
  shift
  [ "$seconds" -gt 0 ] || return 124
  timeout --kill-after=10 "$seconds" "$@"
}
sanitizer_path() {
  PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer
}

# --- Steps: each returns 0 when it passed, sets `detail`, and leaves its files in $output/STEP.
versions() {
  local out=$output/versions/versions.txt library sanitizer
  library=$("$cli" time --impl "$impl" "${probe[@]}" --samples 1 --calls 1 2>/dev/null | head -n 1)
  sanitizer=$(sanitizer_path || true)
  {
    echo "library: $library"
    echo "sandbox: $sandbox"
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo "no nvidia-smi, or it fails"
    ldd "$impl" | grep -E 'libcu' || true
    [ -z "$sanitizer" ] || "$sanitizer" --version 2>&1 | tail -n 1
    "$python" --version
    "$python" -c 'import torch; print("PyTorch", torch.__version__)' 2>&1 | tail -n 1
    uname -srm
  } >"$out"
  detail=$(sed -n 's/.*"vendor": "\(.*\)", "version": "\(.*\)"}$/\1 \2/p' <<<"$library")
  [ -n "$library" ]
}

core() {
  local status=0 out=$output/core
  limited "$(left)" "$prefix/bin/diopi-agent" --impl "$impl" --data "$work/data" --quiet \
    --sandbox "$sandbox" --error-report "$out/errors.csv" "${selection[@]}" >"$out/log.txt" 2>&1 || status=$?
  local format
  for format in text json; do
    "$cli" report --run latest --data "$work/data" --format "$format" --output "$out/report.${format/text/txt}" \
      2>>"$out/log.txt" || true
  done
  detail=$(sed -n 's/^\(Outcomes\|Correctness\)  *//p' "$out/log.txt" | paste -sd';')
  # A library that implements nothing fails nothing.
  [ "$status" -ne 0 ] || grep -q '^Outcomes .*pass [1-9]' "$out/log.txt" || status=1
  return "$status"
}

pack() {
  local status=0 other=()
  [ "$impl" = "$prefix/lib/libdiopi_cuda.so" ] || other=(--impl "$impl")
  limited "$(left)" "$here/make.sh" "$prefix" "$name" --folder "$output/pack" --data "$work/data" \
    --sandbox "$sandbox" "${other[@]}" "${selection[@]}" >"$output/pack/log.txt" 2>&1 || status=$?
  detail=$(tail -n 1 "$output/pack/log.txt")
  return "$status"
}

# The findings in a log of the tool, as lines "CASE: what": a finding follows the case that was called.
findings() {
  awk '/^case /{id = $2} /^failed /{print $2 ": " substr($0, index($0, $3))}
    /^=========/ && / COMPUTE-SANITIZER|SUMMARY|Saved host|Target application|LEAK/ {next}
    /^========= [A-Z]/ {print (id == "" ? "before the first case" : id) ": " substr($0, 11)}' "$@" |
    sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)$/\2 (\1 times)/'
}

# Calls each case with a finding alone, to see whether the finding is the case's own.
alone() { # alone FOLDER COMMAND...
  local out=$1 id
  shift
  cut -d: -f1 "$out/findings.txt" | sort -u | grep -v ' ' | head -n 20 | while read -r id; do
    limited "$(left)" "$@" --case "$id" >"$out/$id.log" 2>&1 || true
    [ -z "$(findings "$out/$id.log")" ] || echo "$id" >>"$out/alone.txt"
  done
}

sanitize() { # sanitize TOOL
  local tool=$1 out=$output/$1 seconds sanitizer starts reached unended watched
  seconds=$(($(left) * 2 / 5))
  [ "$seconds" -gt 0 ] || { detail="no time left" && return 124; }
  sanitizer=$(sanitizer_path) || { detail="no compute-sanitizer on PATH or in /usr/local/cuda" && return 1; }
  watched=("$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 1000)
  if [ "$tool" = memcheck ] && "$sanitizer" --help 2>&1 | grep -q -- --destroy-on-device-error; then
    watched+=(--destroy-on-device-error kernel) # else every case after a finding fails too
  fi
  watched+=("$cli" call --impl "$impl")
  # One small case first: if the tool cannot work at all, it says why.
  limited "$seconds" "${watched[@]}" "${probe[@]}" >"$out/probe.log" 2>&1 || true
  if ! grep -q '^[0-9]* cases called' "$out/probe.log"; then
    detail="$sanitizer does not work here: $(grep -v '^case' "$out/probe.log" | tail -n 1)"
    return 1
  fi
  # Operators share a process until they have 800 cases, because a start takes seconds.
  "$cli" list operators "${selection[@]}" | awk '$1 != "library" {
    cases += $3; line = line " " $1
    if (cases >= 800) {print ++start line; cases = 0; line = ""}
  } END {if (line != "") print ++start line}' >"$work/starts"
  export CHECK_END=$(($(date +%s) + seconds))
  xargs -L 1 -P "$jobs" "$self" --chunk "$(IFS=$'\t' && echo "${watched[*]}")" "$out" <"$work/starts"
  touch "$out/0.log" # where none was begun
  findings "$out"/[0-9]*.log >"$out/findings.txt"
  alone "$out" "${watched[@]}"
  starts=$(wc -l <"$work/starts")
  reached=$(cat "$out"/[0-9]*.log | awk '/^[0-9]+ cases called/ {n += $1} END {print n + 0}')
  unended=$((starts - $(cat "$out"/[0-9]*.log | grep -c '^[0-9]* cases called')))
  detail="$reached cases in $starts starts, $(wc -l <"$out/findings.txt") findings"
  [ "$unended" -eq 0 ] || detail+="; $unended starts did not end: not all cases were reached"
  [ "$unended" -eq 0 ] && [ ! -s "$out/findings.txt" ] && ! grep -qhv '^0$' "$out"/[0-9]*.status
}

timing() {
  local status=0 out=$output/timing more
  read -ra more <<<"${DIOPI_TIMING_OPTIONS:-}" # of timing.py
  [ "$(left)" -gt 0 ] || return 124
  # It stops by itself and writes a table of what it has measured.
  limited "$(($(left) + 60))" "$python" "$here/../timing/timing.py" --prefix "$prefix" --impl "$impl" \
    --device "$device" --output "$out/timing.md" --limit-s "$(left)" "${more[@]}" "${selection[@]}" \
    >"$out/log.txt" 2>&1 || status=$?
  detail=$(tail -n 1 "$out/log.txt")
  return "$status"
}

run_step() {
  case "$1" in
    versions) versions ;;
    core) core ;;
    pack) pack ;;
    timing) timing ;;
    *) sanitize "$1" ;;
  esac
}

failed=0
for step in "${all_steps[@]}"; do
  [[ ,$steps, == *,$step,* ]] || continue
  rm -rf "${output:?}/${step:?}"
  mkdir "$output/$step"
  detail='' began=$SECONDS status=0
  run_step "$step" || status=$?
  case "$status" in
    0) word=passed ;;
    124 | 137) word='NOT DONE (time)' ;;
    *) word=FAILED ;;
  esac
  [ "$status" -eq 0 ] || failed=1
  printf '%-10s %s in %d s: %s\n' "$step" "$word" $((SECONDS - began)) "${detail:-see $step/log.txt}" |
    tee "$output/$step/status.txt"
done
for step in "${all_steps[@]}"; do
  cat "$output/$step/status.txt" 2>/dev/null || printf '%-10s not run\n' "$step"
done >"$output/summary.txt"
echo "Results: $output (summary.txt)"
exit "$failed"
