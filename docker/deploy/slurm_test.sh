#!/usr/bin/env bash
# The Slurm scripts, run by bash: a stand-in for sbatch sets SLURM_* as Slurm does and runs one task after another.
# usage: slurm_test.sh PREFIX    (a build folder is one)
set -euo pipefail
prefix=$(realpath "${1:?"usage: slurm_test.sh PREFIX"}")
slurm=$(cd "$(dirname "$0")/slurm" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
cat >"$work/bin/sbatch" <<'SBATCH'
#!/usr/bin/env bash
# Runs the script at once; accepts the options that submit.sh uses and refuses others. Index $LOST never starts.
set -euo pipefail
array=0-0 output=/dev/null dependency=
while [[ ${1:-} == --* ]]; do
  case "$1" in
    --array=*) array=${1#*=} ;;
    --output=*) output=${1#*=} ;;
    --dependency=afterany:7) dependency=yes ;;
    --parsable|--gres=*) ;;
    *) echo "sbatch: unknown option $1" >&2; exit 1 ;;
  esac
  shift
done
script=$1
shift
cp "$script" "$SPOOL"  # as Slurm does: the script no longer lies beside the others
if [ -n "$dependency" ]; then
  env -u SLURM_ARRAY_TASK_ID bash "$SPOOL" "$@" >"$output" 2>&1 && echo 0 >"$CODES/merge" || echo $? >"$CODES/merge"
  exit 0
fi
export SLURM_ARRAY_TASK_COUNT=$((${array#*-} + 1))
for ((i = 0; i < SLURM_ARRAY_TASK_COUNT; ++i)); do
  [ "$i" != "${LOST:-}" ] || continue
  SLURM_ARRAY_TASK_ID=$i bash "$SPOOL" "$@" >"${output/\%a/$i}" 2>&1 && code=0 || code=$?
  echo "$code" >"$CODES/$i"
done
echo "7;cluster"
SBATCH
chmod +x "$work/bin/sbatch"
export PATH=$work/bin:$PATH SPOOL=$work/slurm_script DIOPI_PREFIX=$prefix

fail() { echo "slurm_test: $*" >&2; exit 1; }
submit() { # submit NAME SHARDS ARGUMENT...
  export DIOPI_OUT=$work/$1 CODES=$work/$1.codes
  shift
  mkdir -p "$CODES"
  "$slurm/submit.sh" "$@" >"$work/out" 2>"$work/err"
}
same() { [ "$1" = "$2" ] || fail "$3: '$1', expected '$2'"; }
codes() { (cd "$CODES" && tail -qn 1 -- * | paste -sd ' '); }

submit whole 1 --impl "$prefix/lib/libdiopi_cpu.so" --chip demo --fname relu,add
submit good 3 --impl "$prefix/lib/libdiopi_cpu.so" --chip demo --fname relu,add
same "$(codes)" "0 0 0 0" "exit statuses of three shards and their merging"
line() { sed -n 's/^Outcomes *//p' "$1"; }
same "$(line "$work/good/report.txt")" "$(line "$work/whole/report.txt")" "three shards against one"
[ -n "$(line "$work/good/report.txt")" ] || fail "the report has no outcomes"
grep -q '<testsuite' "$work/good/junit.xml" || fail "no junit.xml"

LOST=1 submit lost 3 --impl "$prefix/lib/libdiopi_cpu.so" --chip demo --fname relu
same "$(codes)" "0 0 2" "a shard that never ran"
grep -q 'shard-1' "$work/lost/merge.log" || fail "merge.log does not name the shard: $(cut -c1-300 "$work/lost/merge.log")"

DIOPI_SBATCH="--gres=gpu:1" submit faulty 2 --impl "$prefix/lib/vendors/libdiopi_faulty.so" --chip demo --fname add --timeout-s 2
grep -q 1 "$CODES/0" "$CODES/1" || fail "a faulty library passes in every shard"
same "$(cat "$CODES/merge")" 0 "merging shards with failures"

# Requeued: the shard's run continues and does not start again.
SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=1 SLURM_RESTART_COUNT=1 DIOPI_OUT=$work/whole \
  bash "$slurm/shard.sbatch" --impl "$prefix/lib/libdiopi_cpu.so" --chip demo --fname relu,add >"$work/out" 2>&1 ||
  fail "requeued: $(tail -n 3 "$work/out" | cut -c1-300)"
same "$("$prefix/bin/diopi-cli" runs --data "$work/whole/shard-0" | grep -cE '^[0-9]{8}-')" 1 "runs of a requeued shard"

for bad in 0 x -1; do
  ! submit "bad$bad" "$bad" --impl x || fail "SHARDS '$bad' is taken"
  grep -q "SHARDS is '$bad'" "$work/err" || fail "SHARDS '$bad': $(cat "$work/err")"
done
! submit good 1 --impl x || fail "a folder that exists is taken"
grep -q 'must be a folder that does not exist' "$work/err" || fail "$(cat "$work/err")"
echo "slurm_test: passed"
