#!/usr/bin/env bash
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# gpu_pack_test.sh CI-FOLDER: the test files of a pack name the folder in which ci/gpu unpacks it, however
# often it runs there, also where that folder's path begins with the one that the pack was built in, and
# where it is moved afterwards. Neither a GPU nor a program is needed: nvidia-smi is a script, and the
# step is one that needs a second GPU.
set -euo pipefail
command -v xz >/dev/null || { echo "skipped: no xz"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/bin"
cat >"$folder/bin/nvidia-smi" <<'PROGRAM'
#!/usr/bin/env bash
echo 'no GPU at all'
PROGRAM
chmod +x "$folder/bin/nvidia-smi"
export PATH="$folder/bin:$PATH"

built_in=$folder/built
packed=$folder/packed
mkdir -p "$packed/tests/gpu/executor"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$built_in" >"$packed/CMakeCache.txt"
touch "$packed/gauntlet"
chmod +x "$packed/gauntlet"
test_files=(CTestTestfile.cmake tests/gpu/executor/CTestTestfile.cmake tests/gpu/executor/gpu_include.cmake tests/gpu/executor/gpu_tests.cmake)
for file in "${test_files[@]}"; do
  echo "add_test(a $built_in/build/gpu/bin/a $built_in/tests/a $built_in-2/a)" >"$packed/$file"
done
list_of_tests=tests/gpu/executor/gpu_tests.cmake
touch -d '2001-01-01' "$packed/$list_of_tests"

# require_paths_of CHECKOUT WHEN: every test file names the checkout once ci/gpu has run there.
require_paths_of() {
  "$1/ci/gpu" "$1/results" devices >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
  local file wanted="add_test(a $1/build/gpu/bin/a $1/tests/a $built_in-2/a)"
  for file in "${test_files[@]}"; do
    [[ $(<"$1/build/gpu/$file") == "$wanted" ]] || {
      echo "$2: $file says $(<"$1/build/gpu/$file"), not $wanted"
      exit 1
    }
  done
  # Else ctest makes it again.
  [[ ! $1/build/gpu/gauntlet -nt $1/build/gpu/$list_of_tests ]] || {
    echo "$2: the list of tests is older than the program"
    exit 1
  }
}

checkout=$built_in/checkout
mkdir -p "$checkout/ci" "$checkout/build"
cp "$1/gpu" "$1/env.sh" "$checkout/ci"
tar -C "$packed" -cJf "$checkout/build/gpu-pack.tar.xz" .
require_paths_of "$checkout" "first run"
touch -d '2001-01-01' "$checkout/build/gpu/$list_of_tests"
require_paths_of "$checkout" "second run"
mv "$checkout" "$folder/elsewhere"
require_paths_of "$folder/elsewhere" "in another place"
