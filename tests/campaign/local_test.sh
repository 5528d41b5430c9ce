#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# local_test.sh PROGRAM CAMPAIGN: ci/campaign --local is stopped in the middle, goes on, and comes to what one run
# comes to; what is asked wrongly is told in one line, with exit code 2.
set -euo pipefail
program=$1 campaign=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong() {
  echo "FAILED: $*" >&2
  exit 1
}
# refused TEXT COMMAND...: exit code 2, and one line that has the text.
refused() {
  local text=$1 code=0
  shift
  "$@" >"$folder/said" 2>&1 || code=$?
  ((code == 2)) || wrong "exit code $code of $*: $(cat "$folder/said")"
  (($(wc -l <"$folder/said") == 1)) || wrong "not one line of $*: $(cat "$folder/said")"
  grep -qF -- "$text" "$folder/said" || wrong "no \`$text\` of $*: $(cat "$folder/said")"
}
export GAUNTLET_PROGRAM=$program
# No form with indices that wrap, which takes long to shrink.
words=(wide_active@documented wide_active@fixed wide_active@fixed-active_range sequential@fixed
  --cases 40 --no-regressions)
c=$folder/c

refused "unknown word" "$campaign" sart "$c"
refused "name a folder" "$campaign" start
refused "nothing to check" "$campaign" start "$c" --local 2
refused "--shards few" "$campaign" start "$c" --local 2 --shards few -- wide_active
refused "unknown option \`--shard\`" "$campaign" start "$c" --local 2 --shard 3 -- wide_active
refused "wide_actve" "$campaign" start "$c" --local 2 -- wide_actve
refused "--json" "$campaign" start "$c" --local 2 -- wide_active --json out.json
refused "no campaign" "$campaign" resume "$c"
refused "no campaign" "$campaign" status "$c"
refused "no $folder/absent" env GAUNTLET_PROGRAM="$folder/absent" "$campaign" start "$c" --local 2 -- wide_active
# A machine without Slurm: all that the script needs but sbatch.
mkdir "$folder/bin"
for tool in bash env awk sed sort head tail wc mv mkdir realpath dirname nproc cat grep find rm; do
  ln -s "$(command -v "$tool")" "$folder/bin/$tool"
done
refused "no sbatch here" env PATH="$folder/bin" "$campaign" start "$c" -- wide_active
[[ ! -e $c ]] || wrong "a refused start left $c"

# Stopped in the middle: whole results only, and it goes on.
"$campaign" start "$c" --local 2 --shards 5 -- "${words[@]}" >"$folder/said" 2>&1 &
running=$!
until [[ -n $(find "$c/shards" -name '*.json' 2>/dev/null) ]]; do
  kill -0 "$running" || wrong "it ended by itself: $(cat "$folder/said")"
  sleep 0.02
done
kill -TERM "$running"
code=0
wait "$running" || code=$?
((code == 143)) || wrong "exit code $code after SIGTERM: $(cat "$folder/said")"
grep -q "resume" "$folder/said" || wrong "it does not say how to go on: $(cat "$folder/said")"
[[ -z $(find "$c" -name '*.part') ]] || wrong "half a result is left"
shards_done=$(find "$c/shards" -name '*.json' | wc -l)
((shards_done < 5)) || wrong "it was not stopped in the middle"
refused "has a campaign already" "$campaign" start "$c" --local 2 -- "${words[@]}"
refused "$((5 - shards_done)) of 5 shards have no result yet" "$campaign" collect "$c"
[[ $("$campaign" status "$c") == *"shards     $shards_done of 5"* ]] || wrong "status counts otherwise"
# What is there is a result too, which says that it is not all.
code=0
"$campaign" collect "$c" --partial >"$folder/said" 2>&1 || code=$?
((code == 1)) || wrong "exit code $code of collect --partial: $(cat "$folder/said")"
grep -q '"interrupted": true' "$c/merged.json" || wrong "a part passes for the whole"
first=$(find "$c/shards" -name '*.json' | sort | head -n 1)
before=$(stat --format=%Y.%i "$first")
"$campaign" resume "$c" >"$folder/said" || wrong "resume: $(cat "$folder/said")"
[[ $(stat --format=%Y.%i "$first") == "$before" ]] || wrong "a shard that was there was run again"
"$program" check "${words[@]}" --json "$folder/whole.json" >/dev/null 2>&1
diff "$folder/whole.json" "$c/merged.json" || wrong "the merged result is not that of the whole run"
[[ -f $c/report.html ]] || wrong "no report"

# Results of two versions in one folder are not counted together.
sed -i 's/"made_by": "gauntlet /"made_by": "gauntlet 0./' "$first"
refused "made_by" "$campaign" collect "$c"
echo "as the whole run: $(tail -n 1 "$c/summary.txt")"
