#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# slurm_test.sh PROGRAM CAMPAIGN: a campaign on a real Slurm of two nodes that this script starts. In the middle
# a node is drained and its job requeued, and a job on the other is killed: nothing is lost, nothing is
# counted twice. Exit code 77, "skipped", where Slurm is not installed.
set -euo pipefail
program=$1 campaign=$2
for need in slurmctld slurmd munged sbatch; do
  command -v "$need" >/dev/null || {
    echo "skipped: no $need here (Debian: slurm-wlm, munge)"
    exit 77
  }
done
source "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"
folder=$(mktemp -d)
ended() {
  local code=$?
  ((code == 0)) || tail -n 4 "$folder"/c/logs/*.txt "$folder"/slurm/log/slurmctld 2>/dev/null || true
  slurm_stop
  rm -rf "$folder"
}
trap ended EXIT
trap 'exit 143' TERM INT
wrong() {
  echo "FAILED: $*" >&2
  exit 1
}
# until_true SECONDS WHAT COMMAND...
until_true() {
  local seconds=$1 what=$2 end
  shift 2
  end=$((SECONDS + seconds))
  until "$@"; do
    ((SECONDS < end)) || wrong "not after $seconds s: $what"
    sleep 0.1
  done
}
results() { find "$folder/c/shards" -name '*.json' | wc -l; }
has_results() { (($(results) >= $1)); }
# The first running task of the campaign on a node, as JOB_INDEX.
running_on() { squeue --noheader --states=RUNNING --nodelist="$1" --name=gauntlet-task --format=%i | head -n 1; }
runs_on() { [[ -n $(running_on "$1") ]]; }
state_of() { scontrol show job "$1" 2>/dev/null | sed -n 's/^ *JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }
nothing_queued() { [[ -z $(squeue --noheader) ]]; }
is_drained() { [[ $(sinfo --noheader --Node --nodes="$1" --format=%T) == drain* ]]; }

export GAUNTLET_PROGRAM=$program
words=(wide_active --cases 400 --no-regressions)
shards=12
"$program" check "${words[@]}" --jobs 1 --json "$folder/whole.json" >"$folder/whole.txt" &
whole=$!

slurm_start "$folder/slurm" n1 n2
"$campaign" start "$folder/c" --shards "$shards" --tasks 4 --shrink-tasks 2 -- "${words[@]}"
until_true 60 "the first result" has_results 1

# A node is drained; what ran there starts again elsewhere.
until_true 100 "a task on n1" runs_on n1
requeued=$(running_on n1)
scontrol update NodeName=n1 State=DRAIN Reason=test
scontrol requeue "$requeued"
until_true 100 "n1 is drained" is_drained n1

# A task is killed with its script: it loses what it was at. It has just begun, so that this is not nothing.
before=$(running_on n2)
until_true 100 "another task on n2" eval 'killed=$(running_on n2); [[ -n $killed && $killed != "$before" ]]'
scancel --full --signal=KILL "$killed"
until_true 100 "the killed task has ended" eval '[[ $(state_of "$killed") != RUNNING ]]'
scontrol update NodeName=n1 State=RESUME

until_true 200 "the queue is empty" nothing_queued
has_results "$shards" && wrong "the killed task $killed lost nothing: it was not in the middle"
[[ ! -e $folder/c/report.html ]] || wrong "a report of a campaign that lacks shards"
[[ $("$campaign" status "$folder/c") == *"shards     $(results) of $shards"* ]] || wrong "status counts otherwise"
grep -qh "shards have no result yet" "$folder"/c/logs/collect-*.txt || wrong "the collecting job said nothing"
for part in "$folder"/c/shards/*.json; do
  python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$part" || wrong "$part is not whole"
done

"$campaign" resume "$folder/c"
until_true 200 "the queue is empty again" nothing_queued
has_results "$shards" || wrong "shards are still missing"
[[ -f $folder/c/report.html && -s $folder/c/summary.txt ]] || wrong "no report"
[[ -z $(find "$folder/c" -name '*.part') ]] || wrong "something is half written"
wait "$whole" || true
diff "$folder/whole.json" "$folder/c/merged.json" || wrong "the merged result is not that of the whole run"
echo "as the whole run: $(tail -n 1 "$folder/c/summary.txt"); requeued $requeued, killed $killed"
