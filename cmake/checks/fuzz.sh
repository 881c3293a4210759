#!/usr/bin/env bash
# Runs every fuzz target of a build of preset "fuzz" for DIOPI_FUZZ_SECONDS (60) each, starting from the regression
# corpus in the repository and the inputs of earlier runs (BUILD/fuzz/NAME.found). Exits with 1 if a target has a
# finding; the input that shows it is BUILD/fuzz/NAME.finding-*. The script does not write to the repository.
# usage: fuzz.sh BUILD_FOLDER [TARGET...]
set -euo pipefail
build=${1:?"usage: fuzz.sh BUILD_FOLDER [TARGET...]"}
shift
seconds=${DIOPI_FUZZ_SECONDS:-60}
cd "$build/fuzz"
if [ $# -eq 0 ]; then
  set -- *.corpus
  set -- "${@%.corpus}"
fi

# Inputs that are slow or need much memory are findings, too.
limits=(-timeout=10 -rss_limit_mb=2048 -max_len=65536)
failed=0
printf '%-24s %12s %10s %8s %8s  %s\n' target executions per_s corpus features verdict
for target in "$@"; do
  mkdir -p "$target.found"
  log=$target.log
  mapfile -t corpus < <(sed '/^$/d' "$target.corpus")
  verdict=clean
  "./$target" "${limits[@]}" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$target.finding-" \
    "$target.found" "${corpus[@]}" >"$log" 2>&1 || { verdict="FINDING, see $PWD/$log"; failed=1; }
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
  features=$(sed -n 's/.* ft: \([0-9]*\).*/\1/p' "$log" | tail -1)
  printf '%-24s %12s %10s %8s %8s  %s\n' "$target" "$(stat number_of_executed_units)" \
    "$(stat average_exec_per_sec)" "$(find "$target.found" -type f | wc -l)" "${features:--}" "$verdict"
  [ "$verdict" = clean ] || grep -m 5 -E 'ERROR|SUMMARY|runtime error' "$log" || true
done
exit "$failed"
