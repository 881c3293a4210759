#!/usr/bin/env bash
# Starts a run in shards on a Slurm cluster: an array of shards, then a job that merges and reports them.
# usage: DIOPI_PREFIX=/opt/diopi DIOPI_OUT=/shared/folder submit.sh SHARDS AGENT_ARGUMENT...
#   DIOPI_PREFIX  where `./run install` put the programs; DIOPI_OUT  a folder that every node sees, for this run alone
#   example: ... submit.sh 8 --impl /path/to/libdiopi_impl.so --chip a1
# DIOPI_SBATCH holds further arguments for the array's sbatch: "--gres=gpu:1 --partition=chips"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
count=${1:?"usage: submit.sh SHARDS AGENT_ARGUMENT..."}
shift
case "$count" in
  *[!0-9]*|0*) echo "submit.sh: SHARDS is '$count'; expected a number from 1" >&2; exit 2 ;;
esac
: "${DIOPI_PREFIX:?"where ./run install put the programs"}" "${DIOPI_OUT:?"a folder that every node sees"}"
[ -x "$DIOPI_PREFIX/bin/diopi-agent" ] || { echo "submit.sh: no $DIOPI_PREFIX/bin/diopi-agent" >&2; exit 2; }
if ! mkdir -p "$(dirname "$DIOPI_OUT")" || ! mkdir "$DIOPI_OUT"; then
  echo "submit.sh: DIOPI_OUT: $DIOPI_OUT must be a folder that does not exist yet" >&2
  exit 2
fi
export DIOPI_PREFIX DIOPI_OUT
read -ra more <<<"${DIOPI_SBATCH:-}"
job=$(sbatch --parsable --array="0-$((count - 1))" --output="$DIOPI_OUT/shard-%a.log" "${more[@]}" \
  "$here/shard.sbatch" "$@")
job=${job%%;*}
# afterany: a shard in which cases fail exits with 1, but still belongs to the run.
sbatch --parsable --dependency="afterany:$job" --output="$DIOPI_OUT/merge.log" "$here/merge.sbatch" "$count" >/dev/null
echo "array job $job; the report will be $DIOPI_OUT/report.txt"
