// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs as a user runs them, from PTX, each in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/interface/cli/json_program.hpp"

namespace gauntlet::test {

/// A function of the host needs the stand-in libraries, which a build with sanitizers has not.
inline bool calls_the_host() {
  return std::filesystem::exists(std::filesystem::path(GAUNTLET_PROGRAM).parent_path() /
                                 "sanitizer/program/libcudart.so.13");
}

class SpecProgram : public ::testing::Test {
 protected:
  /// A spec of block_sum in a folder of its own; `right` chooses the kernel.
  std::string spec(bool right, const std::string& more = "") {
    const std::string kernel = right ? "block_sum<true>" : "block_sum<false>";
    return of_kernel("sum", kernel,
                     "size block = 32,64,128\nin x:f32[n]\nout y:f32[grid]\n"
                     "arg n:u32 = n\nlaunch grid=max(1, ceil(n / block)) block=block "
                     "shared=4 * block\n"
                     "result y[b] = sum(x[b * block .. (b + 1) * block])\n" +
                         more);
  }
  /// A spec NAME.gauntlet of a kernel in blocks.cu.
  std::string of_kernel(const std::string& name, const std::string& kernel,
                        const std::string& text) {
    namespace fs = std::filesystem;
    const fs::path path = folder_.path() / (name + ".gauntlet");
    fs::create_directories(path.parent_path());
    fs::copy_file(GAUNTLET_SPEC_PTX "/blocks.ptx", path.parent_path() / "blocks.ptx",
                  fs::copy_options::overwrite_existing);
    std::ofstream(path) << "kernel blocks.ptx '" << kernel << "'\n" << text;
    return path.string();
  }

  TemporaryFolder folder_;
};

}  // namespace gauntlet::test
