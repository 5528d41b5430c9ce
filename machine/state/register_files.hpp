// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Registers of the warps of a block. A warp has a file of them from its first instruction until it
// has ended; then the next warp gets that one, which the cache still holds, and with it whatever is
// the same for all warps of the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet::simt {

struct RegisterFile {
  std::byte* registers = nullptr;
  std::uint32_t* poison = nullptr;  ///< as Warp has them
  std::uint32_t* origin = nullptr;
  bool undefined = false;  ///< `poison` may have bits that are set
  /// Whose special registers are in it: nobody's, unless `used`.
  bool used = false;
  std::uint32_t block = 0, warp = 0;
};

class RegisterFiles {
 public:
  /// For a block of so many warps, all files are free. Nothing is known of what is in them, unless
  /// the block before was of this launch, too: then true.
  bool begin(std::uint64_t launch, std::size_t warps, std::size_t register_bytes,
             std::size_t poison_slots);
  /// The one that was given back last. Its poison is clear.
  [[nodiscard]] RegisterFile& take();
  void give(RegisterFile& file) { free_.push_back(&file); }

 private:
  std::uint64_t launch_ = 0;
  std::size_t poison_slots_ = 0;
  std::vector<RegisterFile> files_;
  std::vector<RegisterFile*> free_;
  std::vector<std::byte> registers_;
  std::vector<std::uint32_t> poison_, origin_;
};

}  // namespace gauntlet::simt
