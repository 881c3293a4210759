#!/usr/bin/env bash
# Runs every check of the NVIDIA reference on a machine with a GPU. ./run nvidia-check and a bundle's
# bin/diopi-nvidia-check call it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
self=$here/$(basename "$0")

usage() {
  cat <<'TEXT'
usage: nvidia-check [NAME] [--steps STEP,...] [--output DIR] [--data DIR] [--limit-s S] [--fname OPERATOR ...]

Steps, in this order; one that fails does not stop those after it:
  versions   GPU, driver, CUDA, cuDNN, tools
  core       all of core through diopi-agent, with reports as text, JSON and CSV. Operators that fail run again without
             cuDNN and cuBLASLt, and blame.txt says whether ours or NVIDIA's code is to blame
  pack       core's outputs packed into NAME.h5 (default nvidia.h5) and verified
  memcheck   compute-sanitizer over core, every tensor in device memory of exactly its size
  racecheck  the same for races in shared memory of our kernels      (synccheck and initcheck: only when named)
  timing     a table of each function's time beside PyTorch's (needs a python3 with torch; DIOPI_PYTHON names one)

  --steps    only these (default: all but synccheck and initcheck)
  --output   folder for the results (default: nvidia-check here); an earlier run's other steps stay in it
  --data     folder for baselines, kept for the next time (default: a temporary one)
  --limit-s  seconds for all steps together (default: 3000); memcheck and each other tool get two fifths of the seconds
             left when they begin, and report what they did not reach
  --start-s  seconds after which one start of compute-sanitizer begins no further case (default: 120)
  --jobs     compute-sanitizer processes at a time (default: 4; 1 on a GPU in exclusive mode)
  --workers  worker processes of core and pack (default: 1). A GPU serves processes in turn, and several are slower than
             one: NVIDIA's MPS is started for several, where nvidia-cuda-mps-control is found. They then run with --sandbox
             off, because they could not reach it otherwise
  --fname    only these operators
  --impl     another library instead of libdiopi_cuda.so; --device cpu: PyTorch then computes on the CPU

The results are also packed into one file beside the folder, to hand in. docs/bring-a-gpu.md explains what is needed.
DIOPI_CUDA_COMPAT names the folder of NVIDIA's forward-compatibility libcuda.so.1, if the machine's driver is too old for
CUDA and that is not in /usr/local/cuda*/compat.

Exit status: 0 every step passed, 1 a step failed, 2 wrong usage, or the library cannot be used here.
TEXT
}
fail() {
  echo "nvidia-check: $1" >&2
  exit 2
}

# --- Starts of compute-sanitizer until some operators are done, for xargs:
# check.sh --chunk COMMAND FOLDER START_S NUMBER OPERATOR...
if [ "${1:-}" = --chunk ]; then
  IFS=$'\t' read -ra watched <<<"$2"
  folder=$3 start_s=$4 number=$5 part=0 next=() worst=0
  shift 5
  while :; do
    status=124 seconds=$((CHECK_END - $(date +%s))) log=$folder/$number.$part.log
    if [ "$seconds" -gt 0 ]; then
      status=0
      timeout --kill-after=10 "$seconds" "${watched[@]}" --limit-s "$start_s" "${next[@]}" --fname "$@" \
        >"$log" 2>&1 </dev/null || status=$?
    fi
    [ "$status" -eq 0 ] || worst=$status
    stopped=$(sed -n 's/^stopped before //p' "$log" 2>/dev/null | tail -n 1) || true
    [ -n "$stopped" ] || break
    next=(--from "$stopped")
    part=$((part + 1))
  done
  [ "$worst" -eq 0 ] || echo "$worst" >"$folder/$number.failed"
  ! grep -q '^[0-9]* cases called' "$log" 2>/dev/null || touch "$folder/$number.ended"
  exit 0
fi

prefix=$(realpath "${1:?"usage: check.sh PREFIX [NAME] [options]"}")
shift
name=nvidia output=nvidia-check limit=3000 start_s=120 jobs=4 workers=1 data='' device=cuda impl=$prefix/lib/libdiopi_cuda.so
all_steps=(versions core pack memcheck racecheck synccheck initcheck timing)
steps=versions,core,pack,memcheck,racecheck,timing
selection=()
while [ $# -gt 0 ]; do
  case "$1" in
    --steps | --output | --data | --limit-s | --start-s | --jobs | --workers | --impl | --device) [ $# -gt 1 ] || fail "$1 needs a value" ;;
  esac
  case "$1" in
    -h | --help) usage && exit 0 ;;
    --steps) steps=$2 && shift ;;
    --output) output=$2 && shift ;;
    --data) data=$(realpath -m "$2") && shift ;;
    --limit-s) limit=$2 && shift ;;
    --start-s) start_s=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --workers) workers=$2 && shift ;;
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
case "$limit$start_s$jobs$workers" in
  *[!0-9]*) fail "--limit-s, --start-s, --jobs and --workers take whole numbers" ;;
esac
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

ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1 || true; }
# NVIDIA's forward-compatibility library takes the place of a newer driver on GPUs of data centres.
driver=$(ask_gpu driver_version) needed=525 compat=
! ldd "$impl" 2>/dev/null | grep -q 'libcublasLt.so.13' || needed=580
if [ -n "$driver" ] && [ "${driver%%.*}" -lt "$needed" ]; then
  for folder in "${DIOPI_CUDA_COMPAT:-/none}" /usr/local/cuda-*/compat /usr/local/cuda/compat; do
    [ ! -e "$folder/libcuda.so.1" ] || compat=$folder
    [ -z "$compat" ] || break
  done
  echo "nvidia-check: this machine's driver is $driver, the library needs $needed or newer:" \
    "${compat:+using $compat}${compat:-no forward-compatibility library found (package cuda-compat; DIOPI_CUDA_COMPAT)}"
  [ -z "$compat" ] || export LD_LIBRARY_PATH="$compat${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exclusive=
case "$(ask_gpu compute_mode)" in *xclusive*) exclusive=yes jobs=1 workers=1 ;; esac
# The device files of a machine that has not run a CUDA program since it started. A worker, which has no rights to gain,
# could not make them.
[ -e /dev/nvidia-uvm ] || nvidia-modprobe -u -c=0 2>/dev/null || true

probe=(--case add.float32.n17)
work=$(mktemp -d)
# NVIDIA's Multi-Process Service for several workers. compute-sanitizer does not work with it.
start_mps() {
  [ "$workers" -gt 1 ] || return 0
  if ! mps=$(PATH=$PATH:/usr/local/nvidia/bin command -v nvidia-cuda-mps-control) || ! "$mps" -d >/dev/null 2>&1; then
    echo "nvidia-check: NVIDIA's MPS (nvidia-cuda-mps-control) does not run here: $workers workers take turns on the GPU"
    mps=
    return 0
  fi
  confined=$sandbox sandbox=off
}
stop_mps() {
  [ -n "$mps" ] || return 0
  echo quit | "$mps" >/dev/null 2>&1 || true
  sandbox=$confined mps=
}

mps='' confined=''
trap 'stop_mps; rm -rf "$work"' EXIT
data=${data:-$work/data}
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
if [ ${#selection[@]} -gt 0 ]; then printf '%s\n' "${selection[@]}" >"$output/selection.txt"; else rm -f "$output/selection.txt"; fi
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
    [ -z "$compat" ] || echo "forward compatibility: $compat, because the driver is older than $needed"
    [ -z "$exclusive" ] || echo "the GPU is in exclusive mode: one process at a time"
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo "no nvidia-smi, or it fails"
    ldd "$impl" | awk '/libcu/ {print $1, $3}' | while read -r file path; do # names alone: the results are handed in
      echo "$file: $(basename "$(realpath -m "$path")")"
    done
    [ -z "$sanitizer" ] || "$sanitizer" --version 2>&1 | tail -n 1
    "$python" --version
    "$python" -c 'import torch; print("PyTorch", torch.__version__)' 2>&1 | tail -n 1
    uname -srm
  } | sed 's#\("library": "\)[^"]*/#\1#' >"$out" # without the library's folder
  detail=$(sed -n 's/.*"vendor": "\(.*\)", "version": "\(.*\)"}$/\1 \2/p' <<<"$library")
  [ -n "$library" ]
}

agent() { # agent LOG OPTION...
  local log=$1
  shift
  limited "$(left)" "$prefix/bin/diopi-agent" --impl "$impl" --data "$data" --quiet --workers "$workers" \
    --sandbox "$sandbox" "$@" >"$log" 2>&1
}
report() { # report FORMAT FILE
  "$cli" report --run latest --data "$data" --format "$1" --output "$2"
}
# The cases in a report as CSV that failed, with their operators.
failing() {
  awk -F, 'NR > 1 && $5 !~ /^(pass|not_implemented|unsupported_dtype|skipped)$/ {print $2 " " $1}' "$1" | sort -u
}

core() {
  local status=0 out=$output/core format
  agent "$out/log.txt" --error-report "$out/errors.csv" "${selection[@]}" || status=$?
  for format in text json csv; do report "$format" "$out/report.${format/text/txt}" 2>>"$out/log.txt" || true; done
  detail=$(sed -n 's/^\(Outcomes\|Correctness\)  *//p' "$out/log.txt" | paste -sd';')
  # A library that implements nothing fails nothing.
  [ "$status" -ne 0 ] || grep -q '^Outcomes .*pass [1-9]' "$out/log.txt" || status=1
  [ ! -e "$out/report.csv" ] || blame "$out" || detail+="; no time left to find out whose failures they are"
  return "$status"
}

# Which side the failures are on: failing operators run again with our own kernels alone.
blame() { # blame FOLDER
  local out=$1 operators
  failing "$out/report.csv" >"$work/failing"
  mapfile -t operators < <(cut -d' ' -f1 "$work/failing" | sort -u)
  [ ${#operators[@]} -gt 0 ] || return 0
  [ "$(left)" -gt 0 ] || return 1
  DIOPI_CUDA_DNN=0 DIOPI_CUDA_LT=0 agent "$out/without-libraries.txt" --error-report "$work/errors.csv" \
    --fname "${operators[@]}" || true
  report csv "$out/without-libraries.csv" 2>>"$out/log.txt" || return 1
  failing "$out/without-libraries.csv" >"$work/still"
  awk -v still="$work/still" 'BEGIN {while ((getline line <still) > 0) again[line] = 1}
    {all[$1]++; if ($0 in again) ours[$1]++}
    END {for (o in all) {
      theirs = all[o] - ours[o]
      printf "%s: %d failing cases, of which %d pass without cuDNN and cuBLASLt: %s\n", o, all[o], theirs,
        theirs == 0 ? "our code" : theirs == all[o] ? "NVIDIA'"'"'s libraries, or our use of them" : "both"
    }}' "$work/failing" | sort >"$out/blame.txt"
  detail+="; $(wc -l <"$out/blame.txt") failing operators, see core/blame.txt"
}

pack() {
  local status=0 other=()
  [ "$impl" = "$prefix/lib/libdiopi_cuda.so" ] || other=(--impl "$impl")
  limited "$(left)" "$here/make.sh" "$prefix" "$name" --folder "$output/pack" --data "$data" \
    --workers "$workers" --sandbox "$sandbox" "${other[@]}" "${selection[@]}" >"$output/pack/log.txt" 2>&1 || status=$?
  detail=$(tail -n 1 "$output/pack/log.txt")
  return "$status"
}

# The findings in logs of the tool, as lines "CASE: what, in KERNEL (n times)".
findings() { # findings OTHERS LOG...
  awk -v others="$1" -f "$here/findings.awk" "${@:2}" |
    awk -F'\t' '{print $1 ": " $3 ($2 == "-" || index($3, $2) ? "" : ", in " $2)}' |
    sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)$/\2 (\1 times)/'
}
# How many there are by kernel, with one of its cases.
by_kernel() { # by_kernel LOG...
  awk -v others=0 -f "$here/findings.awk" "$@" |
    awk -F'\t' '{count[$2]++; example[$2] = $1; what[$2] = $3}
      END {for (k in count) printf "%d\t%s\t%s\t%s\n", count[k], k, what[k], example[k]}' | sort -rn
}

# Calls each case with a finding alone, to see whether the finding is the case's own.
alone() { # alone FOLDER COMMAND...
  local out=$1 id
  shift
  cut -d: -f1 "$out/findings.txt" | sort -u | grep -v ' ' | head -n 20 | while read -r id; do
    limited "$(left)" "$@" --case "$id" >"$out/$id.log" 2>&1 </dev/null || true
    [ -z "$(findings 0 "$out/$id.log")" ] || echo "$id" >>"$out/alone.txt"
  done
}

sanitize() { # sanitize TOOL
  local tool=$1 out=$output/$1 seconds sanitizer starts reached unended watched
  seconds=$(($(left) * 2 / 5))
  [ "$seconds" -gt 0 ] || { detail="no time left" && return 124; }
  sanitizer=$(sanitizer_path) || { detail="no compute-sanitizer on PATH or in /usr/local/cuda" && return 1; }
  watched=("$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 1000)
  # Only our kernels are looked at for races; those of cuBLASLt broke racecheck on an H100 ("Internal Sanitizer Error").
  [ "$tool" != racecheck ] || watched=(env DIOPI_CUDA_DNN=0 DIOPI_CUDA_LT=0 "${watched[@]}")
  options_of "$sanitizer" "$tool"
  watched+=("$cli" call --impl "$impl")
  # One small case first: if the tool cannot work at all, it says why.
  limited "$seconds" "${watched[@]}" "${probe[@]}" >"$out/probe.log" 2>&1 </dev/null || true
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
  xargs -L 1 -P "$jobs" "$self" --chunk "$(IFS=$'\t' && echo "${watched[*]}")" "$out" "$start_s" <"$work/starts"
  touch "$out/0.log" # where none was begun
  findings 0 "$out"/[0-9]*.log >"$out/findings.txt"
  findings 1 "$out"/[0-9]*.log >"$out/others.txt"
  by_kernel "$out"/[0-9]*.log >"$out/kernels.txt"
  alone "$out" "${watched[@]}"
  starts=$(find "$out" -name '[0-9]*.*.log' | wc -l)
  reached=$(cat "$out"/[0-9]*.log | awk '/^[0-9]+ cases called/ {n += $1} END {print n + 0}')
  unended=$(($(wc -l <"$work/starts") - $(find "$out" -name '*.ended' | wc -l)))
  detail="$reached cases in $starts starts, $(wc -l <"$out/findings.txt") findings"
  [ ! -s "$out/others.txt" ] || detail+=", $(wc -l <"$out/others.txt") races in NVIDIA's kernels or faults of the tool (others.txt)"
  [ "$unended" -eq 0 ] || detail+="; $unended of $(wc -l <"$work/starts") parts did not end: not all cases were reached"
  # Status 99 stands for what the tool printed, of which findings.txt has what counts.
  [ "$unended" -eq 0 ] && [ ! -s "$out/findings.txt" ] && ! cat "$out"/*.failed 2>/dev/null | grep -qv '^99$'
}

# Adds what this release of the tool has to `watched`.
options_of() { # options_of SANITIZER TOOL
  local help
  help=$("$1" --help 2>&1 || true)
  has() { grep -q -- "$1" <<<"$help"; }
  if [ "$2" = memcheck ]; then
    # Else every case after a finding fails too.
    ! has --destroy-on-device-error || watched+=(--destroy-on-device-error kernel)
    # cuBLASLt and cuDNN try calls that fail, and handle that themselves.
    ! has --report-api-errors || watched+=(--report-api-errors no)
  fi
  [ "$2" != racecheck ] || ! has --kernel-name || watched+=(--kernel-name kernel_substring=diopi)
}

timing() {
  local status=0 out=$output/timing more
  if [ -n "$exclusive" ]; then
    detail="the GPU is in exclusive mode, and PyTorch and the library need it at once: nvidia-smi -c DEFAULT"
    return 1
  fi
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
  local status=0
  [[ $1 != core && $1 != pack ]] || start_mps
  case "$1" in
    versions) versions ;;
    core) core ;;
    pack) pack ;;
    timing) timing ;;
    *) sanitize "$1" ;;
  esac || status=$?
  stop_mps
  return "$status"
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
  detail=${detail//"$output/"/} # no paths: the summary is handed in
  printf '%-10s %s in %d s: %s\n' "$step" "$word" $((SECONDS - began)) "${detail:-see $step/log.txt}" |
    tee "$output/$step/status.txt"
done
for step in "${all_steps[@]}"; do
  cat "$output/$step/status.txt" 2>/dev/null || printf '%-10s not run\n' "$step"
done >"$output/summary.txt"
tar --directory "$(dirname "$output")" --create --gzip --file "$output.tar.gz" "$(basename "$output")"
echo "Results: $output (summary.txt), as one file: $output.tar.gz"
exit "$failed"
