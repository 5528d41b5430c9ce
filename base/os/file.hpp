// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gauntlet::os {

/// The bytes of a file; nothing, with errno set, where it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace gauntlet::os
