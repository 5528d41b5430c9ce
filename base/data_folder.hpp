// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that the program reads at run time, in a source tree or installed.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet {

/// ../share/gauntlet/NAME beside the folder that the program lies in, where the program is
/// installed (moved or not); else `in_source_tree`.
[[nodiscard]] std::string data_folder(std::string_view name, std::string_view in_source_tree);

}  // namespace gauntlet
