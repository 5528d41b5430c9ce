// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/symbolic/kernel_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "simt/decode/flow_graph.hpp"

namespace gauntlet::simt::symbolic {
namespace {

using What = Rule::What;

std::optional<Type> type_of(std::string_view text) {
  static const std::map<std::string_view, Type> types = {
      {"u8", Type::u8},   {"b8", Type::u8},     {"s8", Type::i8},   {"u16", Type::u16},
      {"b16", Type::u16}, {"s16", Type::i16},   {"u32", Type::u32}, {"b32", Type::u32},
      {"s32", Type::i32}, {"u64", Type::u64},   {"b64", Type::u64}, {"s64", Type::i64},
      {"f16", Type::f16}, {"bf16", Type::bf16}, {"f32", Type::f32}, {"f64", Type::f64}};
  const auto it = types.find(text);
  if (it == types.end()) return std::nullopt;
  return it->second;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at <= text.size();) {
    const auto dot = std::min(text.find('.', at), text.size());
    all.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  return all;
}

/// The rule of a whole operation, exactly as it is written: a modifier that is not named here
/// changes what the operation does, and makes it unknown.
Rule rule_of(std::string_view text) {
  auto w = words(text);
  Rule r;
  r.flushes = w.size() > 2 && std::erase(w, "ftz") == 1;
  const auto last = type_of(w.back());
  const auto is = [&](std::size_t count, std::string_view op, std::string_view modifier = {}) {
    return w.size() == count && w[0] == op && (modifier.empty() || w[1] == modifier);
  };
  const auto make = [&](What what, Op op = Op::sum) {
    r.what = what;
    r.op = op;
    r.type = *last;
    r.size = static_cast<std::uint8_t>(size_of(*last));
    return r;
  };
  if (text == "and.pred") return {.what = What::and_pred};
  if (text == "or.pred") return {.what = What::or_pred};
  if (text == "mov.pred") return {.what = What::move};
  if (text == "prmt.b32") return {.what = What::permute};
  if (w.size() == 2 && (w[1] == "f16x2" || w[1] == "bf16x2")) {
    static const std::map<std::string_view, Op> ops = {
        {"add", Op::sum}, {"mul", Op::product}, {"min", Op::minimum}, {"max", Op::maximum}};
    const auto it = ops.find(w[0]);
    if (it == ops.end()) return r;
    return {.what = What::combine_pair,
            .op = it->second,
            .type = w[1] == "f16x2" ? Type::f16 : Type::bf16};
  }
  if (!last) return r;
  const bool real = is_float(*last), narrow = size_of(*last) == 1;
  if (is(2, "mov")) return make(What::move);
  if (narrow && w[0] != "cvt") return r;
  if (is(2, "add") || (real && is(3, "add", "rn"))) return make(What::combine, Op::sum);
  if (real ? is(2, "mul") || is(3, "mul", "rn") : is(3, "mul", "lo")) {
    return make(What::combine, Op::product);
  }
  if (is(2, "min")) return make(What::combine, Op::minimum);
  if (is(2, "max")) return make(What::combine, Op::maximum);
  if (text == "fma.rn.bf16") return make(What::fma_bf16);
  if (real ? is(3, "fma", "rn") : is(3, "mad", "lo")) return make(What::multiply_add);
  if (is(2, "selp")) return make(What::select);
  if (is(3, "setp")) {
    static const std::map<std::string_view, Relation> relations = {
        {"eq", Relation::eq}, {"ne", Relation::ne}, {"lt", Relation::lt},
        {"le", Relation::le}, {"gt", Relation::gt}, {"ge", Relation::ge}};
    const auto it = relations.find(w[1]);
    if (it == relations.end()) return r;
    r.relation = it->second;
    return make(What::compare);
  }
  if (w[0] == "cvt" && (w.size() == 3 || (w.size() == 4 && w[1] == "rn"))) {
    const auto to = type_of(w[w.size() - 2]);
    if (!to || is_float(*to) != real) return r;
    // Floats: wider is exact; narrower is rounded to nearest, and has to say so.
    if (real &&
        (size_of(*to) == size_of(*last) || (size_of(*to) < size_of(*last)) != (w.size() == 4))) {
      return r;
    }
    if (!real && w.size() != 3) return r;
    r.what = real ? What::convert_float : What::convert_integer;
    r.type = *to;
    r.from = *last;
    r.size = static_cast<std::uint8_t>(size_of(*last));
    return r;
  }
  if (real) return r;
  if (is(2, "and")) return make(What::and_bits);
  if (is(2, "or")) return make(What::or_bits);
  if (is(2, "shl")) return make(What::shift_left);
  if (is(2, "shr")) {
    return make(is_signed(*last) ? What::shift_right_signed : What::shift_right);
  }
  if (is(3, "mul", "wide") && !is_signed(*last)) return make(What::multiply_wide);
  if (is(2, "bfi")) return make(What::insert_field);
  if (is(2, "bfe") && !is_signed(*last)) return make(What::extract_field);
  return r;
}

Rule rule_of(const Kernel& kernel, std::uint32_t k) {
  const Inst& i = kernel.code[k];
  const auto& meaning = kernel.meanings[k];
  Rule r;
  if (i.kind != Kind::data) return r;
  using Part = Meaning::Part;
  const std::string_view text = kernel.operations[meaning.operation];
  switch (meaning.part) {
    case Part::whole:
      return rule_of(text);
    case Part::pack:
      return {.what = What::pack, .size = static_cast<std::uint8_t>(text == "mov.b64" ? 8 : 4)};
    case Part::part:
      return {.what = What::part, .size = static_cast<std::uint8_t>(text == "mov.b64" ? 8 : 4)};
    case Part::insert:
      return {.what = What::insert, .size = 8};
    case Part::low_word:
      return {.what = What::move, .size = 4};
    case Part::other:
      return r;
  }
  return r;
}

/// KernelView::touches.
std::uint64_t touches_of(const Kernel& kernel, std::uint32_t k, bool carries) {
  using V = KernelView;
  const Inst& i = kernel.code[k];
  std::uint64_t bits = V::busy;
  const auto add = [&](std::uint32_t slot) { bits |= V::bit_of(slot); };
  if (i.has_guard) add(i.guard_id);
  const auto all = [&] {
    for (const auto s : kernel.meanings[k].reads) add(s);
    for (const auto s : kernel.meanings[k].writes) add(s);
  };
  switch (i.kind) {
    case Kind::data:
      all();
      for (const auto& o : {i.d, i.a, i.b, i.c}) add(o.id);
      if (carries || rule_of(kernel, k).what == What::compare) add(i.second.id);
      return bits;
    case Kind::memory: {
      const auto& op = kernel.memory_ops[i.extra];
      add(op.address.id);
      if (op.what == MemoryOp::What::load) {
        for (const auto s : kernel.meanings[k].writes) add(s);
      }
      return op.async || !known_access(i) ? bits | V::always : bits;
    }
    case Kind::barrier: {
      const auto& op = kernel.barrier_ops[i.extra];
      all();
      for (const auto& o : {i.d, op.id, op.threads, op.predicate}) add(o.id);
      return bits;
    }
    case Kind::warp_sync: {
      const auto& op = kernel.warp_ops[i.extra];
      all();
      for (const auto& o : {op.mask, op.destination, op.predicate, op.a, op.b, op.c}) add(o.id);
      const bool shown = op.what == WarpOp::What::matrix || op.what == WarpOp::What::elect;
      return shown ? bits | V::always : bits;
    }
    case Kind::branch:
    case Kind::exit:
    case Kind::fence:
    case Kind::grid_control:
    case Kind::trap:
    case Kind::assertion:
    case Kind::copy_group:
    case Kind::nop:
      return bits;
    default:
      return bits | V::always;
  }
}

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

bool known_access(const Inst& i) {
  static constexpr std::string_view known[] = {"ld", "ldu", "st", "atom", "red", "call", "cp"};
  const std::string_view opcode = i.opcode == no_opcode ? "" : opcodes[i.opcode];
  return std::find(std::begin(known), std::end(known), opcode) != std::end(known);
}

KernelView::KernelView(const Kernel& kernel) {
  const auto count = static_cast<std::uint32_t>(kernel.code.size());
  rules.resize(count);
  is_retry.assign(count, 0);
  may_retry.assign(count, 0);
  wait.assign(count, 0);
  read.assign(kernel.poison_slots, 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    const Inst& i = kernel.code[k];
    rules[k] = rule_of(kernel, k);
    carries.push_back(kernel.operations[kernel.meanings[k].operation].find(".cc") !=
                      std::string::npos);
    flushes |= rules[k].flushes && rules[k].what != What::unknown;
    touches.push_back(touches_of(kernel, k, carries[k] != 0));
    const auto& writes = kernel.meanings[k].writes;
    one_result.push_back(carries[k] == 0 && std::all_of(writes.begin(), writes.end(),
                                                        [&](auto s) { return s == i.d.id; }));
    for (const auto s : kernel.meanings[k].reads) read[s] = 1;
    if (i.kind == Kind::data) read[i.b.id] = 1;
    if (i.kind == Kind::fence) acquires = true;
    if (i.kind == Kind::barrier) {
      const auto& op = kernel.barrier_ops[i.extra];
      counted_barriers |= op.has_count || op.what == BarrierOp::What::arrive;
    }
    if (i.kind == Kind::memory) acquires |= kernel.memory_ops[i.extra].order >= Order::acquire;
  }
  for (const auto& s : kernel.specials) {
    using W = SpecialRegister::What;
    static const std::map<W, std::string_view> names = {{W::smid, "%smid"},
                                                        {W::nsmid, "%nsmid"},
                                                        {W::warpid, "%warpid"},
                                                        {W::nwarpid, "%nwarpid"},
                                                        {W::gridid, "%gridid"}};
    if (const auto it = names.find(s.what); it != names.end() && refusal.empty()) {
      refusal = fmt::format("it reads {}, which depends on the schedule", it->second);
    }
  }
  const FlowGraph graph(kernel.code);
  for (const auto& block : graph.blocks) {
    Loop loop{kernel, block.begin, block.end, {}, {}, {}};
    if (!loop.simple()) continue;
    if (loop.waits()) {
      waits.push_back({block.begin, block.end, loop.memory});
      for (const auto k : loop.memory) wait[k] = static_cast<std::uint32_t>(waits.size());
    } else if (const auto how = loop.retries(); how != 0 && !loop.leaks(graph)) {
      is_retry[loop.memory.front()] = how;
      may_retry[block.end - 1] = 1;
    }
  }
}

std::shared_ptr<const KernelView> view_of(const Kernel& kernel,
                                          const std::shared_ptr<const Module>& module) {
  if (module == nullptr) return std::make_shared<const KernelView>(kernel);
  // The modules are kept, too: a kernel's address is that of no other one as long as they live.
  struct Kept {
    std::shared_ptr<const Module> module;
    std::map<const Kernel*, std::shared_ptr<const KernelView>> views;
  };
  constexpr std::size_t most_kept = 4;
  thread_local std::deque<Kept> all;
  auto it = std::find_if(all.begin(), all.end(), [&](const Kept& k) { return k.module == module; });
  if (it == all.end()) {
    if (all.size() == most_kept) all.pop_front();
    all.push_back({module, {}});
    it = std::prev(all.end());
  }
  auto& view = it->views[&kernel];
  if (view == nullptr) view = std::make_shared<const KernelView>(kernel);
  return view;
}

}  // namespace gauntlet::simt::symbolic
