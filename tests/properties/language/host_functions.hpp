// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host as the thing under test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/properties/language/spec_program.hpp"

namespace gauntlet::test {

class HostFunctions : public SpecProgram {
 protected:
  void SetUp() override {
    if (!calls_the_host()) GTEST_SKIP() << "without the stand-in libraries";
  }
  /// A spec of sums::sum with those of its defects.
  std::string sum(const std::string& hows, const std::string& more = "") {
    return host("sums::sum", "size n = 0..300\nsize how = " + hows +
                                 "\nin x:f32[n]\nout y:f32[1]\narg n:u64 = n\narg how:i32 = how\n"
                                 "result y[0] = sum(x)\ndata small_integers\n" +
                                 more);
  }
  std::string host(const std::string& function, const std::string& text,
                   const std::string& file = "host_sums.cu") {
    namespace fs = std::filesystem;
    const fs::path path = folder_.path() / "sum.gauntlet";
    fs::copy_file(fs::path(GAUNTLET_SPEC_KERNELS) / file, folder_.path() / file,
                  fs::copy_options::overwrite_existing);
    std::ofstream(path) << "host " << file << " " << function << "\n" << text;
    return path.string();
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& part) {
    expect_one_line(run(words), 2, part);
  }
};

}  // namespace gauntlet::test
