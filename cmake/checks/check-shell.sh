#!/usr/bin/env bash
# Runs shellcheck over every shell script in the tree: files in git whose first line names a shell.
set -euo pipefail
mapfile -t scripts < <(git ls-files -z | xargs -0 awk '/^#!.*[\/ ](ba)?sh$/ { print FILENAME } { nextfile }')
[ ${#scripts[@]} -gt 0 ] || { echo "check-shell: no shell scripts; run this in the checkout" >&2; exit 2; }
shellcheck --external-sources "${scripts[@]}"
echo "check-shell: ${#scripts[@]} scripts"
