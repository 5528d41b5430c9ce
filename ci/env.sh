# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the other scripts: finds the checkout, nvcc and the number of cores. Changes PATH only
# when nvcc is not on it. Refuses with exit code 2, the code for "asked wrongly or not equipped".

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# Puts nvcc on PATH, or says where it was looked for.
require_nvcc() {
  command -v nvcc >/dev/null && return
  local dir
  for dir in ${CUDA_HOME:+"$CUDA_HOME/bin"} /usr/local/cuda/bin; do
    if [[ -x $dir/nvcc ]]; then
      export PATH="$dir:$PATH"
      return
    fi
  done
  local looked=/usr/local/cuda/bin
  [[ ${CUDA_HOME:-/usr/local/cuda} == /usr/local/cuda ]] || looked="$CUDA_HOME/bin and $looked"
  fail "no nvcc: looked in PATH and $looked; install the CUDA toolkit (13.0 is tested) or set CUDA_HOME"
}

# require_gpu NAME: sets `device` to the first GPU's name; without one NAME is "not run", exit code 77.
require_gpu() {
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1) || device=
  [[ -n $device ]] || { echo "$1: not run: no GPU"; exit 77; }
}

# require_ncu NAME: sets `ncu` and `program`, which finds its libraries; without ncu as above.
require_ncu() {
  ncu=$(command -v ncu || ls "${CUDA_HOME:-/usr/local/cuda}/bin/ncu" 2>/dev/null) || ncu=
  [[ -n $ncu ]] || { echo "$1: not run: no ncu in PATH or ${CUDA_HOME:-/usr/local/cuda}/bin"; exit 77; }
  program=${GAUNTLET_PROGRAM:-build/gpu/gauntlet}
  [[ -x $program ]] || fail "no $program; build it, or unpack build/gpu-pack.tar.xz (ci/gpu-pack)"
  [[ ! -d build/gpu/lib ]] ||
    export LD_LIBRARY_PATH="$root/build/gpu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Where results of today and `device` go.
results_folder() {
  echo "docs/results/$(date +%F)-$(tr -cs 'A-Za-z0-9\n' '-' <<<"$device" | sed 's/-*$//')"
}

# missing_packages PACKAGE[:ARCHITECTURE]...: those Debian packages that are not installed; for this
# machine's architecture unless one is named.
missing_packages() {
  local package wanted found native
  native=$(dpkg --print-architecture 2>/dev/null || true)
  for package; do
    wanted=$native
    [[ $package != *:* ]] || wanted=${package#*:}
    found=" $(dpkg-query --show --showformat='${Architecture}:${db:Status-Status} ' "$package" 2>/dev/null || true)"
    [[ $found == *" $wanted:installed "* || $found == *' all:installed '* ]] || echo "$package"
  done
}

# CMake, ninja and ctest use every core unless the caller has said otherwise; ctest runs one test more,
# since some wait more than they compute.
use_all_cores() {
  local cores
  cores=$(nproc)
  export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$cores}
  export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$((cores + 1))}
}

# What ci/gpu runs; built there or by ci/gpu-pack.
gpu_targets=(gauntlet cuda_unit gpu_test cuda_benchmark verdict_net runtime_programs slow_down_program)

# write_build_facts FOLDER ARCH...: FOLDER/build.txt says which commit and toolkit were built, for
# results that are made elsewhere. "+" behind the commit: the tree had changes.
write_build_facts() {
  local folder=$1 commit toolkit
  shift
  commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null) || commit="not a checkout"
  [[ -z $(git -C "$root" status --porcelain 2>/dev/null) ]] || commit+="+"
  toolkit=$(nvcc --version | sed -n 's/^.*release.*, V\([0-9.]*\)$/\1/p')
  {
    echo "commit=$commit"
    echo "toolkit=CUDA $toolkit, PTX assembled for $*"
  } >"$folder/build.txt"
}
