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
# FOUND: cases that have a finding. HANGS: whole operators do not end. REFUSES: the device is not supported, as on machines that forbid it.
set -euo pipefail
case "$1" in
  --version) echo "Version fake" && exit 0 ;;
  --help) echo "  --destroy-on-device-error arg (=context)" && exit 0 ;;
esac
tool=
while [[ $1 == --* ]]; do
  case "$1" in
    --tool) tool=$2 ;;
    --error-exitcode) [ "$2" -eq 99 ] ;;
    --print-limit) [ "$2" -gt 100 ] ;;
    --destroy-on-device-error) [ "$tool $2" = "memcheck kernel" ] ;;
    *) echo "compute-sanitizer: unknown option $1" >&2 && exit 1 ;;
  esac
  shift 2
done
echo "========= COMPUTE-SANITIZER"
if [ -n "${REFUSES:-}" ]; then
  echo "========= Device not supported. Please refer to the documentation"
  exit 1
fi
[ -z "${HANGS:-}" ] || [[ $* != *--fname* ]] || exec tail -f /dev/null
status=0
"$@" >"$0.$$" || status=$?
awk -v found=" ${FOUND:-} " -v tool="$tool" '{print}
  /^case / && index(found, " " tool ":" $2 " ") {
    print "========= Invalid __global__ read of size 4 bytes"
    print "=========     at kernel(float*)+0x10"
    print "=========         Host Frame: diopiSum"
    n++
  }
  END {print "========= ERROR SUMMARY: " n + 0 " errors"; exit n > 0 ? 99 : 0}' "$0.$$" || status=$?
rm "$0.$$"
exit "$status"
TOOL
chmod +x "$work/bin/compute-sanitizer"
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
check 0 --impl "$emulated" --device cpu --steps "$steps" --fname add softmax
for step in ${steps//,/ }; do says "^$step +passed in"; done
cp "$work/results/summary.txt" "$work/summary"
says "versions.*passed" "$work/summary"
says "synccheck +not run" "$work/summary"
says "softmax" "$work/results/core/report.txt"
says '"cases"|"verdicts"|"run' "$work/results/core/report.json"
says "The pack is correct" "$work/results/pack/log.txt"
[ -s "$work/results/pack/nvidia.h5" ] || fail "no pack"
says "memcheck +passed in .*: [0-9]{3,} cases in [1-9][0-9]* starts, 0 findings"
[ "$(wc -l <"$work/results/memcheck/findings.txt")" -eq 0 ] || fail "findings where there are none"
case "$steps" in *timing*) says '\| Add \| float32 \|' "$work/results/timing/timing.md" ;; esac

# Findings are told with their case, that case runs again alone, and the steps after it are made.
FOUND="memcheck:softmax.float32.row_7 memcheck:softmax.float16.row_33" check 1 --impl "$emulated" \
  --steps memcheck,racecheck --fname softmax
says "memcheck +FAILED .* 2 findings"
says "racecheck +passed"
says '^softmax.float32.row_7: Invalid __global__ read of size 4 bytes \(1 times\)$' "$work/results/memcheck/findings.txt"
says '^softmax.float16.row_33$' "$work/results/memcheck/alone.txt"
says "at kernel" "$work/results/memcheck/softmax.float32.row_7.log"
says "pack +passed" "$work/results/summary.txt" # of the run before

# A tool that does not work here, a library that is wrong, no time: said, and no step is passed.
REFUSES=yes check 1 --impl "$emulated" --steps memcheck --fname add
says "memcheck +FAILED .* does not work here: .*Device not supported"
HANGS=yes check 1 --impl "$emulated" --steps memcheck --limit-s 8 --fname add
says "memcheck +FAILED .* 0 cases in 1 starts, 0 findings; 1 starts did not end: not all cases were reached"
check 1 --impl "$build/lib/vendors/libdiopi_faulty.so" --steps core,memcheck --fname add
says "core +FAILED"
says "memcheck +passed"
check 1 --impl "$emulated" --steps core,pack,memcheck,timing --limit-s 0 --fname add
[ "$(grep -c 'NOT DONE (time)' "$work/out")" -eq 4 ] || fail "steps without time"
echo "check_test: passed"
