// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which plain and volatile loads only guess what a compare-and-swap of the same cell will find: the
// first read of the loop that the CUDA C++ Programming Guide prints for an atomic of one's own, and
// that CUDA's headers have. If the value is out of date the swap does not happen, so that the load
// is as good as a relaxed one, and is taken for one; but not where its value goes elsewhere, too.
#include <algorithm>
#include <vector>

#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

void Decoder::find_expected_values() {
  const auto& code = kernel_.code;
  const auto is_swap = [&](const Inst& i) {
    return i.kind == Kind::memory && kernel_.memory_ops[i.extra].atomic == AtomicOp::cas;
  };
  if (std::none_of(code.begin(), code.end(), is_swap)) return;
  const auto writers = by_register(defs_);
  // The register that an instruction copies, whatever state space it makes of an address; 0: none.
  const auto copied = [&](std::uint32_t k) {
    const auto opcode = kernel_.operation_at(k).opcode;
    const bool copies = code[k].kind == Kind::data &&
                        (opcode == Opcode::mov || opcode == Opcode::cvta) && defs_[k].size() == 1 &&
                        uses_[k].size() == 1 && !code[k].has_guard;
    return copies ? uses_[k].front() : 0;
  };
  const auto origin = [&](std::uint32_t s) {
    for (std::size_t steps = 0; steps < code.size() && writers[s].size() == 1; ++steps) {
      const auto from = copied(writers[s].front());
      if (from == 0) break;
      s = from;
    }
    return s;
  };
  // Both instructions compute one value of equal registers.
  const auto alike = [&](std::uint32_t j, std::uint32_t k) {
    const auto constant = [](Operand o) {
      return (o.offset & Operand::constant_bit) != 0 ? o.offset : 0;
    };
    const Inst &x = code[j], &y = code[k];
    return x.kind == Kind::data && y.kind == Kind::data && !x.has_guard && !y.has_guard &&
           x.fn == y.fn && x.variant == y.variant && x.keep == y.keep &&
           uses_[j].size() == uses_[k].size() && constant(x.a) == constant(y.a) &&
           constant(x.b) == constant(y.b) && constant(x.c) == constant(y.c);
  };
  const auto same = [&](const auto& again, std::uint32_t s, std::uint32_t t, int depth) -> bool {
    s = origin(s);
    t = origin(t);
    if (s == t) return true;
    if (depth == 0 || writers[s].size() != 1 || writers[t].size() != 1) return false;
    const auto j = writers[s].front(), k = writers[t].front();
    if (!alike(j, k)) return false;
    for (std::size_t n = 0; n < uses_[j].size(); ++n) {
      if (!again(again, uses_[j][n], uses_[k][n], depth - 1)) return false;
    }
    return !uses_[j].empty();
  };
  const auto one_place = [&](const MemoryOp& a, const MemoryOp& b) {
    constexpr int depth = 4;  // of an index, its scale and the array
    return a.size == b.size && a.offset == b.offset &&
           a.address_is_constant == b.address_is_constant &&
           (a.address.offset == b.address.offset ||
            (a.address.id != 0 && b.address.id != 0 &&
             same(same, a.address.id, b.address.id, depth)));
  };
  const auto users = by_register(uses_);
  // What is made of the load's value goes into the swap, and into branches. A register that the
  // loop writes again is the loop's from the swap on.
  const auto used_by_swap_alone = [&](std::uint32_t load, std::uint32_t swapping) {
    std::vector<std::uint32_t> values = defs_[load];
    for (std::size_t n = 0; n < values.size(); ++n) {
      const bool again = writers[values[n]].size() != 1;
      for (const auto k : users[values[n]]) {
        if (again && (k <= load || k >= swapping)) continue;
        const Inst& i = code[k];
        if (k == swapping || i.kind == Kind::branch || i.kind == Kind::exit || is_swap(i)) continue;
        if (i.kind != Kind::data) return false;
        for (const auto to : defs_[k]) {
          const bool known = std::find(values.begin(), values.end(), to) != values.end();
          if (!known && writers[to].size() == 1) values.push_back(to);
        }
      }
    }
    return true;
  };
  std::vector<std::uint32_t> seen(kernel_.poison_slots), open;
  std::uint32_t swap = 0;
  for (std::uint32_t at = 0; at < code.size(); ++at) {
    const Inst& i = code[at];
    if (!is_swap(i)) continue;
    const MemoryOp& op = kernel_.memory_ops[i.extra];
    ++swap;
    const auto visit = [&](std::uint32_t s) {
      if (s == 0 || seen[s] == swap) return;
      seen[s] = swap;
      open.push_back(s);
    };
    visit(op.compare.id);
    while (!open.empty()) {
      const auto s = open.back();
      open.pop_back();
      for (const auto k : writers[s]) {
        visit(copied(k));
        if (code[k].kind != Kind::memory) continue;
        MemoryOp& load = kernel_.memory_ops[code[k].extra];
        if (load.what == MemoryOp::What::load && load.order == Order::weak && !load.read_only &&
            load.count == 1 && one_place(load, op) && used_by_swap_alone(k, at)) {
          load.order = Order::relaxed;
          load.scope = load.is_volatile ? Scope::sys : op.scope;
        }
      }
    }
  }
}

}  // namespace gauntlet::simt
