#!/usr/bin/env bash
# What the NVIDIA reference's file says about itself, where it is built.
# usage: library_test.sh BUILD
set -euo pipefail
library=${1:?"usage: library_test.sh BUILD"}/lib/libdiopi_cuda.so
if [ ! -e "$library" ]; then
  echo "library_test: skipped: no $library"
  exit 77
fi
fail() {
  echo "library_test: $1" >&2
  exit 1
}
dynamic=$(readelf --dynamic --wide "$library")
symbols=$(objdump -T "$library")
grep -q 'NODELETE' <<<"$dynamic" || fail "dlclose would unload it, and its handles live on (nodelete)"
! grep -q 'cudnnPooling' <<<"$symbols" || fail "pooling by cuDNN: its maximum starts at the lowest finite number"
# The compiler is loaded by name where there is one: as a dependency the library could not be loaded without it.
! grep -q 'NEEDED.*libnvrtc' <<<"$dynamic" || fail "it cannot be loaded on a machine without NVRTC"
! grep -q 'NEEDED.*libcuda\.so' <<<"$dynamic" || fail "it cannot be loaded on a machine without a driver"
echo "library_test: passed"
