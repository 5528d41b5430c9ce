// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// nvcc stores a float constant as the bits of an integer; findings print the value that the array
// has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

/// Lane 0 of each of two warps stores the bits of a float into y[0]: of 1, and of 2.5.
constexpr std::string_view store = R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 y) {
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [y];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 32;
  @%p1 st.global.u32 [%d1], 1065353216;
  @%p2 st.global.u32 [%d1], 1075838976;
  ret;
}
)";

std::string checked(const fs::path& folder, const std::string& type) {
  std::ofstream(folder / "store.ptx") << store;
  std::ofstream(folder / "store.gauntlet")
      << "kernel store.ptx\nout y:" << type << "[1]\nlaunch grid=1 block=64\nresult none\n";
  return run({"check", "--no-regressions", "--cases", "1", (folder / "store.gauntlet").string()})
      .out;
}

TEST(StoredBits, of_a_float_array_are_printed_as_floats_and_of_others_as_they_are) {
  const os::TemporaryFolder folder;
  const std::string floats = checked(folder.path(), "f32"), words = checked(folder.path(), "u32");
  EXPECT_NE(floats.find("value 1\n"), std::string::npos) << floats;
  EXPECT_NE(floats.find("value 2.5\n"), std::string::npos) << floats;
  EXPECT_NE(words.find("value 1065353216\n"), std::string::npos) << words;
  EXPECT_NE(words.find("value 1075838976\n"), std::string::npos) << words;
}

}  // namespace
}  // namespace gauntlet::test
