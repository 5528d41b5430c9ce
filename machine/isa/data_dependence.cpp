// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Data flow through registers, without regard to order. Parameters and special registers are no
// data; whatever else is loaded is.
#include "machine/isa/data_dependence.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "machine/isa/decode.hpp"

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
  [[nodiscard]] bool is_data(Operand o) const { return is_data_[o.id]; }

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

/// Which words of the parameters a register may hold, or the sum of one and numbers.
class ParameterFlow {
 public:
  ParameterFlow(const Kernel& kernel, Named what)
      : kernel_(kernel), what_(what), held_(kernel.poison_slots) {
    for (std::size_t k = 0; k < kernel_.code.size(); ++k) note_place(k);
    while (spread()) {
    }
  }
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> names() const {
    const DataFlow flow(kernel_);
    Words named = 0, misused = 0;
    bool others = !known_;
    for (std::size_t k = 0; k < kernel_.code.size(); ++k) {
      misused |= misused_by(k);
      const MemoryOp* const op = op_at(k);
      if (op == nullptr || !is_access(*op)) continue;
      named |= held(op->address);
      others |= held(op->address) == 0 && (what_ == Named::handles || flow.is_data(op->address));
    }
    if (others || (named & misused) != 0) return std::nullopt;
    std::vector<std::uint64_t> all;
    for (; named != 0; named &= named - 1) all.push_back(places_[std::countr_zero(named)]);
    return all;
  }

 private:
  using Words = std::uint64_t;  ///< a bit each, as in `places_`

  [[nodiscard]] const MemoryOp* op_at(std::size_t k) const {
    const Inst& i = kernel_.code[k];
    return i.kind == Kind::memory ? &kernel_.memory_ops[i.extra] : nullptr;
  }
  [[nodiscard]] bool is_access(const MemoryOp& op) const {
    if (what_ == Named::handles) return op.texture != 0;
    return op.texture == 0 && (op.space == MemorySpace::global || op.space == MemorySpace::generic);
  }
  [[nodiscard]] std::uint64_t constant(Operand o) const {
    std::uint64_t value = 0;
    std::memcpy(&value, kernel_.pool.data() + (o.offset & ~Operand::constant_bit), sizeof value);
    return value;
  }
  /// Of a load from the parameters.
  [[nodiscard]] std::uint64_t place_of(const MemoryOp& op) const {
    const std::uint64_t base = op.address_is_constant ? 0 : constant(op.address);
    return base + static_cast<std::uint64_t>(op.offset);
  }
  void note_place(std::size_t k) {
    // By their address they may be read in other ways.
    known_ &= kernel_.code[k].kind != Kind::data ||
              kernel_.operation_at(k).opcode != Opcode::cvta ||
              kernel_.code[k].window != static_cast<std::uint32_t>(param_window >> 32);
    const MemoryOp* const op = op_at(k);
    if (op == nullptr || op->space != MemorySpace::param) return;
    known_ &= op->address_is_constant || (op->address.offset & Operand::constant_bit) != 0;
    for (unsigned n = 0; known_ && op->size == 8 && n < op->count; ++n) {
      const std::uint64_t place = place_of(*op) + 8ULL * n;
      if (std::ranges::find(places_, place) == places_.end()) places_.push_back(place);
    }
    known_ &= places_.size() <= 64;
  }
  [[nodiscard]] Words held(Operand o) const { return held_[o.id]; }
  /// Those of which the load reads a part, and its n-th element all, which is 8 bytes long.
  [[nodiscard]] Words loaded(const MemoryOp& op, unsigned n) const {
    const std::uint64_t begin = place_of(op) + std::uint64_t{op.size} * n;
    Words all = 0;
    for (std::size_t w = 0; w < places_.size(); ++w) {
      const bool meets = begin < places_[w] + 8 && places_[w] < begin + op.size;
      all |= Words{meets} << w;
    }
    return all;
  }
  /// What of it the instruction hands on to its result.
  [[nodiscard]] Words handed_on(std::size_t k) const {
    const Inst& i = kernel_.code[k];
    if (i.kind != Kind::data) return 0;
    const Words a = held(i.a), b = held(i.b), c = held(i.c);
    switch (kernel_.operation_at(k).opcode) {
      case Opcode::mov:
      case Opcode::cvta: {
        const auto part = kernel_.meanings[k].part;
        return part == Meaning::Part::whole || part == Meaning::Part::copy ? a : 0;
      }
      case Opcode::add:
        return what_ == Named::handles || (a != 0 && b != 0) ? 0 : a | b;
      case Opcode::sub:
        return what_ == Named::handles || b != 0 ? 0 : a;
      case Opcode::mad:
        return what_ == Named::handles || (a | b) != 0 ? 0 : c;
      case Opcode::selp:
        return a == 0 || b == 0 ? 0 : a | b;
      default:
        return 0;
    }
  }
  [[nodiscard]] bool compares_with_null(std::size_t k) const {
    const Operation& o = kernel_.operation_at(k);
    const Operand with = kernel_.code[k].b;
    return o.opcode == Opcode::setp && o.inputs == 2 &&
           (o.how.has(Modifier::eq) || o.how.has(Modifier::ne)) &&
           (with.offset & Operand::constant_bit) != 0 && constant(with) == 0;
  }
  bool spread() {
    bool more = false;
    const auto put = [&](std::uint32_t slot, Words words) {
      more |= (words & ~held_[slot]) != 0;
      held_[slot] |= words;
    };
    for (std::size_t k = 0; known_ && k < kernel_.code.size(); ++k) {
      const MemoryOp* const op = op_at(k);
      if (op != nullptr && op->space == MemorySpace::param) {
        for (unsigned n = 0; op->size == 8 && n < op->count; ++n) {
          put(op->values[n].id, loaded(*op, n));
        }
        continue;
      }
      const Words words = handed_on(k);
      for (const auto slot : kernel_.meanings[k].writes) put(slot, words);
    }
    return more;
  }
  /// What is read in another way, and what a register holds that something else is written to.
  [[nodiscard]] Words misused_by(std::size_t k) const {
    if (!known_) return 0;
    const Meaning& m = kernel_.meanings[k];
    const MemoryOp* const op = op_at(k);
    Words read = 0, written = 0, parts = 0;
    for (const auto slot : m.reads) read |= held_[slot];
    for (const auto slot : m.writes) written |= held_[slot];
    if (op != nullptr && op->space == MemorySpace::param) {
      for (unsigned n = 0; n < op->count; ++n) {
        const Words words = loaded(*op, n);
        const bool one = op->size == 8 && std::has_single_bit(words);
        parts |= one ? 0 : words | held(op->values[n]);
      }
      return read | parts;
    }
    if (op != nullptr && is_access(*op)) {
      Words values = held(op->operand) | held(op->compare);
      for (unsigned n = 0; op->what != MemoryOp::What::load && n < op->count; ++n) {
        values |= held(op->values[n]);
      }
      return (read & ~held(op->address)) | values | written;
    }
    const Words words = handed_on(k);
    if (words != 0) return read & ~words;
    return written | (compares_with_null(k) ? 0 : read);
  }

  const Kernel& kernel_;
  Named what_;
  bool known_ = true;  ///< all that is read of the parameters
  std::vector<std::uint64_t> places_;
  std::vector<Words> held_;  ///< by register: its poison slot
};

}  // namespace

std::optional<std::vector<std::uint64_t>> parameters_that_name(const Kernel& kernel, Named what) {
  return ParameterFlow(kernel, what).names();
}

bool depends_on_data(const Kernel& kernel) {
  return !kernel.bulk_ops.empty() || DataFlow(kernel).decides();
}

}  // namespace gauntlet::simt
