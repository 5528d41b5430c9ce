// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// NAME.cu of a row that is two files, as one of its forms reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/written.hpp"

namespace gauntlet::kernels {

struct Folded {
  std::string text;
  std::vector<std::uint32_t> lines;  ///< of NAME.cu, of each line of the text; 0: of none
};

/// Every `#if` is decided, and T, ACC, OP and IDENTITY are those of the
/// instance. `block` 0: the block size is no constant of the form.
[[nodiscard]] Folded folded(const Written& row, const Form& form, const Instance& instance,
                            std::uint32_t block);

}  // namespace gauntlet::kernels
