// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files, format version 1.0 (NEP 1): one array of one element type, little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace gauntlet::sanitize {

/// How many elements a file holds, all dimensions together, by its header and its length: data are
/// not read. Its elements must be of `type` (bf16, which NumPy does not have, as u16). Versions
/// 2 and 3 are read too. Throws UsageError (one line) for a file that cannot be read, is no .npy,
/// or holds another type, big-endian data or an array of several dimensions in Fortran order.
[[nodiscard]] std::uint64_t npy_count(const std::string& path, Type type);

/// All elements of such a file, in C order. Throws UsageError as npy_count does, and where the file
/// no longer has `count` elements.
[[nodiscard]] std::vector<std::byte> read_npy(const std::string& path, Type type,
                                              std::uint64_t count);

/// Writes one dimension. Throws std::runtime_error where the file cannot be written completely.
void write_npy(const std::string& path, Type type, std::span<const std::byte> bytes);

}  // namespace gauntlet::sanitize
