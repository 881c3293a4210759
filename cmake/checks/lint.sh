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
# clang cannot read the headers that gcc has precompiled: it takes a copy of their list, which has no compiled form beside it.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
cp "$build/CMakeFiles/diopi_test_headers.dir/cmake_pch.hxx" "$commands/"
sed -E "s#-include [^ ]*/cmake_pch\.hxx#-include $commands/cmake_pch.hxx#" "$build/compile_commands.json" \
  >"$commands/compile_commands.json"
# gcc checks promotions to double; clang's flag of the same name also objects to long double, which is meant.
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-Wno-double-promotion -p "$commands"
