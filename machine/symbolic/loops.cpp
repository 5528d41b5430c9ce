// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/loops.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "machine/isa/flow_graph.hpp"
#include "machine/symbolic/rules.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {
namespace {

using What = Rule::What;

/// One basic block that branches back to its own begin.
struct Loop {
  const Kernel& kernel;
  std::uint32_t begin, end;
  std::vector<std::uint32_t> memory;                            // its memory instructions
  std::map<std::uint32_t, std::vector<std::uint32_t>> writers;  // by slot
  std::vector<std::uint32_t> carried;  // slots that one turn hands on to the next

  /// False where it has effects, or more than this prover looks at.
  bool simple() {
    const Inst& back = kernel.code[end - 1];
    if (back.kind != Kind::branch || back.target != begin || !back.has_guard) return false;
    for (auto k = begin; k < end; ++k) {
      const Inst& i = kernel.code[k];
      if (k + 1 < end && i.has_guard) return false;
      if (i.kind == Kind::memory)
        memory.push_back(k);
      else if (i.kind != Kind::data && i.kind != Kind::nop && k + 1 < end)
        return false;
      for (const auto s : kernel.meanings[k].writes) writers[s].push_back(k);
      // A temporary of the decoder's: nobody else reads it, but it must not be missed.
      if (i.kind == Kind::data && i.d.id != 0 && writers[i.d.id].empty()) {
        writers[i.d.id].push_back(k);
      }
    }
    for (auto k = begin; k < end; ++k) {
      const Inst& i = kernel.code[k];
      const auto read = [&](std::uint32_t s) {
        const auto it = writers.find(s);
        if (it == writers.end() || it->second.empty() || it->second.front() < k) return;
        if (std::find(carried.begin(), carried.end(), s) == carried.end()) carried.push_back(s);
      };
      for (const auto s : kernel.meanings[k].reads) read(s);
      if (i.kind == Kind::data) read(i.b.id);  // a half that counts as not read
      if (kernel.meanings[k].part == Meaning::Part::insert && i.variant != 0) read(i.d.id);
    }
    return true;
  }
  [[nodiscard]] bool fixed(std::uint32_t slot) const {
    const auto it = writers.find(slot);
    return it == writers.end() || it->second.empty();
  }
  [[nodiscard]] const MemoryOp& op(std::uint32_t k) const {
    return kernel.memory_ops[kernel.code[k].extra];
  }

  [[nodiscard]] bool waits() const {
    if (memory.empty() || memory.size() > WaitLoop::most_words || !carried.empty()) return false;
    return std::all_of(memory.begin(), memory.end(), [&](std::uint32_t k) {
      const auto& o = op(k);
      return o.what == MemoryOp::What::load && (o.is_volatile || o.order != Order::weak) &&
             o.count == 1 && o.space != MemorySpace::local && o.space != MemorySpace::param &&
             fixed(o.address.id);
    });
  }

  /// The atomic whose result the loop's one load is compared with, as rule grid has it; -1: it
  /// waits for something else.
  [[nodiscard]] std::int64_t arrives() const {
    const Inst& back = kernel.code[end - 1];
    const auto test = only_writer(back.guard_id);
    const MemoryOp& load = op(memory.front());
    const auto of_grid = [](const MemoryOp& o, Order order) {
      return o.order == order && o.scope >= Scope::gpu && o.size == 4 &&
             (o.space == MemorySpace::global || o.space == MemorySpace::generic);
    };
    if (memory.size() != 1 || test == end || back.guard_negated) return -1;
    if (!of_grid(load, Order::acquire)) return -1;
    const auto rule = rule_of(kernel, test);
    const Operand zero_up = kernel.code[test].b;
    if (rule.what != What::compare || rule.relation != Relation::gt || rule.type != Type::i32 ||
        kernel.code[test].second.id != 0 || constant(zero_up) != ~std::uint32_t{0}) {
      return -1;
    }
    const auto differs = only_writer(kernel.code[test].a.id);
    if (differs == end || !kernel.operation_at(differs).is(Opcode::xor_, 2)) return -1;
    const Inst& both = kernel.code[differs];
    const auto seen = load.values[0].id, other = both.a.id == seen ? both.b.id : both.a.id;
    if ((both.a.id != seen && both.b.id != seen) || other == 0 || !fixed(other)) return -1;
    std::int64_t atomic = -1;
    for (std::uint32_t k = 0; k < kernel.code.size(); ++k) {
      const auto& [part, number, writes, reads] = kernel.meanings[k];
      if (std::ranges::count(reads, other) != 0 && k != differs) return -1;
      if (std::ranges::count(writes, other) == 0) continue;
      const Inst& i = kernel.code[k];
      const bool adds = atomic < 0 && i.kind == Kind::memory && !i.has_guard &&
                        op(k).what == MemoryOp::What::atomic && op(k).atomic == AtomicOp::add &&
                        of_grid(op(k), Order::release);
      if (!adds) return -1;
      atomic = k;
    }
    return atomic;
  }
  /// Of an operand that is no register.
  [[nodiscard]] std::optional<std::uint32_t> constant(Operand o) const {
    if (o.id != 0 || (o.offset & Operand::constant_bit) == 0) return std::nullopt;
    std::uint32_t bits = 0;
    std::memcpy(&bits, kernel.pool.data() + (o.offset & ~Operand::constant_bit), sizeof bits);
    return bits;
  }

  /// The one writer of a slot in the loop; `end`: there is none, or more.
  [[nodiscard]] std::uint32_t only_writer(std::uint32_t slot) const {
    const auto it = writers.find(slot);
    return it != writers.end() && it->second.size() == 1 ? it->second.front() : end;
  }
  /// Where a value was before it was moved, or turned into another format.
  [[nodiscard]] std::uint32_t source_of(std::uint32_t slot, std::uint32_t stop) const {
    for (int steps = 0; steps < 8 && slot != stop; ++steps) {
      const auto k = only_writer(slot);
      if (k == end) break;
      const auto what = rule_of(kernel, k).what;
      if (what != What::move && what != What::convert_float) break;
      slot = kernel.code[k].a.id;
    }
    return slot;
  }
  /// A number for the operation of `expected` and a fixed value that gives `value`; 0: it is none.
  [[nodiscard]] std::uint32_t combines(std::uint32_t value, std::uint32_t expected) const {
    const auto k = only_writer(source_of(value, expected));
    if (k == end) return 0;
    const auto rule = rule_of(kernel, k);
    const bool fma = rule.what == What::fma_bf16;
    if (rule.what != What::combine && !fma) return 0;
    int found = 0;
    const Inst& i = kernel.code[k];
    for (const auto& o : {i.a, i.b, fma ? i.c : Operand{}}) {
      const auto slot = source_of(o.id, expected);
      // The cell's value itself; all else is the same in every turn.
      if (slot == expected)
        ++found;
      else if (!fixed(slot))
        return 0;
    }
    if (found != 1) return 0;
    const bool order = rule.op == Op::minimum || rule.op == Op::maximum;
    const auto type = order ? rule.type : without_sign(rule.type);
    return 0x10000U | static_cast<std::uint32_t>(fma ? 7 : static_cast<int>(rule.op)) << 8 |
           static_cast<std::uint32_t>(type);
  }

  /// 0: it is no retry loop.
  [[nodiscard]] std::uint32_t retries() const {
    if (memory.size() != 1) return 0;
    const auto at = memory.front();
    const auto& o = op(at);
    if (o.what != MemoryOp::What::atomic || o.atomic != AtomicOp::cas || !o.has_result ||
        !fixed(o.address.id)) {
      return 0;
    }
    const auto expected = o.compare.id, seen = o.values[0].id;
    if (expected == 0 || seen == expected || carried != std::vector{expected}) return 0;
    const Inst& back = kernel.code[end - 1];
    const auto update = only_writer(expected), test = only_writer(back.guard_id);
    if (only_writer(seen) != at || update == end || test == end || !(at < test && test < update)) {
      return 0;
    }
    const Inst& mov = kernel.code[update];
    if (rule_of(kernel, update).what != What::move || mov.a.id != seen) return 0;
    const auto rule = rule_of(kernel, test);
    const Inst& setp = kernel.code[test];
    const bool both = (setp.a.id == seen && setp.b.id == expected) ||
                      (setp.b.id == seen && setp.a.id == expected);
    if (rule.what != What::compare || !both || is_float(rule.type) || rule.size != o.size ||
        setp.second.id != 0) {
      return 0;
    }
    if (rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;
    return combines(o.operand.id, expected);
  }

  /// What the loop computes is read behind it: by an instruction that may come after it.
  [[nodiscard]] bool leaks(const FlowGraph& graph) const {
    const auto own = graph.block_of[begin];
    std::vector<bool> seen(graph.blocks.size(), false);
    seen[own] = true;
    std::vector<std::uint32_t> open{own};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      for (const auto next : graph.blocks[at].next) {
        if (seen[next]) continue;
        seen[next] = true;
        open.push_back(next);
        for (auto k = graph.blocks[next].begin; k < graph.blocks[next].end; ++k) {
          const auto& reads = kernel.meanings[k].reads;
          const bool half = kernel.code[k].kind == Kind::data && !fixed(kernel.code[k].b.id);
          if (half || std::any_of(reads.begin(), reads.end(), [&](auto s) { return !fixed(s); })) {
            return true;
          }
        }
      }
    }
    return false;
  }
};

}  // namespace

Loops loops_of(const Kernel& kernel) {
  Loops all;
  const FlowGraph graph(kernel.code);
  for (const auto& block : graph.blocks) {
    Loop loop{kernel, block.begin, block.end, {}, {}, {}};
    if (!loop.simple()) continue;
    const bool waits = loop.waits();
    if (const auto arrive = waits ? loop.arrives() : -1; arrive >= 0 && !loop.leaks(graph)) {
      all.grids.push_back({static_cast<std::uint32_t>(arrive), loop.memory.front()});
    } else if (waits) {
      all.waits.push_back({block.begin, block.end, loop.memory});
    } else if (const auto how = loop.retries(); how != 0 && !loop.leaks(graph)) {
      all.retries.push_back({loop.memory.front(), block.end - 1, how});
    }
  }
  return all;
}
}  // namespace gauntlet::simt::symbolic
