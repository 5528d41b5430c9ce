#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# image_test.sh CI ARCHIVE FOLDER: the image of ci/image, with an archive of ci/package in it, unpacked and entered as its own
# configuration says: user, folder, environment, program. There nvcc compiles, `gauntlet run` finds the race of a program that
# nvcc built by default, and is silent on one with a barrier; `check` compiles a kernel and finds the race too.
set -euo pipefail
ci=$1 archive=$2 folder=$3
skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "debootstrap and chroot need root"
unshare -m true 2>/dev/null || skip "no namespace for mounts here"
for tool in debootstrap umoci; do command -v "$tool" >/dev/null || skip "no $tool"; done
rm -rf "$folder"
mkdir -p "$folder/layout" "$folder/own"
if [[ $(stat -c %s "$archive" 2>/dev/null || echo 0) == 0 ]]; then skip "no archive $archive"; fi
"$ci/image" "$archive" "$folder/gauntlet.oci.tar"
(($(stat -c %s "$folder/gauntlet.oci.tar") < 400 << 20)) || { echo "the image is too large"; exit 1; }
tar -C "$folder/layout" -xf "$folder/gauntlet.oci.tar"
umoci unpack --image "$folder/layout:gauntlet" "$folder/bundle"
of_process() { python3 -c "import json, sys; p = json.load(open(sys.argv[1]))['process']; print($1)" "$folder/bundle/config.json"; }
user=$(of_process '"%s:%s" % (p["user"]["uid"], p["user"]["gid"])')
where=$(of_process 'p["cwd"]')
mapfile -t environment < <(of_process '"\n".join(p["env"])')
[[ $user != 0:* && $(of_process 'p["args"]') == "['gauntlet']" ]] || { echo "user $user, or another program"; exit 1; }

cat >"$folder/own/race.cu" <<'END'
__global__ void shift(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  BARRIER;
  x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  shift<<<1, 64>>>(x);
  return cudaDeviceSynchronize() != cudaSuccess;
}
END
sed 's/BARRIER/__syncthreads()/' "$folder/own/race.cu" >"$folder/own/right.cu"
sed -i '/BARRIER/d' "$folder/own/race.cu"
printf 'kernel race.cu\ninout x:i32[64]\nlaunch grid=1 block=64\nresult x[i] = x[63 - i]\n' >"$folder/own/race.gauntlet"
chown -R "$user" "$folder/own"

# inside WORD...: in the image, with /proc and /dev, which every runtime mounts, and own/ as its folder.
inside() {
  root=$folder/bundle/rootfs own=$folder/own where=$where user=$user \
    unshare -m bash -c 'mount --bind /proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --bind "$own" "$root$where" &&
      exec chroot --userspec="$user" "$root" env -i "${@:2:$1}" bash -c "cd \"\$0\" && exec \"\$@\"" "$where" "${@:2+$1}"' \
    bash "${#environment[@]}" "${environment[@]}" "$@"
}
inside nvcc -o race race.cu
inside nvcc -o right right.cu
code=0
said=$(inside gauntlet run --error-exitcode 9 -- ./race 2>&1) || code=$?
((code == 9)) || { echo "run ended with $code: $said"; exit 1; }
[[ $said == *'error: race_write_read s['*'1 kernel, 1 launch'* ]] || { echo "run: $said"; exit 1; }
said=$(inside gauntlet run --error-exitcode 9 -- ./right 2>&1) || { echo "run of the right one ended with $?: $said"; exit 1; }
said=$(inside gauntlet check --cases 5 race.gauntlet 2>&1) && { echo "check found nothing: $said"; exit 1; }
[[ $said == *'race_write_read s['*'race.cu:'* && -s $folder/own/race.cases ]] || { echo "check: $said"; exit 1; }
