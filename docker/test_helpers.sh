# shellcheck shell=bash
# For the tests of this folder, which source it: they set work to a folder of their own.

fail() {
  echo "$(basename "$0" .sh): $1" >&2
  tail -n 15 "$work/out" 2>/dev/null | cut -c1-300 >&2
  exit 1
}
expect() { # expect STATUS TEXT COMMAND...: the command exits with STATUS and prints TEXT
  local wanted=$1 text=$2 status=0
  shift 2
  "$@" >"$work/out" 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || fail "$*: exit status $status, expected $wanted"
  [ -z "$text" ] || grep -qF -- "$text" "$work/out" || fail "$*: no '$text' in what it printed"
}
