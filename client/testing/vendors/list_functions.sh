#!/usr/bin/env bash
# list_functions.sh NM ARCHIVE ABI_LIST LIST RENAMES: the functions of the ABI that an archive defines, as EACH(diopiX)
# lines and as objcopy's "diopiX good_diopiX".
set -euo pipefail
nm=$1 archive=$2 abi=$3 list=$4 renames=$5
comm -12 <("$nm" --defined-only --extern-only "$archive" 2>/dev/null | awk '$2 == "T" {print $3}' | LC_ALL=C sort -u) \
  <(sed -n 's/^EACH(\(.*\))$/\1/p' "$abi" | LC_ALL=C sort -u) >"$renames.names"
[ -s "$renames.names" ] || { echo "list_functions: $archive defines no function of $abi" >&2; exit 1; }
sed 's/.*/EACH(&)/' "$renames.names" >"$list"
sed 's/.*/& good_&/' "$renames.names" >"$renames"
rm "$renames.names"
