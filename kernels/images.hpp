// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of every kernel file, embedded in the binary so that it can be carried anywhere.
#pragma once

#include <string_view>
#include <vector>

namespace gauntlet::kernels {

struct Image {
  std::string_view module;  ///< kernel file without extension
  std::string_view ptx;
};

[[nodiscard]] const std::vector<Image>& images();

/// Entry names ("variant__form__in_acc_op[__bBLOCK]") found in the PTX of all modules.
struct Entry {
  std::string_view module;
  std::string_view name;
};
[[nodiscard]] const std::vector<Entry>& entries();

}  // namespace gauntlet::kernels
