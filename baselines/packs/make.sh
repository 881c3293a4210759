#!/usr/bin/env bash
# Runs all of core on this machine's NVIDIA GPU, packs it into NAME.h5 and verifies that. A wrong pack leaves no file.
# ./run nvidia-pack and check.sh call it.
# usage: make.sh PREFIX [NAME] [--folder DIR] [--data DIR] [--impl LIB] [--sandbox MODE] [--fname OPERATOR ...]
#   PREFIX    holds bin and lib: a build folder, a bundle           NAME    of the pack (default: nvidia)
#   --folder  where NAME.h5 goes (default: beside this script)      --data  folder for baselines, kept (default: none)
#   --impl    another device's library (default: PREFIX/lib/libdiopi_cuda.so)   --fname  only these operators
#   --sandbox default, off: of the worker         --workers processes on the device at a time (default: 1)
set -euo pipefail
prefix=${1:?"usage: make.sh PREFIX [NAME] [options]; the head of this script explains them"}
shift
name=nvidia folder=$(dirname "$0") data=
device=(--reference cuda) sandbox=default workers=1 selection=()
while [ $# -gt 0 ]; do
  case "$1" in
    --folder) folder=$2 && shift ;;
    --data) data=$2 && shift ;;
    --impl) device=(--device-reference "$2") && shift ;;
    --sandbox) sandbox=$2 && shift ;;
    --workers) workers=$2 && shift ;;
    --fname) shift && selection=(--fname "$@") && break ;;
    --*) echo "nvidia-pack: unknown option $1" >&2 && exit 2 ;;
    *) name=$1 ;;
  esac
  shift
done
case "$name" in
  *[!a-zA-Z0-9._-]* | .*)
    echo "nvidia-pack: '$name' cannot name a pack: letters, digits, '.', '_' and '-'" >&2
    exit 2
    ;;
esac
pack=$folder/$name.h5
work=$(mktemp -d)
trap 'rm -rf "$work" "$pack.tmp"' EXIT
data=${data:-$work/data}

cli=$prefix/bin/diopi-cli
"$cli" gen "${device[@]}" --sandbox "$sandbox" --workers "$workers" --data "$data" --quiet "${selection[@]}"
# Small enough for the repository: with all elements, core takes 350 MiB.
"$cli" pack make "$work/pack.h5" --full-bytes 2048 --samples 64 --data "$data" "${selection[@]}"
"$cli" pack verify "$work/pack.h5" "${selection[@]}"
cp "$work/pack.h5" "$pack.tmp"
mv "$pack.tmp" "$pack"
echo "Packed: $pack ($(stat -c %s "$pack") bytes)"
