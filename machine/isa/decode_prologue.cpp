// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the straight code that a kernel begins with computes of thread numbers and of what all of a
// block have alike, so that one warp's values say those of the others (Prologue).
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/rules.hpp"

namespace gauntlet::simt {
namespace {

/// What is known of a register: all of a block have the same, or it grows evenly with %tid.x.
enum class Form : std::uint8_t { same, line, any };

Form form_of(SpecialRegister::What what) {
  using W = SpecialRegister::What;
  switch (what) {
    case W::tid_x:
      return Form::line;
    case W::tid_y:
    case W::tid_z:
    case W::laneid:
    case W::warpid:
      return Form::any;
    default:
      return what >= W::lanemask_eq && what <= W::lanemask_gt ? Form::any : Form::same;
  }
}

/// How the form of a result follows from those of the operands.
struct Linear {
  bool product = false;  ///< of the first two, one of which must be the same for all
  bool widens = false;   ///< the first two, from 32 to 64 bits
};
std::optional<Linear> linear(const Operation& of) {
  switch (rules_of(of).stride) {
    case StrideRule::copy:
    case StrideRule::add:
    case StrideRule::subtract:
      return Linear{};
    case StrideRule::convert:
      return size_of(of.type) > size_of(of.from) ? std::optional(Linear{false, true})
                                                 : std::nullopt;
    case StrideRule::shift_left:
      return Linear{true};
    case StrideRule::multiply:
    case StrideRule::multiply_add:
      return Linear{true, of.how.has(Modifier::wide)};
    default:
      return {};
  }
}

/// How the operands of a comparison are to be taken, of numbers that grow or of those that do not:
/// where its ends agree, all do.
std::optional<Prologue::Seen::As> ordered(const Operation& of) {
  using As = Prologue::Seen::As;
  using S = ptx::ScalarType;
  const Rules rules = rules_of(of);
  if (rules.stride != StrideRule::compare || rules.relation < Relation::lt) return {};
  if (of.type == S::u32) return As::u32;
  if (of.type == S::s32) return As::s32;
  return of.type == S::u64 || of.type == S::s64 ? std::optional(As::wide) : std::nullopt;
}

class Finder {
 public:
  explicit Finder(const Kernel& kernel)
      : kernel_(kernel), forms_(kernel.poison_slots, Form::any), leaves_(kernel.code.size()) {}

  Prologue run() {
    find_end();
    for (std::uint32_t k = 0; k < end_; ++k) leaves_[k] = look(k);
    while (keep_what_is_needed()) {
    }
    Prologue p;
    for (std::uint32_t k = 0; k < end_; ++k) {
      if (kernel_.code[k].kind == Kind::memory) p.last_access = k;
      const bool follows = std::ranges::find(followed_, k) != followed_.end();
      if (leaves_[k])
        p.left_out.push_back(k);
      else if (kernel_.code[k].kind != Kind::nop)
        p.steps.push_back({k, follows});
    }
    if (followed_.empty()) return {};
    std::uint32_t read = 0, left = 0;
    for (const SpecialRegister& s : kernel_.specials) read += s.reads;
    for (const std::uint32_t k : p.left_out) left += specials_read(kernel_.code[k]);
    p.specials = left < read || kernel_.uses_cluster;
    p.seen = std::move(seen_);
    p.end = end_;
    return p;
  }

 private:
  const Meaning& meaning(std::uint32_t k) const { return kernel_.meanings[k]; }
  [[nodiscard]] const SpecialRegister* special(Operand o) const {
    if (o.id != 0 || (o.offset & Operand::constant_bit) != 0) return nullptr;
    const auto it = std::ranges::find(kernel_.specials, o.offset, &SpecialRegister::offset);
    return it == kernel_.specials.end() ? nullptr : &*it;
  }
  [[nodiscard]] std::uint32_t specials_read(const Inst& i) const {
    if (i.kind != Kind::data) return 0;
    return (special(i.a) != nullptr) + (special(i.b) != nullptr) + (special(i.c) != nullptr);
  }
  [[nodiscard]] Form form(Operand o) const {
    if (const SpecialRegister* const s = special(o)) return form_of(s->what);
    return o.id == 0 ? Form::same : forms_[o.id];
  }

  /// Code that warps come to once, one instruction behind the other.
  void find_end() {
    end_ = static_cast<std::uint32_t>(kernel_.code.size());
    for (const Inst& i : kernel_.code) {
      if (i.kind == Kind::branch) end_ = std::min(end_, i.target);
    }
    for (std::uint32_t k = 0; k < end_; ++k) {
      const Inst& i = kernel_.code[k];
      const bool straight = i.kind == Kind::data || i.kind == Kind::memory || i.kind == Kind::nop;
      const bool leaves = i.kind == Kind::branch || i.kind == Kind::exit;
      if (i.has_guard ? !leaves : !straight) end_ = k;
    }
  }

  /// Whether what the instruction computes is known of other warps.
  bool look(std::uint32_t k) {
    const Inst& i = kernel_.code[k];
    Form result = Form::any;
    if (i.kind == Kind::memory) {
      const MemoryOp& op = kernel_.memory_ops[i.extra];
      if (op.space == MemorySpace::param && op.what == MemoryOp::What::load && op.count == 1 &&
          (op.address_is_constant || (op.address.offset & Operand::constant_bit) != 0)) {
        result = Form::same;
      } else if (op.streams != 0 && !op.address_is_constant && !op.copied &&
                 form(op.address) == Form::line) {  // (the store of a copy asks for it again)
        followed_.push_back(k);
        seen_.push_back({k, Prologue::Seen::As::address, op.address});
      }
    } else if (i.kind == Kind::branch || i.kind == Kind::exit) {
      return forms_[i.guard_id] == Form::same;  // nobody takes it, if the first warp does not
    } else if (i.kind == Kind::data && meaning(k).part == Meaning::Part::whole) {
      result = computed(k, i);
    }
    const bool one = meaning(k).writes.size() == 1;
    for (const std::uint32_t slot : meaning(k).writes) forms_[slot] = one ? result : Form::any;
    return one && result != Form::any;
  }

  Form computed(std::uint32_t k, const Inst& i) {
    const Operation& of = kernel_.operation_at(k);
    const Form a = form(i.a), b = of.inputs > 1 ? form(i.b) : Form::same,
               c = of.inputs > 2 ? form(i.c) : Form::same;
    if (const auto as = ordered(of)) {
      if (a == Form::same && b == Form::same) return Form::same;
      if (a == b || std::max(a, b) == Form::any) return Form::any;
      seen_.push_back({k, *as, a == Form::line ? i.a : i.b});
      return Form::same;
    }
    const auto how = linear(of);
    if (!how) return Form::any;
    const bool squares = how->product && (b == Form::line) && (a == Form::line);
    if (squares || (of.opcode == Opcode::shl && b != Form::same)) return Form::any;
    if (how->widens) {
      using As = Prologue::Seen::As;
      const As as = of.from == ptx::ScalarType::s32 ? As::s32 : As::u32;
      if (a == Form::line) seen_.push_back({k, as, i.a});
      if (b == Form::line) seen_.push_back({k, as, i.b});
    }
    return std::max({a, b, c});
  }

  /// What is read by instructions that are executed has to be executed, too. True: that was more
  /// than before.
  bool keep_what_is_needed() {
    std::vector<bool> needed(kernel_.poison_slots, false);
    struct Writers {
      std::uint32_t left = 0, all = 0;
    };
    std::vector<Writers> writers(kernel_.poison_slots);
    for (std::uint32_t k = 0; k < kernel_.code.size(); ++k) {
      for (const std::uint32_t slot : meaning(k).writes) {
        if (k < end_) ++(leaves_[k] ? writers[slot].left : writers[slot].all);
      }
      if (leaves_[k]) continue;
      const auto& reads = meaning(k).reads;
      const bool follows = std::ranges::find(followed_, k) != followed_.end();
      const auto address =
          follows ? kernel_.memory_ops[kernel_.code[k].extra].address.id : std::uint32_t{0};
      for (const std::uint32_t slot : reads) {
        if (slot != address || std::ranges::count(reads, slot) != 1) needed[slot] = true;
      }
    }
    bool more = false;
    for (std::uint32_t k = 0; k < end_; ++k) {
      if (!leaves_[k]) continue;
      // It may have to be executed later than it stands, with those before it that were left out.
      const auto changes = [&](std::uint32_t slot) {
        const Writers& w = writers[slot];
        return w.all > (w.left == 0 ? 1U : 0U);
      };
      const auto &reads = meaning(k).reads, &writes = meaning(k).writes;
      const bool stays =
          std::ranges::any_of(reads, changes) || std::ranges::any_of(writes, changes) ||
          std::ranges::any_of(writes, [&](std::uint32_t slot) { return needed[slot]; });
      if (!stays) continue;
      leaves_[k] = false;
      more = true;
    }
    return more;
  }

  const Kernel& kernel_;
  std::uint32_t end_ = 0;
  std::vector<Form> forms_;              ///< by poison slot
  std::vector<bool> leaves_;             ///< by instruction
  std::vector<std::uint32_t> followed_;  ///< accesses whose addresses follow
  std::vector<Prologue::Seen> seen_;
};

}  // namespace

void Decoder::find_prologue() {
  if (kernel_.undefined_registers.empty()) kernel_.prologue = Finder(kernel_).run();
}

}  // namespace gauntlet::simt
