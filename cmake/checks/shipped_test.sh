#!/usr/bin/env bash
# Tests that what is shipped is configured for every NVIDIA device, though a build for tests is not. Only configures.
set -euo pipefail
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake --preset shipped -B "$build" -DDIOPI_WEB=OFF >"$build/log" 2>&1 || { tail -n 20 "$build/log" >&2; exit 1; }
if ! grep -q '^-- CUDA: for ' "$build/log"; then
  echo "shipped_test: skipped: $(grep -m 1 '^-- CUDA' "$build/log")"
  exit 77
fi
compile=$(ninja -C "$build" -t commands diopi_cuda | grep -E 'nvcc.* -c .*\.cu ')
for code in sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 compute_75; do
  without=$(grep -cv "code=\[[a-z0-9_,]*\<$code\>" <<<"$compile" || true)
  [ "$without" -eq 0 ] || { echo "shipped_test: $without files are not compiled for $code" >&2; exit 1; }
done
without=$(grep -cv -- ' -lineinfo ' <<<"$compile" || true)
[ "$without" -eq 0 ] || { echo "shipped_test: $without files have no lines for compute-sanitizer" >&2; exit 1; }
for command in install bundle nvidia-check nvidia-pack; do
  sed -n "/^  $command)/,/^    ;;/p" run | grep -q 'compile shipped diopi_shipped' ||
    { echo "shipped_test: ./run $command does not build the preset shipped" >&2; exit 1; }
done
echo "shipped_test: $(wc -l <<<"$compile") files for every device"
