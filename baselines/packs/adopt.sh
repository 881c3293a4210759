#!/usr/bin/env bash
# Commits what diopi-nvidia-check found on somebody's GPU: the pack, the timing table, and a folder with the summary, the
# versions and the tools' findings. ./run nvidia-adopt calls it. Nothing is committed unless the pack is correct.
# usage: adopt.sh BUILD RESULTS.tar.gz [NAME]
#   RESULTS   what diopi-nvidia-check wrote beside its folder      NAME  of the GPU, for files (default: nvidia)
set -euo pipefail
usage="usage: adopt.sh BUILD RESULTS.tar.gz [NAME]"
build=$(realpath "${1:?"$usage"}") results=${2:?"$usage"} name=${3:-nvidia}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
fail() {
  echo "nvidia-adopt: $1" >&2
  exit 2
}
case "$name" in *[!a-zA-Z0-9._-]* | .*) fail "'$name' cannot name a pack: letters, digits, '.', '_' and '-'" ;; esac
[ -r "$results" ] || fail "$results: cannot be read"
[ -z "$(git -C "$root" status --porcelain)" ] || fail "the checkout has changes; commit or remove them first"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar --extract --gzip --file "$results" --directory "$work" --no-same-owner || fail "$results: not what diopi-nvidia-check writes"
summary=$(find "$work" -maxdepth 2 -name summary.txt)
[ -n "$summary" ] || fail "$results: no summary.txt"
from=$(dirname "$summary")
pack=$(find "$from/pack" -maxdepth 1 -name '*.h5' -type f 2>/dev/null | head -n 1)
[ -n "$pack" ] || fail "$results: no pack; its step did not pass"
selection=()
[ ! -s "$from/selection.txt" ] || mapfile -t selection <"$from/selection.txt"
"$build/bin/diopi-cli" pack verify "$pack" "${selection[@]}" || fail "$results: the pack is not correct"

packs=$root/baselines/packs notes=$root/baselines/packs/$name
mkdir -p "$notes"
install -m 644 "$pack" "$packs/$name.h5"
install -m 644 "$summary" "$notes/summary.txt"
for file in versions/versions.txt core/report.txt core/blame.txt memcheck/{findings,kernels,others}.txt \
  racecheck/{findings,kernels,others}.txt; do
  # The report's library without its folder.
  [ ! -e "$from/$file" ] || sed 's#^\(Library  *\)/.*/#\1#' "$from/$file" >"$notes/$(tr / - <<<"${file#versions/}")"
done
[ ! -s "$from/timing/timing.md" ] || install -m 644 "$from/timing/timing.md" "$root/baselines/timing/$name.md"
git -C "$root" add --force baselines
git -C "$root" commit --quiet --message "NVIDIA pack $name, from a run of diopi-nvidia-check

$(cat "$summary")

$(cat "$notes/versions.txt" 2>/dev/null)"
git -C "$root" show --stat --format='%h %s' HEAD
echo "nvidia-adopt: committed. Read $notes before you push it."
