// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Data flow through registers, without regard to order. Parameters and special registers are no
// data; whatever else is loaded is.
#include "machine/isa/data_dependence.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet::simt {
namespace {

using What = MemoryOp::What;

class DataFlow {
 public:
  explicit DataFlow(const Kernel& kernel) : kernel_(kernel), is_data_(kernel.poison_slots) {
    while (spread()) {
    }
  }
  [[nodiscard]] bool decides() const {
    for (std::size_t k = 0; k < kernel_.code.size(); ++k) {
      if (decides(kernel_.code[k], kernel_.meanings[k].reads)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool brings_data(const Inst& i) const {
    if (i.kind == Kind::clock || i.kind == Kind::system_call) return true;
    if (i.kind != Kind::memory) return false;
    const MemoryOp& op = kernel_.memory_ops[i.extra];
    return op.what != What::load || op.space != MemorySpace::param;
  }
  /// True: more registers hold data than was known before.
  bool spread() {
    bool more = false;
    for (std::size_t k = 0; k < kernel_.code.size(); ++k) {
      const Meaning& m = kernel_.meanings[k];
      const bool data = brings_data(kernel_.code[k]) ||
                        std::ranges::any_of(m.reads, [&](auto slot) { return is_data_[slot]; });
      for (const auto slot : m.writes) {
        more |= data && !is_data_[slot];
        is_data_[slot] = is_data_[slot] || data;
      }
    }
    return more;
  }
  /// Whether what the instruction reads of these registers is no more than a value to it.
  [[nodiscard]] bool decides(const Inst& i, const std::vector<std::uint32_t>& reads) const {
    const auto data = [&](std::uint32_t slot) { return is_data_[slot]; };
    switch (i.kind) {
      case Kind::data:
        return false;
      case Kind::memory:
        return std::ranges::any_of(reads, [&](std::uint32_t slot) {
          return data(slot) && !is_value(i, kernel_.memory_ops[i.extra], slot);
        });
      case Kind::warp_sync:
        return (i.has_guard && data(i.guard_id)) || data(kernel_.warp_ops[i.extra].mask.id);
      case Kind::system_call:
        return true;
      default:
        return std::ranges::any_of(reads, data);
    }
  }
  [[nodiscard]] static bool is_value(const Inst& i, const MemoryOp& op, std::uint32_t slot) {
    if ((i.has_guard && slot == i.guard_id) || slot == op.address.id ||
        slot == op.source_bytes.id || op.texture != 0) {
      return false;
    }
    if (op.what == What::store) {
      return std::ranges::any_of(op.values, [&](Operand value) { return value.id == slot; });
    }
    // Whether an exchange comes about decides who holds a lock.
    const bool adds = op.atomic != AtomicOp::cas && op.atomic != AtomicOp::exch && !op.mbarrier;
    return op.what != What::load && op.what != What::store && adds && slot == op.operand.id;
  }

  const Kernel& kernel_;
  std::vector<bool> is_data_;  ///< by register: its poison slot
};

}  // namespace

bool depends_on_data(const Kernel& kernel) {
  return !kernel.bulk_ops.empty() || DataFlow(kernel).decides();
}

}  // namespace gauntlet::simt
