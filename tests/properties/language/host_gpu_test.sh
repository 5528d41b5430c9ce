#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# host_gpu_test.sh GAUNTLET KERNELS FOLDER: what a function of the host launches runs on a GPU with the
# verdicts of the machine, and is timed there. Needs nvcc and a GPU.
set -euo pipefail
gauntlet=$1 kernels=$2 folder=$3
command -v nvcc >/dev/null || [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]] || exit 77
rm -rf "$folder"
mkdir -p "$folder"
cp "$kernels/host_sums.cu" "$folder"
cd "$folder"

spec() {  # NAME HOW
  cat >"$1.gauntlet" <<END
host host_sums.cu sums::sum
size n = 0..300
size how = $2
in x:f32[n]
out y:f32[1]
arg n:u64 = n
arg how:i32 = how
result y[0] = sum(x)
data small_integers
END
}

expect() {  # CODE TEXT WORD...: gauntlet WORD... ends with the code and says the text; 3: no GPU
  local code=0
  "$gauntlet" "${@:3}" >out 2>&1 || code=$?
  if [[ $code == 3 ]]; then cat out; exit 3; fi
  if [[ $code != "$1" ]] || ! grep -qF -- "$2" out; then
    echo "gauntlet ${*:3}: exit code $code, expected $1 and: $2"
    cat out
    exit 1
  fi
}

spec right 0
spec wrong_grid 1
spec reads_too_much 6
for where in simt cuda; do
  expect 0 "right.gauntlet: holds" check right.gauntlet --on "$where" --cases 40
  expect 1 "wrong_grid.gauntlet: FAILS: wrong_result y" check wrong_grid.gauntlet --on "$where" --cases 40
  expect 1 "out_of_bounds_read x" check reads_too_much.gauntlet --on "$where" --cases 40
done
expect 0 "right.gauntlet" time right.gauntlet --n 100,300 --repetitions 2
echo ok
