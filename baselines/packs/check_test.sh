#!/usr/bin/env bash
# check.sh with another library as the device and a compute-sanitizer that finds what it is told to.
# usage: check_test.sh BUILD
set -euo pipefail
build=$(realpath "${1:?"usage: check_test.sh BUILD"}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
cat >"$work/bin/compute-sanitizer" <<'TOOL'
#!/usr/bin/env bash
# FOUND: cases that have a finding. THEIRS: cases with a race in cuDNN's kernel. BREAKS: cases at which the tool breaks. HANGS: whole operators do not end. REFUSES:
# the device is not supported, as on machines that forbid it. OLD: a release without the newer options. SLOW: little is done
# until a start's time is over.
set -euo pipefail
case "$1" in
  --version) echo "Version fake" && exit 0 ;;
  --help)
    [ -n "${OLD:-}" ] || printf -- '  %s\n' '--destroy-on-device-error arg (=context)' '--report-api-errors arg' '--kernel-name arg'
    exit 0
    ;;
esac
[ -z "$(head -c 1)" ] || { echo "standard input is open" && exit 1; }
if [ -n "${ALONE:-}" ]; then # as a GPU in exclusive mode
  mkdir "$0.lock" || { echo "all CUDA-capable devices are busy" && exit 1; }
  trap 'rmdir "$0.lock"' EXIT
fi
echo "${LD_LIBRARY_PATH:-}" >"$0.path"
tool= asked=
while [[ $1 == --* ]]; do
  asked+="$1 "
  case "$1" in
    --tool) tool=$2 ;;
    --error-exitcode) [ "$2" -eq 99 ] ;;
    --print-limit) [ "$2" -gt 100 ] ;;
    --destroy-on-device-error) [ "$tool $2" = "memcheck kernel" ] ;;
    --report-api-errors) [ "$tool $2" = "memcheck no" ] ;;
    --kernel-name) [ "$tool $2" = "racecheck kernel_substring=diopi" ] ;;
    *) echo "compute-sanitizer: unknown option $1" >&2 && exit 1 ;;
  esac
  shift 2
done
[ "$tool" != racecheck ] || [ "$DIOPI_CUDA_DNN$DIOPI_CUDA_LT" = 00 ]
echo "========= COMPUTE-SANITIZER"
if [ -n "${REFUSES:-}" ]; then
  echo "========= Device not supported. Please refer to the documentation"
  exit 1
fi
[ -z "${HANGS:-}" ] || [[ $* != *--fname* ]] || exec tail -f /dev/null
arguments=("$@")
if [ -n "${SLOW:-}" ]; then
  for i in "${!arguments[@]}"; do [ "${arguments[i]}" != --limit-s ] || arguments[i + 1]=0.05; done
fi
api=reported
case "$asked" in *--report-api-errors*) api='not reported' ;; esac
status=0
"${arguments[@]}" >"$0.$$" || status=$?
awk -v found=" ${FOUND:-} " -v theirs=" ${THEIRS:-} " -v breaks=" ${BREAKS:-} " -v tool="$tool" -v api="$api" '{print}
  /^case / && index(found, " " tool ":" $2 " ") {
    print "========= Invalid __global__ read of size 4 bytes"
    print "=========     at void diopi::ops::cuda::ForEachKernel<Sum>(long, T1)+0x10 in sum.cu:12"
    print "=========         Host Frame: diopiSum"
    n++
  }
  /^case / && index(theirs, " " tool ":" $2 " ") {
    print "========= Error: Race reported between Write access at void cudnn::softmax(float*)+0x90"
    print "=========     and Read access at void cudnn::softmax(float*)+0xa0 [12 hazards]"
    n++
  }
  /^case / && index(breaks, " " tool ":" $2 " ") {
    print "========= Internal Sanitizer Error: The Sanitizer failed to handle a hardware exception."
    print "failed " $2 ": synchronising the stream failed with 1 cudaErrorIllegalAddress"
    n++
  }
  /^case softmax/ && api == "reported" {
    print "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to cudaFuncSetAttribute."
    print "=========     Saved host backtrace up to driver entry point at error"
    n++
  }
  END {print "========= ERROR SUMMARY: " n + 0 " errors"; exit n > 0 ? 99 : 0}' "$0.$$" || status=$?
rm "$0.$$"
exit "$status"
TOOL
cat >"$work/bin/nvidia-smi" <<'TOOL'
#!/usr/bin/env bash
# A GPU with the driver and in the mode that the test names.
case "$1" in
  --query-gpu=driver_version) echo "${DRIVER:-580.65.06}" ;;
  --query-gpu=compute_mode) echo "${MODE:-Default}" ;;
  *) echo "Fake GPU, ${DRIVER:-580.65.06}, 80 GB" ;;
esac
TOOL
cat >"$work/bin/nvidia-modprobe" <<'TOOL'
#!/usr/bin/env bash
echo "$*" >>"$0.log"
TOOL
cat >"$work/bin/nvidia-cuda-mps-control" <<'TOOL'
#!/usr/bin/env bash
# A GPU's MPS, which keeps a record, or none.
[ -z "${NO_MPS:-}" ] || exit 1
if [ $# -eq 0 ]; then cat; else echo "$*"; fi >>"$0.log"
TOOL
chmod +x "$work/bin"/*
export PATH=$work/bin:$PATH
emulated=$build/lib/vendors/libdiopi_cuda_emulated.so

fail() {
  echo "check_test: $1" >&2
  tail -n 20 "$work/out" 2>/dev/null | cut -c1-300 >&2
  exit 1
}
check() { # check STATUS ARGUMENT...: ends so; what it printed is in $work/out
  local wanted=$1 status=0
  shift
  (cd "$work" && "$here/check.sh" "$build" --output "$work/results" "$@") >"$work/out" 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || fail "$*: exit status $status, expected $wanted"
}
says() { grep -qE -- "$1" "${2:-$work/out}" || fail "no '$1' in ${2:-what it printed}"; }

# Usage, and a library that cannot be used: a plain error, and nothing left.
check 2 --steps core,dance
says "'dance' is no step"
check 2 --limit-s soon
check 2 --speed
says "unknown option --speed"
check 2 ../elsewhere
check 2 --impl /no/such.so
says "there is no /no/such.so"
CUDA_VISIBLE_DEVICES='' check 2
says "no CUDA device|there is no .*libdiopi_cuda.so|cannot open shared object"
check 2 --impl "$build/lib/vendors/elf_odd.so"
says "elf_dependency.so: cannot open shared object file"
[ ! -e "$work/results" ] || fail "results of a machine without a GPU"

# What Python's packages bring is found: the same library's next complaint is another.
mkdir -p "$work/site/nvidia/cu13"
ln -s "$build/lib/vendors/aside" "$work/site/nvidia/cu13/lib"
PYTHONPATH=$work/site DIOPI_PYTHON=/usr/bin/python3 check 2 --impl "$build/lib/vendors/elf_odd.so"
says "undefined symbol"

# A library that needs what the sandbox refuses (this one asks for a raw socket) runs without it, and that is said.
if [ "$(id -u)" -eq 0 ]; then
  check 1 --impl "$build/lib/vendors/vendor_escapes.so" --steps versions,core --fname relu
  says "core +FAILED .* 0 of 0 called cases" # it has no relu
  says "works in workers with --sandbox off only"
  says "sandbox: off" "$work/results/versions/versions.txt"
  rm -r "$work/results"
fi

# Every step with a library that stands for the GPU. PyTorch is not everywhere.
steps=versions,core,pack,memcheck,racecheck
export DIOPI_PYTHON=/usr/bin/python3 DIOPI_TIMING_OPTIONS="--core --samples 2 --calls 2"
! "$DIOPI_PYTHON" -c 'import torch' 2>/dev/null || steps+=,timing
check 0 --impl "$emulated" --device cpu --steps "$steps" --fname floor softmax
for step in ${steps//,/ }; do says "^$step +passed in"; done
cp "$work/results/summary.txt" "$work/summary"
says "versions.*passed" "$work/summary"
says '^library: \{"library": "libdiopi_cuda_emulated.so", "sha256"' "$work/results/versions/versions.txt"
! grep "$work" "$work/summary" || fail "paths of this machine in the summary"
says "synccheck +not run" "$work/summary"
says "softmax" "$work/results/core/report.txt"
[ ! -e "$work/results/core/blame.txt" ] || fail "somebody is to blame where nothing fails"
tar --list --file "$work/results.tar.gz" results/summary.txt >/dev/null || fail "the results are not in one file"
# The device files are made before the first worker, which could not.
[ -e /dev/nvidia-uvm ] || says '^-u -c=0$' "$work/bin/nvidia-modprobe.log"
says '"cases"|"verdicts"|"run' "$work/results/core/report.json"
says "The pack is correct" "$work/results/pack/log.txt"
[ -s "$work/results/pack/nvidia.h5" ] || fail "no pack"
says "memcheck +passed in .*: [0-9]{3,} cases in [1-9][0-9]* starts, 0 findings"
[ "$(wc -l <"$work/results/memcheck/findings.txt")" -eq 0 ] || fail "findings where there are none"
case "$steps" in *timing*) says '\| Floor \| float32 \|' "$work/results/timing/timing.md" ;; esac

# Several workers share the GPU through NVIDIA's MPS, which runs for that time only and which a sandbox would hide.
[ ! -e "$work/bin/nvidia-cuda-mps-control.log" ] || fail "MPS for one worker"
check 0 --impl "$emulated" --steps core,memcheck --workers 2 --fname floor
[ "$(paste -sd' ' "$work/bin/nvidia-cuda-mps-control.log")" = "-d quit" ] || fail "MPS was not started and stopped once"
says '"sandbox":"off' "$work/results/core/report.json"
NO_MPS=yes check 0 --impl "$emulated" --steps core --workers 2 --fname floor
says "MPS .* does not run here: 2 workers take turns"
says '"sandbox":"default' "$work/results/core/report.json"

# Findings are told with their case, that case runs again alone, and the steps after it are made.
FOUND="memcheck:softmax.float32.row_7 memcheck:softmax.float16.row_33" check 1 --impl "$emulated" \
  --steps memcheck,racecheck --fname softmax
says "memcheck +FAILED .* 2 findings"
says "racecheck +passed"
says '^softmax.float32.row_7: Invalid __global__ read of size 4 bytes, in void diopi::.*<Sum>\(long, T1\) \(1 times\)$' \
  "$work/results/memcheck/findings.txt"
says $'^2\tvoid diopi::ops::cuda::ForEachKernel<Sum>\\(long, T1\\)\tInvalid' "$work/results/memcheck/kernels.txt"
for id in softmax.float32.row_7 softmax.float16.row_33; do says "^$id\$" "$work/results/memcheck/alone.txt"; done
says "at void diopi" "$work/results/memcheck/softmax.float32.row_7.log"
says "pack +passed" "$work/results/summary.txt" # of the run before

# Races in NVIDIA's kernels, and errors that NVIDIA's libraries handle, are not ours.
THEIRS=racecheck:softmax.float32.row_7 check 0 --impl "$emulated" --steps racecheck --fname softmax
says "racecheck +passed .* 0 findings, 1 races in NVIDIA's kernels or faults of the tool"
says '^softmax.float32.row_7: Error: Race reported .*cudnn' "$work/results/racecheck/others.txt"
BREAKS=racecheck:softmax.float32.row_7 check 0 --impl "$emulated" --steps racecheck --fname softmax
says '^softmax.float32.row_7: Internal Sanitizer Error' "$work/results/racecheck/others.txt"
[ ! -s "$work/results/racecheck/findings.txt" ] || fail "a fault of the tool is a finding"
OLD=yes check 0 --impl "$emulated" --steps memcheck --fname softmax
says "memcheck +passed .* 0 findings$"
says "Program hit cudaErrorInvalidValue" "$work/results/memcheck/1.0.log"

# A start that has had its time is followed by another, until every case was called.
reached() { sed -n 's/^memcheck .*: \([0-9]*\) cases in \([0-9]*\) starts, 0 findings$/\1 \2/p' "$work/out"; }
read -r all one <<<"$(reached)"
SLOW=yes check 0 --impl "$emulated" --steps memcheck --fname softmax
read -r slowly many <<<"$(reached)"
{ [ "$one" -eq 1 ] && [ "$many" -gt 1 ] && [ "$slowly" -eq "$all" ]; } || fail "$slowly of $all cases in $many starts"

# A GPU in exclusive mode: one process at a time, and no PyTorch beside it.
MODE=Exclusive_Process ALONE=yes check 1 --impl "$emulated" --steps versions,memcheck,timing --fname add softmax floor
says "memcheck +passed in .* [0-9]{3,} cases in ([2-9]|[1-9][0-9]) starts"
says "timing +FAILED .* exclusive mode.*nvidia-smi -c DEFAULT"
says "exclusive mode" "$work/results/versions/versions.txt"

# An old driver: NVIDIA's forward-compatibility library is used where it is, and otherwise missed.
mkdir "$work/compat"
DIOPI_CUDA_COMPAT=$work/compat DRIVER=470.1 check 0 --impl "$emulated" --steps versions --fname floor
says "driver is 470.1, the library needs 525 or newer: no forward-compatibility library found"
touch "$work/compat/libcuda.so.1"
DIOPI_CUDA_COMPAT=$work/compat DRIVER=470.1 check 0 --impl "$emulated" --steps versions,memcheck --fname floor
says "the library needs 525 or newer: using $work/compat"
says "^forward compatibility: $work/compat" "$work/results/versions/versions.txt"
says "^$work/compat" "$work/bin/compute-sanitizer.path"

# Whose failures they are.
DIOPI_CUDA_EMULATED_FAULT=lt check 1 --impl "$emulated" --steps core --fname mm floor
says "core +FAILED .*; 1 failing operators, see core/blame.txt"
says "^bmm: ([0-9]+) failing cases, of which \1 pass without cuDNN and cuBLASLt: NVIDIA's libraries" "$work/results/core/blame.txt"
check 1 --impl "$build/lib/vendors/libdiopi_faulty.so" --steps core --fname add
says "^add: [0-9]+ failing cases, of which 0 pass without cuDNN and cuBLASLt: our code$" "$work/results/core/blame.txt"

# A tool that does not work here, a library that is wrong, no time: said, and no step is passed.
REFUSES=yes check 1 --impl "$emulated" --steps memcheck --fname floor
says "memcheck +FAILED .* does not work here: .*Device not supported"
HANGS=yes check 1 --impl "$emulated" --steps memcheck --limit-s 8 --fname floor
says "memcheck +FAILED .* 0 cases in 1 starts, 0 findings; 1 of 1 parts did not end: not all cases were reached"
check 1 --impl "$build/lib/vendors/libdiopi_faulty.so" --steps core,memcheck --fname add
says "core +FAILED"
says "memcheck +passed"
check 1 --impl "$emulated" --steps core,pack,memcheck,timing --limit-s 0 --fname floor
[ "$(grep -c 'NOT DONE (time)' "$work/out")" -eq 4 ] || fail "steps without time"
echo "check_test: passed"
