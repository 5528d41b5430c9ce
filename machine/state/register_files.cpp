// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/register_files.hpp"

#include <algorithm>
#include <utility>

#include "machine/state/warp.hpp"

namespace gauntlet::simt {

bool RegisterFiles::begin(std::uint64_t launch, std::size_t warps, std::size_t register_bytes,
                          std::size_t poison_slots) {
  const bool goes_on = launch == launch_;
  if (!goes_on) {
    launch_ = launch;
    poison_slots_ = poison_slots;
    // Nothing of it is read before it is written, or who begins the warp makes it undefined. It
    // does not shrink, which would cost zeros when it grows again.
    constexpr std::size_t line = 64;  // of the cache: registers lie in as few as they can
    const std::size_t stride = (register_bytes + 2 * line - 1) / line * line;
    if (registers_.size() < warps * stride + line) registers_.resize(warps * stride + line);
    std::byte* const registers =
        registers_.data() + line - reinterpret_cast<std::uintptr_t>(registers_.data()) % line;
    poison_.assign(warps * poison_slots, 0);
    // Read only where poison was set: what an earlier launch left here does no harm.
    const std::size_t origins = warps * poison_slots * warp_size;
    if (origin_.size() < origins) origin_.resize(origins);
    files_.assign(warps, {});
    for (std::size_t k = 0; k < warps; ++k) {
      files_[k].registers = registers + k * stride;
      files_[k].poison = poison_.data() + k * poison_slots;
      files_[k].origin = origin_.data() + k * poison_slots * warp_size;
    }
    free_.clear();
  }
  if (free_.size() == files_.size()) return goes_on;
  free_.clear();
  for (RegisterFile& file : files_) free_.push_back(&file);
  std::ranges::reverse(free_);
  return goes_on;
}

RegisterFile& RegisterFiles::take() {
  RegisterFile& file = *free_.back();
  free_.pop_back();
  if (std::exchange(file.undefined, false)) std::fill_n(file.poison, poison_slots_, 0);
  return file;
}

}  // namespace gauntlet::simt
