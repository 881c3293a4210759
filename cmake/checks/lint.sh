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
# Of the build's commands those that clang understands: none of nvcc's, and no headers that gcc has precompiled, but a copy
# of their list, which has no compiled form beside it.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
cp "$build/CMakeFiles/diopi_test_headers.dir/cmake_pch.hxx" "$commands/"
python3 - "$build/compile_commands.json" "$commands" <<'PYTHON'
import json, re, sys
entries = [entry for entry in json.load(open(sys.argv[1])) if "nvcc" not in entry["command"].split()[0]]
for entry in entries:
    entry["command"] = re.sub(r"\S*/cmake_pch\.hxx", sys.argv[2] + "/cmake_pch.hxx", entry["command"])
json.dump(entries, open(sys.argv[2] + "/compile_commands.json", "w"))
PYTHON
# gcc checks promotions to double; clang's flag of the same name also objects to long double, which is meant.
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-Wno-double-promotion -p "$commands"
