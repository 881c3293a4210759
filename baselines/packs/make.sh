#!/usr/bin/env bash
# baselines/packs/make.sh BUILD [NAME]: all of core on this machine's NVIDIA GPU, packed into NAME.h5 beside this
# script and verified. A pack that is not right leaves no file. ./run nvidia-pack calls it.
set -euo pipefail
build=$1
name=${2:-nvidia}
case "$name" in
  *[!a-zA-Z0-9._-]*|.*) echo "nvidia-pack: '$name' cannot name a pack: letters, digits, '.', '_' and '-'" >&2; exit 2 ;;
esac
pack=$(dirname "$0")/$name.h5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cli=$build/bin/diopi-cli
"$cli" gen --reference cuda --data "$work/data" --quiet
"$cli" pack make "$work/pack.h5" --data "$work/data"
"$cli" pack verify "$work/pack.h5"
cp "$work/pack.h5" "$pack.tmp"
mv "$pack.tmp" "$pack"
echo "Packed: $pack ($(stat -c %s "$pack") bytes)"
