#!/usr/bin/env bash
# Runs shellcheck over every shell script in the tree: files in git whose first line names a shell.
set -euo pipefail
scripts=()
while IFS= read -r file; do
  case "$(head -c 64 "$file" | head -n 1 | tr -d '\0')" in
    '#!'*[/\ ]bash|'#!'*[/\ ]sh) scripts+=("$file") ;;
  esac
done < <(git ls-files)
[ ${#scripts[@]} -gt 0 ] || { echo "check-shell: no shell scripts; run this in the checkout" >&2; exit 2; }
shellcheck --external-sources "${scripts[@]}"
echo "check-shell: ${#scripts[@]} scripts"
