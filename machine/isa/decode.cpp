// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Structure: registers, variables, labels, inlined calls.
#include "machine/isa/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "machine/code/target.hpp"
#include "machine/isa/flow_graph.hpp"
#include "machine/isa/instruction_rows.hpp"
#include "machine/ptx/source_names.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {
namespace {

void add_names(const std::vector<ptx::Operand>& operands,
               std::unordered_set<std::string_view>& names) {
  for (const auto& o : operands) {
    names.insert(o.name);
    add_names(o.parts, names);
  }
}

/// What an entry and the functions that it may call name. Of relocatable code (-rdc=true) a module
/// declares the shared arrays of all entries, and each has those that it uses.
std::unordered_set<std::string_view> used_names(const ptx::Module& module,
                                                const ptx::Function& entry) {
  std::unordered_set<std::string_view> names;
  std::vector<const ptx::Function*> open = {&entry};
  std::unordered_set<const ptx::Function*> seen = {&entry};
  const auto may_call = [&](const ptx::Function& f) {
    if (seen.insert(&f).second) open.push_back(&f);
  };
  bool by_address = false;
  while (!open.empty()) {
    const ptx::Function& of = *open.back();
    open.pop_back();
    std::unordered_set<std::string_view> registers;
    for (const auto& i : of.body) {
      for (const auto* operands : {&i.operands, &i.call_returns, &i.call_args}) {
        add_names(*operands, names);
      }
      if (i.opcode != "call") continue;
      if (registers.empty()) {
        for (const auto& r : of.registers) registers.insert(r.name);
      }
      if (!registers.contains(i.callee)) {
        if (const auto* const f = module.defined(i.callee)) may_call(*f);
      } else if (!std::exchange(by_address, true)) {
        for (const auto& f : module.functions) {
          if (!f.entry) may_call(f);
        }
      }
    }
  }
  return names;
}

void is_of(Inst& inst, Kind kind) {
  inst.kind = kind;
  inst.counted = row_of(kind).counted;
  inst.wait = row_of(kind).wait;
}

}  // namespace

Decoder::Decoder(const ptx::Module& module, const ptx::Function& entry)
    : module_(module), entry_(entry) {}

namespace {

bool is_plain(const MemoryOp& op) {
  const bool load = op.what == MemoryOp::What::load, store = op.what == MemoryOp::What::store;
  return (load || store) && op.drops == MemoryOp::Drops::nowhere && !op.async && !op.shortened &&
         !op.mbarrier && !op.makes_mbarrier && !op.address_is_constant && op.texture == 0 &&
         op.bulk == 0 &&
         (op.space == MemorySpace::global || op.space == MemorySpace::shared ||
          op.space == MemorySpace::generic);
}

std::int8_t row_shift(const MemoryOp& op) {
  const std::uint32_t width = op.width();
  const bool moves = op.what == MemoryOp::What::load || op.what == MemoryOp::What::store;
  if (!moves || op.is_volatile || op.order != Order::weak || op.copied) return -1;
  return width == 4 ? 0 : width == 8 ? 1 : width == 16 ? 2 : -1;
}

}  // namespace

Kernel Decoder::run() {
  kernel_.name = entry_.name;
  kernel_.max_threads = entry_.max_threads;
  kernel_.cluster = {entry_.cluster[0], entry_.cluster[1], entry_.cluster[2]};
  layout_params();
  std::vector<const ptx::Variable*> arrays;
  for (const auto name : used_names(module_, entry_)) {
    const auto* const v = module_.variable(name);
    if (v != nullptr && v->space == ptx::Space::shared) arrays.push_back(v);
  }
  std::ranges::sort(arrays);  // as the file has them
  for (const auto* const v : arrays) shared_[v->name] = layout_shared(*v);
  Body scope;
  inline_body(entry_, scope, 0);
  if (!refusals_.empty()) throw RefusedKernel(module_, std::move(refusals_));
  // Falling off the end is a return.
  ptx::Instruction end;
  emit(end, Kind::exit);
  for (const auto at : scope.returns) is_of(kernel_.code[at], Kind::exit);
  const FlowGraph graph(kernel_.code);
  find_undefined_registers(graph);
  find_waits(graph);
  find_waiting_loops();
  find_expected_values();
  find_dropped_values(graph);
  find_unfenced_products();
  for (std::size_t k = 0; k < kernel_.code.size(); ++k) {
    kernel_.meanings[k].writes = std::move(defs_[k]);
    kernel_.meanings[k].reads = std::move(uses_[k]);
  }
  // Compilers that declare no shared array (Halide) count from the first byte of what the launch
  // gives.
  const bool declares_shared = !kernel_.shared.empty() || !kernel_.dynamic_shared_name.empty();
  for (auto& op : kernel_.memory_ops) {
    // What may lie in another block's shared memory is looked for lane by lane.
    op.plain = is_plain(op) && (!kernel_.uses_cluster || op.space == MemorySpace::global);
    const bool streams = op.plain && op.whole_elements() && op.address_wide &&
                         std::has_single_bit(op.width()) && op.space != MemorySpace::shared;
    op.streams = static_cast<std::uint16_t>(streams ? op.width() * warp_size : 0);
    op.row_shift = row_shift(op);
    if (op.space == MemorySpace::shared && !declares_shared) op.offset += dynamic_shared_base;
    // Kinder than the letter of PTX, where a scope that is not spelt is that of the block: who
    // arrives at another block's mbarrier, and who waits for that, synchronise.
    if (op.mbarrier && kernel_.uses_cluster) op.scope = std::max(op.scope, Scope::cluster);
  }
  for (BulkOp& op : kernel_.bulk_ops) {
    if (!declares_shared) op.barrier.offset += dynamic_shared_base;
  }
  find_prologue();
  for (auto& i : kernel_.code) i.fn = for_target(i.fn);
  find_runs(kernel_.code);
  kernel_.static_shared_top = static_cast<std::uint32_t>(shared_top_);
  return std::move(kernel_);
}

void Decoder::layout_params() {
  for (const auto& p : entry_.params) {
    const auto bytes = size_of(p.type) * std::max<std::uint64_t>(p.count, 1);
    const auto align = std::max<std::uint32_t>(p.align, size_of(p.type));
    const auto offset = align_up(kernel_.param_bytes, align);
    if (offset + bytes > most_param_bytes) {
      ptx::fail(module_, p.ptx_line,
                fmt::format("more than {} bytes of parameters", most_param_bytes));
    }
    const auto at = static_cast<std::uint32_t>(offset);
    kernel_.params.push_back({at, static_cast<std::uint32_t>(bytes), align});
    entry_params_[p.name] = at;
    kernel_.param_bytes = static_cast<std::uint32_t>(offset + bytes);
  }
}

std::uint32_t Decoder::layout_shared(const ptx::Variable& v) {
  if (v.count == 0) {
    // Every extern array is the dynamic one: one base, whose size is known at
    // launch.
    if (kernel_.dynamic_shared_name.empty()) kernel_.dynamic_shared_name = ptx::plain_name(v.name);
    return dynamic_shared_base;
  }
  const auto [known, fresh] = laid_out_.try_emplace(&v, shared_gap);
  if (!fresh) return known->second;
  const auto bytes = size_of(v.type) * v.count;
  kernel_.shared_bytes = align_up(kernel_.shared_bytes, std::max(v.align, 1U)) + bytes;
  if (kernel_.shared_bytes > most_shared_bytes) return shared_gap;  // no launch takes it
  const auto offset = align_up(shared_top_, std::max<std::uint32_t>(v.align, 16));
  shared_top_ = offset + bytes + shared_gap;
  if (shared_top_ > dynamic_shared_base - shared_gap) {
    ptx::fail(module_, v.ptx_line, "more shared arrays than the machine can keep apart");
  }
  known->second = static_cast<std::uint32_t>(offset);
  // A byte array is the untyped storage of something wider: 4 is the usual
  // element.
  const auto element = size_of(v.type) == 1 ? 4U : size_of(v.type);
  kernel_.shared.push_back(
      {ptx::plain_name(v.name), known->second, static_cast<std::uint32_t>(bytes), element});
  return known->second;
}

std::uint32_t Decoder::reserved_shared() {
  if (reserved_ != 0) return reserved_;
  reserved_ = static_cast<std::uint32_t>(align_up(shared_top_, 16));
  shared_top_ = reserved_ + reserved_shared_bytes + shared_gap;
  kernel_.shared.push_back(
      {std::string(reserved_shared_name), reserved_, reserved_shared_bytes, 4});
  return reserved_;
}

Inst& Decoder::emit(const ptx::Instruction& i, Kind kind) {
  if (kernel_.code.size() + calls_ >= most_instructions) {
    fail(i,
         fmt::format("the kernel has more than {} instructions, calls inlined", most_instructions));
  }
  Inst inst;
  is_of(inst, kind);
  inst.ptx_line = i.ptx_line;
  inst.loc = line_of(i.loc);
  auto& meaning = kernel_.meanings.emplace_back();
  meaning.operation = number_of(i);
  defs_.emplace_back();
  uses_.emplace_back();
  if (!i.guard.empty()) {
    const auto it = scope_->registers.find(i.guard);
    if (it == scope_->registers.end()) fail(i, "unknown guard predicate");
    if (register_size(i.guard) != 0) fail(i, "the guard is not a predicate");
    inst.has_guard = true;
    inst.guard_negated = i.guard_negated;
    inst.guard = it->second.offset;
    inst.guard_id = it->second.id;
    use(it->second);
  }
  kernel_.code.push_back(inst);
  return kernel_.code.back();
}

std::uint32_t Decoder::number_of(const ptx::Instruction& i) {
  std::string text(i.opcode);
  for (const auto x : i.suffixes) text.append(".").append(x);
  const auto [it, fresh] = operations_.try_emplace(
      {std::move(text), i.operands.size()}, static_cast<std::uint32_t>(kernel_.operations.size()));
  if (fresh) {
    kernel_.operations.push_back(operation_of(i));
    kernel_.operations.back().text = it->first.first;
  }
  return it->second;
}

void Decoder::refuse(const ptx::Instruction& i, std::string_view what) {
  Refusal r;
  r.text = i.opcode == "call" ? "call " + std::string(i.callee) : std::string(i.opcode);
  for (const auto x : i.suffixes) r.text += "." + std::string(x);
  constexpr std::size_t most = 64, longest = 80;
  r.text = printable(r.text, longest);
  const bool known = refusals_.size() >= most ||
                     std::any_of(refusals_.begin(), refusals_.end(),
                                 [&](const Refusal& other) { return other.text == r.text; });
  if (known) return;
  r.ptx_line = i.ptx_line;
  r.meaning = meaning_of(i);
  r.what = what;
  if (const auto at = line_of(i.loc); at >= 0) {
    const auto& line = kernel_.lines[static_cast<std::size_t>(at)];
    if (line.file < kernel_.files.size()) {
      const std::string_view path = kernel_.files[line.file];
      r.source = fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line.line);
    }
  }
  refusals_.push_back(std::move(r));
}

void Decoder::inline_body(const ptx::Function& f, Body& scope, int depth) {
  scope.function = &f;
  const auto outer_stack = stack_;
  Body* outer = scope_;
  scope_ = &scope;
  for (const auto& r : f.registers) {
    const bool pred = r.type == ptx::ScalarType::pred;
    const auto bytes = pred ? 4U : std::max(size_of(r.type), 4U) * 32;
    const auto at = reserve(bytes, pred ? 4 : 64);
    scope.registers[r.name] = at;
    scope.register_bytes[r.name] = static_cast<std::uint8_t>(pred ? 0 : size_of(r.type));
    slots_.push_back({at.id, at.offset, bytes});
  }
  for (const auto& v : f.variables) {
    if (v.space == ptx::Space::shared) {
      scope.shared[v.name] = layout_shared(v);
      continue;
    }
    const auto at = align_up(kernel_.local_bytes, std::max(v.align, 8U));
    const auto end = at + size_of(v.type) * std::max<std::uint64_t>(v.count, 1);
    // Every inlined call has a place of its own, where a GPU's calls share a
    // stack.
    stack_ += end - kernel_.local_bytes;
    if (stack_ > most_local_bytes || end > most_local_layout) {
      ptx::fail(
          module_, v.ptx_line,
          fmt::format("more than {} KiB of local memory for a thread", most_local_bytes / 1024));
    }
    scope.local[v.name] = static_cast<std::uint32_t>(at);
    scope.local_bytes[v.name] = end - at;
    kernel_.local_bytes = static_cast<std::uint32_t>(end);
  }
  auto label = f.labels.begin();
  for (std::uint32_t at = 0; at <= f.body.size(); ++at) {
    for (; label != f.labels.end() && label->instruction == at; ++label) {
      scope.labels[label->name] = static_cast<std::uint32_t>(kernel_.code.size());
    }
    if (at == f.body.size()) break;
    const auto& i = f.body[at];
    if (i.opcode == "call") {
      if (calls_ >= most_instructions) fail(i, "more calls than the machine inlines");
      if (depth > 16) fail(i, "calls deeper than 16 levels, or recursive ones, are not supported");
      call(i);
    } else if (i.opcode == "bra" || i.opcode == "ret" || i.opcode == "exit" || i.opcode == "brx") {
      branch(i);
    } else if (!read(i)) {
      refuse(i, "instruction not known to the machine");
    }
  }
  for (const auto& [at, name] : scope.branches) {
    const auto it = scope.labels.find(name);
    if (it == scope.labels.end()) {
      ptx::fail(module_, kernel_.code[at].ptx_line,
                fmt::format("branch to the unknown label {}", name));
    }
    kernel_.code[at].target = it->second;
  }
  for (const auto at : scope.returns) {
    kernel_.code[at].target = static_cast<std::uint32_t>(kernel_.code.size());
  }
  stack_ = outer_stack;
  scope_ = outer;
}

bool Decoder::read(const ptx::Instruction& i) {
  const InstructionRow* const row = row_of(i);
  if (row == nullptr) return data(i) || warp_op(i);
  static constexpr bool (Decoder::*readers[])(const ptx::Instruction&) = {
      // in the order of ReadBy
      &Decoder::predicates, &Decoder::move,       &Decoder::convert,        &Decoder::address_space,
      &Decoder::compare,    &Decoder::set,        &Decoder::select_by_sign, &Decoder::test_property,
      &Decoder::integers,   &Decoder::data,       &Decoder::nothing,        &Decoder::memory,
      &Decoder::texture,    &Decoder::async_copy, &Decoder::bulk,           &Decoder::mbarrier,
      &Decoder::barrier,    &Decoder::warp_op,    &Decoder::matrix,         &Decoder::warpgroup,
      &Decoder::cluster};
  const auto first = kernel_.memory_ops.size();
  if (!(this->*readers[static_cast<std::size_t>(row->reader)])(i)) return false;
  for (auto k = first; k < kernel_.memory_ops.size(); ++k) {
    kernel_.memory_ops[k].followed = row->in_proof != InProof::end;
  }
  return true;
}

void Decoder::branch(const ptx::Instruction& i) {
  if (i.opcode == "brx") {
    refuse(i, "indirect branches are not supported");
    return;
  }
  if (!i.suffixes.empty() && (i.suffixes.size() != 1 || i.suffixes[0] != "uni")) {
    fail(i, "modifier not known to the machine");
  }
  if (i.opcode != "bra" && !i.operands.empty()) {
    fail(i, "takes no operand");
  }
  const auto at = static_cast<std::uint32_t>(kernel_.code.size());
  if (i.opcode == "exit") {
    emit(i, Kind::exit);
  } else if (i.opcode == "ret") {
    emit(i, Kind::branch);
    scope_->returns.push_back(at);
  } else {
    if (i.operands.size() != 1 || i.operands[0].kind != ptx::Operand::Kind::name ||
        i.operands[0].negated || i.operands[0].offset != 0) {
      fail(i, "bra takes one label");
    }
    emit(i, Kind::branch);
    scope_->branches.emplace_back(at, i.operands[0].name);
  }
}

}  // namespace gauntlet::simt
