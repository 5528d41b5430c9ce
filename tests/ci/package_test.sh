#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# package_test.sh CI NVCC FOLDER [RELEASE]: the archive and the .deb of ci/package, each in a folder that is the root of its
# own file system and has the C and C++ libraries and libzstd of Debian 11 and nothing else: no shell, no fmt, no nvcc. There
# `gauntlet run` finds the race of a program that nvcc built by default, and `check` one of a kernel's PTX. RELEASE: what
# ci/package has made already.
set -euo pipefail
ci=$1 nvcc=$2 folder=$3
skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "chroot needs root"
unshare -m true 2>/dev/null || skip "no namespace for mounts here"
command -v debootstrap >/dev/null || skip "no debootstrap"
rm -rf "$folder"
mkdir -p "$folder"
if [[ $# == 4 ]]; then
  ln -s "$4" "$folder/release"
else
  "$ci/package" "$folder/release" || { (($? == 2)) && skip "the packages could not be made"; exit 1; }
fi

export GAUNTLET_DEBIAN_11=${GAUNTLET_DEBIAN_11:-$ci/../build/glibc.debs}
cat >"$folder/race.cu" <<'END'
__global__ void shift(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  shift<<<1, 64>>>(x);
  cudaDeviceSynchronize();
}
END
# As a machine with Debian 11 links it.
glibc=$("$ci/old-glibc" "$folder/glibc")
triple=x86_64-linux-gnu
"$nvcc" -o "$folder/race" "$folder/race.cu" -Xcompiler "-B$glibc/usr/lib/$triple/" -Xlinker "--sysroot=$glibc,--allow-shlib-undefined" \
  "-L$glibc/usr/lib/$triple" "-L$glibc/lib/$triple"
"$nvcc" -ptx -o "$folder/race.ptx" "$folder/race.cu"
printf 'kernel race.ptx\ninout x:i32[64]\nlaunch grid=1 block=64\nresult x[i] = x[63 - i]\n' >"$folder/race.gauntlet"

# in_root ROOT PROGRAM WORD...: with /proc and /dev, which every system has.
in_root() {
  local root=$1
  shift
  unshare -m bash -c 'mount --bind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"' "$root" "$root" "$@"
}
# tried ROOT PROGRAM: says what it took.
tried() {
  local root=$1 program=$2 said started=$SECONDS
  mkdir -p "$root"/{proc,dev,tmp,own}
  cp "$folder"/race{,.ptx,.gauntlet} "$root/own"
  said=$(in_root "$root" "$program" run -- /own/race 2>&1) || { echo "run ended with $?: $said"; exit 1; }
  [[ $said == *'error: race_write_read s['*'1 kernel, 1 launch'* ]] || { echo "run: $said"; exit 1; }
  said=$(in_root "$root" "$program" check --cases 5 /own/race.gauntlet 2>&1) && { echo "check ended with 0"; exit 1; }
  [[ $said == *'race_write_read s['* ]] || { echo "check: $said"; exit 1; }
  said=$(in_root "$root" "$program" check sequential@fixed --cases 1 2>&1) || { echo "catalogue: $said"; exit 1; }
  ((SECONDS - started < 60)) || { echo "$root took $((SECONDS - started)) s"; exit 1; }
}
for root in archive deb wheel; do
  "$ci/old-glibc" "$folder/$root" libc6 libgcc-s1 libstdc++6 libzstd1 >/dev/null
done
tar -C "$folder/archive" -xJf "$folder"/release/gauntlet-linux-x86_64.tar.xz
program=$(cd "$folder/archive" && echo gauntlet-*/bin/gauntlet)
tried "$folder/archive" "/$program"
dpkg-deb -x "$folder"/release/*.deb "$folder/deb"
tried "$folder/deb" /usr/bin/gauntlet
[[ $(dpkg-deb -f "$folder"/release/*.deb Depends) == 'libc6 (>= 2.31), libgcc-s1, libzstd1' ]]
(cd "$folder/release" && sha256sum --quiet -c ./*.sha256)

# Its tag names the glibc that its files need, and pip does not take it for an older one.
"$ci/wheel" "$folder/wheels" "$folder"/release/gauntlet-linux-x86_64.tar.xz /usr/bin/python3
wheel=$(echo "$folder"/wheels/*.whl)
[[ $wheel == *-py3-none-manylinux_2_[0-9]*_x86_64.whl ]] || { echo "the wheel is $wheel"; exit 1; }
mkdir -p "$folder/wheel/package"
/usr/bin/python3 -m zipfile -e "$wheel" "$folder/wheel/package"
newest=$({ find "$folder/wheel/package" -type f -exec objdump -T {} + 2>/dev/null || true; } | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
((${newest#GLIBC_2.} <= 31)) && [[ $wheel == *manylinux_2_"${newest#GLIBC_2.}"_* ]] || { echo "$wheel needs $newest"; exit 1; }
takes() { /usr/bin/python3 -m pip install --quiet --no-index --no-deps --target "$folder/taken" "$@" "$wheel"; }
takes  # this machine's glibc is newer
takes --upgrade --only-binary=:all: --platform "manylinux_2_${newest#GLIBC_2.}_x86_64"
takes --upgrade --only-binary=:all: --platform manylinux_2_17_x86_64 2>/dev/null && { echo "pip takes $wheel for glibc 2.17"; exit 1; }
chmod +x "$folder/wheel/package/gauntlet/program/bin/gauntlet"  # zipfile keeps no modes; pip does
tried "$folder/wheel" /package/gauntlet/program/bin/gauntlet
