#!/usr/bin/env bash
# Checks the units with systemd-analyze, with the programs of a build folder instead of installed ones.
# usage: systemd_test.sh PREFIX    (such as a build folder). Exit status 77: there is no systemd-analyze.
set -euo pipefail
prefix=$(realpath "${1:?"usage: systemd_test.sh PREFIX"}")
here=$(cd "$(dirname "$0")" && pwd)
command -v systemd-analyze >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "systemd_test: $*" >&2; exit 1; }
for unit in diopi-server.service diopi-agent@.service; do
  sed "s,/usr/local/bin/,$prefix/bin/,; s,/bin/kill,$(command -v kill)," "$here/$unit" >"$work/$unit"
done
mv "$work/diopi-agent@.service" "$work/diopi-agent@one.service"
for unit in diopi-server.service diopi-agent@one.service; do
  said=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no --recursive-errors=no "$work/$unit" 2>&1) ||
    fail "$unit: $said"
  # systemd only warns of an unknown key.
  grep -F "$unit" <<<"$said" && fail "$unit: $said"
done

# Exposure from 0 (none) to 10, times ten.
systemd-analyze security --offline=yes --threshold=15 "$work/diopi-server.service" >"$work/said" ||
  fail "diopi-server.service is more exposed than 1.5: $(tail -n 1 "$work/said")"
systemd-analyze security --offline=yes --threshold=40 "$work/diopi-agent@one.service" >"$work/said" ||
  fail "diopi-agent@.service is more exposed than 4.0: $(tail -n 1 "$work/said")"

# The programs have the units' options.
server_help=$("$prefix/bin/diopi-server" --help-all)
agent_help=$("$prefix/bin/diopi-agent" --help-all)
grep -qe --config <<<"$server_help" || fail "diopi-server has no --config"
for option in --serve --token-file; do
  grep -qe "$option" <<<"$agent_help" || fail "diopi-agent has no $option"
done
