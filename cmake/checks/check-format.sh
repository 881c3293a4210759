#!/usr/bin/env bash
# Fails and names the files if any source is not formatted as .clang-format says. --fix formats them.
set -euo pipefail
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.cc' '*.c' '*.cu' '*.cuh')
if [ "${1:-}" = --fix ]; then
  clang-format -i "${files[@]}"
else
  printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror
fi
