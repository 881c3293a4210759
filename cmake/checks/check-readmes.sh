#!/usr/bin/env bash
# Fails if a folder of the first two levels that holds sources has no README.md, or one longer than a page (60 lines).
set -euo pipefail
status=0
while read -r folder; do
  if [ ! -f "$folder/README.md" ]; then
    echo "$folder: no README.md" >&2
    status=1
  elif [ "$(wc -l <"$folder/README.md")" -gt 60 ]; then
    echo "$folder/README.md: longer than a page (60 lines)" >&2
    status=1
  fi
done < <(git ls-files | grep -E '\.(h|cc|c|cu|proto|textproto|sh|py)$' | grep '/' |
  awk -F/ '{print $1; if (NF > 2) print $1 "/" $2}' | sort -u | grep -v '^\.')
exit $status
