// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The PTX of every kernel file, embedded in the binary so that it can be carried anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"

namespace gauntlet::kernels {

/// What is said where images() is empty.
inline constexpr std::string_view no_catalogue =
    "this program was built without the documents' kernels (cmake -DGAUNTLET_CATALOGUE=ON has "
    "them); name FILE.gauntlet";

struct Image {
  std::string_view module;  ///< kernel file without extension
  std::string_view ptx;
};

[[nodiscard]] const std::vector<Image>& images();

/// The compute capability that a module's PTX is written for, 10 * major + minor ("sm_80": 80); 0
/// when there is no such module.
[[nodiscard]] std::uint32_t capability_of(std::string_view module);

/// Entry names ("variant__form__in_acc_op[__bBLOCK]") found in the PTX of all modules.
struct Entry {
  std::string_view module;
  std::string_view name;
};
[[nodiscard]] const std::vector<Entry>& entries();
/// Where the entry of that name stands among them.
[[nodiscard]] std::optional<std::uint32_t> entry_index(std::string_view name);

/// "variant__form__in_acc_op" of the case's kernel over elements of type `in`: its PTX entry, or,
/// where the block size is a constant of the kernel, what precedes "__bBLOCK".
[[nodiscard]] std::string entry_stem(const Case& c, Type in);

}  // namespace gauntlet::kernels
