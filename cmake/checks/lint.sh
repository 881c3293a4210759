#!/usr/bin/env bash
# clang-tidy's bugprone and performance checks (.clang-tidy) over every source of ours, or those given.
# usage: lint.sh BUILD_FOLDER [FILE ...]
set -euo pipefail
build=${1:?"usage: lint.sh BUILD_FOLDER [FILE ...]"}
shift
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- '*.cc')
fi
# gcc checks promotions to double; clang's flag of the same name also objects to long double, which is meant.
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-Wno-double-promotion -p "$build"
