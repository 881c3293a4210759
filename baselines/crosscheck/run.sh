#!/usr/bin/env bash
# Generates baselines into a fresh folder and compares them with PyTorch's own results.
# usage: run.sh BUILD_FOLDER [--fname NAME ...]
set -euo pipefail
build=${1:?"usage: run.sh BUILD_FOLDER [--fname NAME ...]"}
shift
here=$(cd "$(dirname "$0")" && pwd)
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
"$build/bin/diopi-cli" gen --data "$data" "$@" >"$data/gen.log" 2>&1 || { tail -n 40 "$data/gen.log" >&2; exit 3; }
# Debian's torch and h5py belong to /usr/bin/python3; another python3 may come first on PATH.
# One thread: the arrays are small, and OpenMP's idle threads cost more than they give.
OMP_NUM_THREADS=1 /usr/bin/python3 "$here/crosscheck.py" --data "$data"
