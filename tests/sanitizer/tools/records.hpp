// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded output of compute-sanitizer 2025.3.1 on an H100: of the calibration kernels, and of a
// few forms (*_inlined). Host stacks and repetitions were taken out.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace gauntlet::sanitizer {

inline std::string recorded(const std::string& file) {
  std::ifstream stream(std::string(GAUNTLET_RECORDS) + "/" + file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

}  // namespace gauntlet::sanitizer
