#!/usr/bin/env bash
# Installs the Debian packages named in the lists given (default: packages.txt beside this script).
# A line "NAME unless COMMAND" is skipped if COMMAND is on PATH already.
# Idempotent; takes a fraction of a second when nothing is missing. Docker images and laptops use the same script.
# usage: install-packages.sh [--clean] [LIST ...]    --clean: keep no package index, as an image should
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
clean=no
if [ "${1:-}" = --clean ]; then
  clean=yes
  shift
fi
[ $# -gt 0 ] || set -- "$here/packages.txt"

wanted=()
for list in "$@"; do
  [ -r "$list" ] || { echo "install-packages: cannot read the package list $list" >&2; exit 2; }
  while read -r name word command _; do
    case "$name" in ''|'#'*) continue ;; esac
    [ "$word" != unless ] || ! command -v "$command" >/dev/null || continue
    wanted+=("$name")
  done <"$list"
done

installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' | sed -n 's/^installed \([^:]*\).*/\1/p')
missing=()
for name in "${wanted[@]}"; do
  grep -qxF -- "$name" <<<"$installed" || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "install-packages: these packages are missing and only root can install them: ${missing[*]}" >&2
  echo "install-packages: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 2
fi
echo "install-packages: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update -q && apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "install-packages: apt-get failed, see above" >&2
  exit 3
fi
if [ "$clean" = yes ]; then
  apt-get clean
  rm -rf /var/lib/apt/lists/*
fi
