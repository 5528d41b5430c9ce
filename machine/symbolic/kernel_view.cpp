// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/kernel_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

namespace gauntlet::simt::symbolic {
namespace {

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
      if (carries || rule_of(kernel, k).what == Rule::What::compare) add(i.second.id);
      return bits;
    case Kind::memory: {
      const auto& op = kernel.memory_ops[i.extra];
      add(op.address.id);
      if (op.what == MemoryOp::What::load) {
        for (const auto s : kernel.meanings[k].writes) add(s);
      }
      return op.async || !op.followed ? bits | V::always : bits;
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
    default:
      return row_of(i.kind).without_data ? bits : bits | V::always;
  }
}

/// Arithmetic with .ftz, sums of f32 by atomics outside shared memory, and products of matrices of
/// narrow floats: where their sums are cut off is decided by exponents, which subnormal numbers
/// share with greater ones.
bool flushes_subnormals(const Kernel& kernel, std::uint32_t k) {
  const Inst& i = kernel.code[k];
  if (i.kind == Kind::warp_sync && kernel.warp_ops[i.extra].what == WarpOp::What::matrix) {
    const MatrixOp& op = kernel.matrix_ops[kernel.warp_ops[i.extra].matrix];
    return op.what == MatrixOp::What::multiply && op.d_number != ptx::ScalarType::s32 &&
           op.d_number != ptx::ScalarType::f64;
  }
  if (i.kind == Kind::memory) {
    const auto& op = kernel.memory_ops[i.extra];
    return op.atomic == AtomicOp::add && op.cell == ptx::ScalarType::f32 &&
           op.space != MemorySpace::shared;
  }
  return i.kind == Kind::data && kernel.operation_at(k).how.has(Modifier::ftz);
}

/// Those of a matrix of that type.
bool makes_addresses(const Kernel& kernel, std::uint32_t k) {
  const Inst& i = kernel.code[k];
  if (i.kind != Kind::warp_sync || kernel.warp_ops[i.extra].what != WarpOp::What::matrix) {
    return false;
  }
  const auto what = kernel.matrix_ops[kernel.warp_ops[i.extra].matrix].what;
  return what == MatrixOp::What::tile || what == MatrixOp::What::rows;
}

/// By slot: an instruction of a floating-point type writes it, or a mov of such a register.
std::vector<std::uint8_t> made_as_float(const Kernel& kernel) {
  std::vector<std::uint8_t> made(kernel.poison_slots, 0);
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t k = 0; k < kernel.code.size(); ++k) {
      const Operation& operation = kernel.operation_at(k);
      const auto& [part, number, writes, reads] = kernel.meanings[k];
      const bool copies = operation.opcode == Opcode::mov || operation.opcode == Opcode::cvta;
      const bool is_float_now =
          (operation.types != 0 && is_float(number_type(operation.type).value_or(Type::u8))) ||
          (copies && std::ranges::any_of(reads, [&](auto r) { return made[r] != 0; }));
      if (!is_float_now || makes_addresses(kernel, k)) continue;
      for (const auto w : writes) more |= std::exchange(made[w], std::uint8_t{1}) == 0;
    }
  }
  return made;
}

}  // namespace

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
    carries.push_back(kernel.operation_at(k).how.has(Modifier::cc));
    flushes |= flushes_subnormals(kernel, k);
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
    const bool varies = s.what == W::smid || s.what == W::nsmid || s.what == W::warpid ||
                        s.what == W::nwarpid || s.what == W::gridid;
    if (varies && refusal.empty()) {
      refusal = fmt::format("it reads {}, which depends on the schedule", name(s.what));
    }
  }
  // Its bits may be an address, but ptxas converts what it knows as a float to an integer there
  // (F2I.F64.FLOOR of the sum, ptxas 13.0 for sm_90), so that the GPU accesses another place.
  const auto as_float = made_as_float(kernel);
  for (std::uint32_t k = 0; k < count && refusal.empty(); ++k) {
    const Inst& i = kernel.code[k];
    if (i.kind != Kind::memory || as_float[kernel.memory_ops[i.extra].address.id] == 0) continue;
    refusal =
        fmt::format("the address at PTX line {} is a floating-point number's bits", i.ptx_line);
  }
  Loops loops = loops_of(kernel);
  grid.assign(count, Grid::none);
  for (const auto& loop : loops.grids) {
    grid[loop.arrive] = Grid::arrives;
    grid[loop.poll] = Grid::polls;
  }
  waits = std::move(loops.waits);
  for (std::size_t n = 0; n < waits.size(); ++n) {
    for (const auto k : waits[n].loads) wait[k] = static_cast<std::uint32_t>(n + 1);
  }
  for (const auto& loop : loops.retries) {
    is_retry[loop.swap] = loop.combines;
    may_retry[loop.back] = 1;
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
