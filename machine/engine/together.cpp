// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/together.hpp"

#include <algorithm>
#include <cstring>

namespace gauntlet::simt {

void Together::begin(std::uint32_t register_bytes) {
  count_ = 0;
  groups.clear();
  overwritten_.clear();
  kept_.clear();
  registers_.clear();
  blocks_.clear();
  meets = false;
  stamps_.resize((register_bytes + block - 1) / block);
  if (++stamp_ == 0) {
    std::ranges::fill(stamps_, 0);
    stamp_ = 1;
  }
}

Together::Noted& Together::next() {
  if (count_ == noted_.size()) noted_.emplace_back();
  return noted_[count_];
}

bool Together::admit(const Warp& w) {
  constexpr std::size_t most = 128;
  Noted& n = noted_[count_];
  if (count_ == most) return false;
  for (const Noted& e : noted()) {
    if (e.end <= n.begin || n.end <= e.begin) continue;
    // Each lane meets itself alone.
    if (e.run && n.run && e.op->size == n.op->size && e.lane0 == n.lane0) continue;
    if (e.store || n.store) return false;
    meets = true;
  }
  ++count_;
  if (!n.store) return true;
  const std::size_t slot = n.op->size == 8 ? 8 : 4, bytes = n.end - n.begin;
  std::memcpy(n.stored, w.source<std::byte>(n.op->values[0]), warp_size * slot);
  auto* const data = n.region.data + (n.begin - reinterpret_cast<std::uintptr_t>(n.region.data));
  auto* const state = n.region.state + (data - n.region.data);
  overwritten_.push_back({data, state, bytes, kept_.size()});
  kept_.insert(kept_.end(), data, data + bytes);
  const auto* states = reinterpret_cast<const std::byte*>(state);
  kept_.insert(kept_.end(), states, states + bytes);
  return true;
}

void Together::keep_block(const Warp& w, std::size_t k) {
  stamps_[k] = stamp_;
  blocks_.push_back(static_cast<std::uint32_t>(k));
  const std::byte* const from = w.registers + k * block;
  // The last block may end behind the register file, which has room for it (start_block).
  registers_.insert(registers_.end(), from, from + block);
}

void Together::undo(Warp& w) const {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    std::memcpy(w.registers + blocks_[k] * block, &registers_[k * block], block);
  }
  for (auto o = overwritten_.rbegin(); o != overwritten_.rend(); ++o) {
    std::memcpy(o->data, &kept_[o->kept], o->bytes);
    std::memcpy(o->state, &kept_[o->kept + o->bytes], o->bytes);
  }
}

}  // namespace gauntlet::simt
