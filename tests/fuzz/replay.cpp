// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_replay TARGET FOLDER...: runs a fuzz target on every file of the folders, in order and then
// backwards, in one process: what an input leaves behind must not harm another. Needs no fuzzer.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

GAUNTLET_FUZZ_TARGET(case_line);
GAUNTLET_FUZZ_TARGET(json);
GAUNTLET_FUZZ_TARGET(npy);
GAUNTLET_FUZZ_TARGET(ptx);
GAUNTLET_FUZZ_TARGET(schedule);

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);
const std::map<std::string, Target> targets = {{"case_line", fuzz_case_line},
                                               {"json", fuzz_json},
                                               {"npy", fuzz_npy},
                                               {"ptx", fuzz_ptx},
                                               {"schedule", fuzz_schedule}};

int replay(Target target, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  // A copy of exactly this size, so that AddressSanitizer sees the end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  try {
    return target(input.data(), input.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = argc > 2 ? targets.find(argv[1]) : targets.end();
  if (target == targets.end()) {
    std::fprintf(stderr,
                 "fuzz_replay: name a target (case_line, json, npy, ptx, schedule) and a folder\n");
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (int k = 2; k < argc; ++k) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[k]))
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  int failed = 0;
  for (const auto& path : paths) failed += replay(target->second, path) != 0;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path)
    failed += replay(target->second, *path) != 0;
  std::printf("%zu inputs, each twice; %d failed\n", paths.size(), failed);
  return paths.empty() || failed != 0 ? 1 : 0;
}
