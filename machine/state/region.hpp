// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet::simt {

class DefinedPages;

/// A piece of an address space that the machine can read and write: bytes, a ByteState for each,
/// and the origin of poison per 4-byte word once there was any.
struct Region {
  std::byte* data = nullptr;
  std::uint8_t* state = nullptr;
  std::vector<std::uint32_t>* origin = nullptr;
  std::uint64_t base = 0, bytes = 0;
  const DefinedPages* defined = nullptr;  ///< of an array
};

}  // namespace gauntlet::simt
