// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded output of compute-sanitizer 2025.3.1 on an H100: of the calibration kernels, and of a
// few forms (*_inlined). Host stacks and repetitions were taken out.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/os/file.hpp"

namespace gauntlet::sanitizer {

inline std::string recorded(const std::string& file) {
  const auto text = os::read_file(std::string(GAUNTLET_RECORDS) + "/" + file);
  EXPECT_TRUE(text) << file;
  return text.value_or("");
}

}  // namespace gauntlet::sanitizer
