#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# host_gpu_test.sh GAUNTLET KERNELS FOLDER [machine]: a function of the host is called in a worker that
# has a GPU, with the verdicts of the machine, and what it launches is timed there. Needs nvcc and a GPU;
# with `machine` the worker's GPU is the machine, by gauntlet run.
set -euo pipefail
gauntlet=$1 kernels=$2 folder=$3 gpu=${4:-hardware}
command -v nvcc >/dev/null || [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]] || exit 77
rm -rf "$folder"
mkdir -p "$folder"
cp "$kernels/host_sums.cu" "$folder"
cd "$folder"
printf 'undefined_copy function=gauntlet::cuda::Launcher::compare_and_collect\n' >ignored

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
  local code=0 words=("$gauntlet")
  if [[ $gpu == machine && " ${*:3} " == *" cuda "* ]]; then
    words=("$gauntlet" run --ignore ignored -- "$gauntlet")
  fi
  "${words[@]}" "${@:3}" >out 2>&1 || code=$?
  if [[ $code == 3 ]]; then cat out; exit 3; fi
  # The machine has findings of its own, which end gauntlet run with 1.
  if [[ ${#words[@]} -gt 1 && $code == 1 ]]; then code=$1; fi
  if [[ $code != "$1" ]] || ! tr -s ' \n' '  ' <out | grep -qF -- "$2"; then
    echo "gauntlet ${*:3}: exit code $code, expected $1 and: $2"
    cat out
    exit 1
  fi
}

spec right 0
spec wrong_grid 1
spec reads_too_much 6
spec crashes 7
spec wrong_launch 8
spec writes_input 9
spec keeps_workspace 10
spec fails 11
cat >scaled.gauntlet <<END
host host_sums.cu sums::scaled
size n = 0..50
inout x:f32[n]
arg n:u32 = n
arg factor:i16 = 2
result x[0] = sum(x) if n > 0
data small_integers
END
places=(simt cuda)
[[ $gpu == machine ]] && places=(cuda)
for where in "${places[@]}"; do
  on=(--on "$where" --cases 8 --no-regressions)
  expect 0 "right.gauntlet: holds" check right.gauntlet "${on[@]}"
  expect 0 "keeps_workspace.gauntlet: holds" check keeps_workspace.gauntlet "${on[@]}"
  expect 0 "scaled.gauntlet: holds" check scaled.gauntlet "${on[@]}"
  expect 1 "wrong_grid.gauntlet: FAILS: wrong_result y" check wrong_grid.gauntlet "${on[@]}"
  expect 1 "out_of_bounds_read x" check reads_too_much.gauntlet "${on[@]}"
  expect 1 "write_to_input x" check writes_input.gauntlet "${on[@]}"
  expect 1 "host_call" check wrong_launch.gauntlet "${on[@]}"
  expect 1 "executor_fault" check crashes.gauntlet "${on[@]}"
  expect 2 "sums::sum returned 1, cudaErrorInvalidValue, with n=" check fails.gauntlet "${on[@]}"
  expect 0 "verdict nothing found" repro 'right.gauntlet n=65 how=0' --on "$where"
done
[[ $gpu == machine ]] || expect 0 "right.gauntlet" time right.gauntlet --n 100,300 --repetitions 2
echo ok
