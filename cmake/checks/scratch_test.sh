#!/usr/bin/env bash
# Tests that an operator consists only of its own files. Removes those of two operators (one of one line, one with a
# gradient and a shape rule) from a copy of the tree, which must build without them, and adds them again as a newcomer
# would: they must be built, listed, covered, generated, run, proven, fuzzed, cross-checked and timed. One more file, a
# made-up injected bug, stands beside its operator. The copy is an overlay at the tree's own path, so that only what these
# files change is built again.
# usage: scratch_test.sh BUILD_FOLDER; exit status 77: overlays are not available here
set -euo pipefail
build=$(realpath "${1:?"usage: scratch_test.sh BUILD_FOLDER"}")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
skip() { echo "scratch_test: skipped: $*"; exit 77; }
fail() { echo "scratch_test: $*" >&2; exit 1; }

if [ "${2:-}" != inside ]; then
  [ "${build#"$root/"}" != "$build" ] || skip "$build is not inside $root"
  unshare --mount true 2>/dev/null || skip "no mount namespaces"
  exec unshare --mount --propagation private "$0" "$build" inside
fi
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work" 2>/dev/null || skip "no tmpfs"
mkdir "$work/upper" "$work/work"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/work" "$root" 2>/dev/null || skip "no overlays"
cd "$root"

operators=(sgn unfold)
functions=4
mapfile -t ours < <(find cases/ops baselines -name '*.*' | grep -E "/($(IFS='|'; echo "${operators[*]}"))(_[a-z]+)?\.[a-z]+$")
programs=(case_compiler diopi-agent diopi-cli diopi-server diopi-worker diopi-proof diopi_cpu libdiopi_cuda_emulated
  libdiopi_mutants corpus_tests)
build() { ninja -C "$build" "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "it does not build"; }; }

tar -cf "$work/ours.tar" "${ours[@]}"
rm "${ours[@]}"
build case_compiler diopi-cli diopi_cpu
for operator in "${operators[@]}"; do
  ! "$build/bin/diopi-cli" list --fname "$operator" >"$work/out" 2>&1 || fail "$operator is listed without its files"
done
mkdir "$work/others"
python3 baselines/timing/points.py "$work/others"
for operator in "${operators[@]}"; do
  [ ! -e "$work/others/$operator" ] || fail "$operator is timed without its files"
done
tar -xf "$work/ours.tar"
touch "${ours[@]}"
cat >baselines/ops/tensor/unfold_bugs.cc <<'END'
#include "baselines/bugs/support.h"

namespace {
BUG(unfold_step_ignored, 0, "diopiUnfold", "", "every window begins one element after the last");
}

DIOPI_OVERRIDE(diopiUnfold, a) {
  if (unfold_step_ignored) a.step = 1;
  Good(a);
}
END
build "${programs[@]}"

# step NAME TEXT COMMAND...: the command succeeds and prints TEXT.
step() {
  local name=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "$name: exit status $?"; }
  grep -qE -- "$text" "$work/out" || { cat "$work/out" >&2; fail "$name: no '$text'"; }
  echo "$name: $(grep -m 1 -E -- "$text" "$work/out")"
}
bin=$build/bin
step list '^unfold .* diopiUnfold diopiUnfoldBackward' "$bin/diopi-cli" list
step reach "$functions functions, .* 0 holes" "$bin/diopi-cli" reach --holes --fname "${operators[@]}"
step gen 'operators written: 2,' "$bin/diopi-cli" gen --data "$work/data" --fname "${operators[@]}"
for library in libdiopi_cpu.so vendors/libdiopi_cuda_emulated.so; do
  step "$library" 'called cases pass \(100.00 %\)' "$bin/diopi-agent" --impl "$build/lib/$library" --data "$work/data" \
    --fname "${operators[@]}" --error-report "$work/errors"
done
# DIOPI_UNARY lines bring their own injected bugs: sgn's two functions, of one line, have two.
step proof 'injected bugs caught: 2 of 2 ' "$bin/diopi-proof" verdict --fname sgn --only 'sgn_*' --seeds 1
step 'proof of the made-up bug' 'injected bugs caught: 1 of 1 ' "$bin/diopi-proof" verdict --fname unfold \
  --only 'unfold_*' --seeds 1
# Both are timed at a model's size: sgn at the points of its class, without a file of its own.
mkdir "$work/points"
python3 baselines/timing/points.py "$work/points"
mkdir "$work/timed"
for operator in "${operators[@]}"; do mv "$work/points/$operator" "$work/timed/"; done
step time ' 0 without a time' "$bin/diopi-cli" time --impl "$build/lib/libdiopi_cpu.so" --fname "${operators[@]}" \
  --dtype float32 --cases "$work/timed" --largest 1 --samples 1 --calls 1 --warmup 1 --output "$work/times"
[ "$(grep -cE '"case": "(sgn|unfold)[.a-z]*\.float32\.model_' "$work/times")" = "$functions" ] ||
  { cut -c1-80 "$work/times" >&2; fail "not every function is timed at a model's size"; }
# Every operator's file is in the corpus of the fuzz target that reads such files.
step fuzz "cases/ops: $(find cases/ops -type f | wc -l) inputs" "$build/tests/corpus_tests" \
  --gtest_filter='operator_file_fuzz_corpus.EveryInputIsSurvived'
if /usr/bin/python3 -c 'import torch, h5py' 2>/dev/null; then
  step crosscheck ' 0 disagreements' baselines/crosscheck/run.sh "$build" --fname "${operators[@]}"
fi
echo "scratch_test: ${#operators[@]} operators, $functions functions: ${#ours[@]} files, $(cat "${ours[@]}" | wc -l) lines"
