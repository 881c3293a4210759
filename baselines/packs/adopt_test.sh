#!/usr/bin/env bash
# adopt.sh on results of check.sh with another library as the device, in a clone of the checkout.
# usage: adopt_test.sh BUILD
set -euo pipefail
build=$(realpath "${1:?"usage: adopt_test.sh BUILD"}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "adopt_test: $1" >&2
  tail -n 20 "$work/out" >&2
  exit 1
}
emulated=$build/lib/vendors/libdiopi_cuda_emulated.so
(cd "$work" && "$here/check.sh" "$build" --impl "$emulated" --steps versions,core,pack --output results --fname floor) \
  >"$work/out" 2>&1 || fail "no results"
mkdir "$work/results/timing" "$work/results/memcheck"
echo "| a table |" >"$work/results/timing/timing.md"
echo "1 kernel" >"$work/results/memcheck/kernels.txt"
tar --directory "$work" -czf "$work/results.tar.gz" results

git -c advice.detachedHead=false clone --quiet "$here/../.." "$work/clone"
# What is tested, whether it is committed or not.
cp "$here"/*.sh "$work/clone/baselines/packs/"
git -C "$work/clone" add .
git -C "$work/clone" config user.name tester
git -C "$work/clone" config user.email tester@localhost
git -C "$work/clone" commit --quiet --allow-empty --message "what is tested"
adopt() { # adopt STATUS TEXT ARGUMENT...
  local wanted=$1 text=$2 status=0
  shift 2
  "$work/clone/baselines/packs/adopt.sh" "$build" "$@" >"$work/out" 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || fail "adopt $*: exit status $status, expected $wanted"
  grep -qF -- "$text" "$work/out" || fail "adopt $*: no '$text'"
}
adopt 2 "cannot be read" "$work/none.tar.gz"
adopt 2 "cannot name a pack" "$work/results.tar.gz" ../x
echo changed >>"$work/clone/README.md"
adopt 2 "the checkout has changes" "$work/results.tar.gz" h100
git -C "$work/clone" checkout --quiet README.md

# A pack with a changed byte: refused, and nothing is left.
cp -r "$work/results" "$work/damaged"
size=$(stat -c %s "$work/damaged/pack/nvidia.h5")
printf '\377\377\377\377\377\377\377\377' |
  dd of="$work/damaged/pack/nvidia.h5" bs=1 seek=$((size / 2)) conv=notrunc status=none
tar --directory "$work" -czf "$work/damaged.tar.gz" damaged
adopt 2 "the pack is not correct" "$work/damaged.tar.gz" h100
[ -z "$(git -C "$work/clone" status --porcelain)" ] || fail "something was left of a refused pack"

adopt 0 "NVIDIA pack h100" "$work/results.tar.gz" h100
committed=$(git -C "$work/clone" show --name-only --format=%B HEAD)
for text in "core       passed" baselines/packs/h100.h5 baselines/packs/h100/summary.txt baselines/packs/h100/versions.txt \
  baselines/packs/h100/core-report.txt baselines/packs/h100/memcheck-kernels.txt baselines/timing/h100.md; do
  grep -qF -- "$text" <<<"$committed" || fail "the commit has no $text"
done
! grep -r "$work\|$build" "$work/clone/baselines/packs/h100" || fail "paths of this machine are committed"
cmp "$work/results/pack/nvidia.h5" "$work/clone/baselines/packs/h100.h5"
[ -z "$(git -C "$work/clone" status --porcelain)" ] || fail "something is not committed"
echo "adopt_test: passed"
