#!/usr/bin/env bash
# Generates baselines into a fresh folder and compares them with PyTorch's own results; with --native, judges instead what
# PyTorch's kernels compute in each case's own dtype; with --both, does both.
# With --explore, compares the references of random calls with PyTorch's results, and with the emulated NVIDIA reference's.
# usage: run.sh BUILD_FOLDER [--native|--both] [--fname NAME ...]
#        run.sh BUILD_FOLDER --explore CALLS|TIME [options of explored.py]
set -euo pipefail
build=${1:?"usage: run.sh BUILD_FOLDER [--native|--both] [--fname NAME ...]"}
shift
what=--compare
case "${1:-}" in --native|--both) what=$1; shift ;; esac
here=$(cd "$(dirname "$0")" && pwd)
# One thread: the arrays are small, and OpenMP's idle threads cost more than they give.
export OMP_NUM_THREADS=1
# Debian's torch and h5py belong to /usr/bin/python3; another python3 may come first on PATH.
if [ "${1:-}" = --explore ]; then
  shift
  # The plain kernels, as below.
  ATEN_CPU_CAPABILITY=default PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "$here/explored.py" "$build" "$@"
fi
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
"$build/bin/diopi-cli" gen --data "$data" "$@" >"$data/gen.log" 2>&1 || { tail -n 40 "$data/gen.log" >&2; exit 3; }
selection=()
[ $# -eq 0 ] || selection=(--partial)
status=0
if [ "$what" != --native ]; then
  # PyTorch's plain kernels, which call the C library. Those for AVX2 and AVX-512 call SLEEF, whose range is smaller
  # (sinh(710) is infinite), and the processor and a tensor's strides decide which PyTorch uses.
  ATEN_CPU_CAPABILITY=default /usr/bin/python3 "$here/crosscheck.py" --data "$data" || status=$?
fi
if [ "$what" != --compare ]; then
  # PyTorch chooses kernels by processor: this makes it choose the same everywhere.
  ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 \
    /usr/bin/python3 "$here/native.py" --data "$data" --judge "$build/bin/diopi-judge" "${selection[@]}" || status=$?
fi
exit "$status"
