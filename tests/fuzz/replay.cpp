// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target on every file of the folders named, in order and then backwards, in one
// process: what an input leaves behind must not harm another. Needs no fuzzer.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

int replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  // A copy of exactly this size, so that AddressSanitizer sees the end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  try {
    return LLVMFuzzerTestOneInput(input.data(), input.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> paths;
  for (int k = 1; k < argc; ++k) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[k])) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  int failed = 0;
  for (const auto& path : paths) failed += replay(path) != 0;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) failed += replay(*path) != 0;
  std::printf("%zu inputs, each twice; %d failed\n", paths.size(), failed);
  return paths.empty() || failed != 0 ? 1 : 0;
}
