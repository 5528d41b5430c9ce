// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/instruction_rows.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "machine/isa/arithmetic.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {
namespace {

using O = Opcode;
using R = ReadBy;
using K = Kind;
using P = InProof;

/// Of those of one opcode the first that fits.
constexpr InstructionRow rows[] = {
    {O::and_, "pred", R::predicates, K::data, P::function},
    {O::or_, "pred", R::predicates, K::data, P::function},
    {O::xor_, "pred", R::predicates, K::data, P::function},
    {O::not_, "pred", R::predicates, K::data, P::function},
    {O::mov, "pred", R::predicates, K::data, P::function},
    {O::selp, "", R::predicates, K::data, P::function},
    {O::mov, "", R::move, K::data, P::function},
    {O::cvt, "", R::convert, K::data, P::function},
    {O::cvta, "", R::address_space, K::data, P::function},
    {O::isspacep, "", R::address_space, K::data, P::function},
    {O::setp, "", R::compare, K::data, P::function},
    {O::set, "", R::set, K::data, P::function},
    {O::slct, "", R::select_by_sign, K::data, P::function},
    {O::testp, "", R::test_property, K::data, P::function},
    {O::bfi, "", R::data, K::data, P::function},
    {O::lop3, "", R::data, K::data, P::function},
    {O::prmt, "", R::data, K::data, P::function},
    {O::fns, "", R::integers, K::data, P::function},
    {O::vabsdiff4, "", R::integers, K::data, P::function},
    {O::dp4a, "", R::integers, K::data, P::function},
    {O::dp2a, "", R::integers, K::data, P::function},
    {O::add, "u16x2", R::integers, K::data, P::function},
    {O::add, "s16x2", R::integers, K::data, P::function},
    {O::min, "u16x2", R::integers, K::data, P::function},
    {O::min, "s16x2", R::integers, K::data, P::function},
    {O::max, "u16x2", R::integers, K::data, P::function},
    {O::max, "s16x2", R::integers, K::data, P::function},
    {O::add, "cc", R::integers, K::data, P::carry},
    {O::sub, "cc", R::integers, K::data, P::carry},
    {O::mad, "cc", R::integers, K::data, P::carry},
    {O::addc, "", R::integers, K::data, P::carry},
    {O::subc, "", R::integers, K::data, P::carry},
    {O::madc, "", R::integers, K::data, P::carry},
    {O::nanosleep, "", R::nothing, K::nop, P::nothing},
    {O::prefetch, "", R::nothing, K::nop, P::nothing},
    {O::prefetchu, "", R::nothing, K::nop, P::nothing},
    {O::ld, "", R::memory, K::memory, P::bytes},
    {O::ldu, "", R::memory, K::memory, P::bytes},
    {O::st, "async", R::memory, K::memory, P::end},
    {O::st, "", R::memory, K::memory, P::bytes},
    {O::atom, "", R::memory, K::memory, P::atomic},
    {O::red, "async", R::memory, K::memory, P::end},
    {O::red, "", R::memory, K::memory, P::atomic},
    {O::fence, "proxy", R::memory, K::proxy_fence, P::nothing},
    {O::fence, "", R::memory, K::fence, P::order},
    {O::membar, "", R::memory, K::fence, P::order},
    {O::trap, "", R::memory, K::trap, P::nothing},
    {O::brkpt, "", R::memory, K::trap, P::nothing},
    {O::createpolicy, "", R::memory, K::data, P::function},
    {O::tex, "", R::texture, K::memory, P::end},
    {O::tld4, "", R::texture, K::memory, P::end},
    {O::suld, "", R::texture, K::memory, P::end},
    {O::sust, "", R::texture, K::memory, P::end},
    {O::cp, "commit_group", R::copy, K::copy_group, P::order},
    {O::cp, "wait_group", R::copy, K::copy_group, P::order},
    {O::cp, "wait_all", R::copy, K::copy_group, P::order},
    {O::cp, "bulk", R::bulk, K::memory, P::end},
    {O::tensormap, "replace", R::bulk, K::memory, P::end},
    {O::tensormap, "cp_fenceproxy", R::bulk, K::memory, P::end},
    {O::cp, "mbarrier", R::copy, K::memory, P::end},
    {O::cp, "async", R::copy, K::memory, P::copy},
    {O::mbarrier, "init", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "inval", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "expect_tx", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "complete_tx", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "arrive", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "arrive_drop", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "test_wait", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "try_wait", R::mbarrier, K::memory, P::end},
    {O::mbarrier, "pending_count", R::mbarrier, K::data, P::function},
    {O::bar, "warp", R::warp, K::warp_sync, P::barrier},
    {O::bar, "", R::barrier, K::barrier, P::barrier},
    {O::barrier, "cluster", R::cluster, K::cluster, P::end},
    {O::barrier, "", R::barrier, K::barrier, P::barrier},
    {O::activemask, "", R::warp, K::activemask, P::schedule},
    {O::setmaxnreg, "", R::warp, K::nop, P::nothing},
    {O::griddepcontrol, "", R::warp, K::grid_control, P::order},
    {O::mma, "", R::matrix, K::warp_sync, P::elements},
    {O::wgmma, "mma_async", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "fence", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "commit_group", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "wait_group", R::warpgroup, K::warp_sync, P::end},
    {O::wmma, "mma", R::matrix, K::warp_sync, P::elements},
    {O::wmma, "load", R::matrix, K::memory, P::elements},
    {O::wmma, "store", R::matrix, K::memory, P::elements},
    {O::ldmatrix, "", R::matrix, K::memory, P::elements},
    {O::stmatrix, "", R::matrix, K::memory, P::elements},
    {O::movmatrix, "", R::matrix, K::warp_sync, P::elements},
    {O::mapa, "", R::cluster, K::data, P::end},
    {O::getctarank, "", R::cluster, K::data, P::end},
};

}  // namespace

const InstructionRow* row_of(const ptx::Instruction& i) {
  const Opcode opcode = opcode_named(i.opcode);
  if (opcode == Opcode::none) return nullptr;
  const auto* const row = std::ranges::find_if(rows, [&](const InstructionRow& r) {
    return r.opcode == opcode &&
           (r.word.empty() || std::ranges::find(i.suffixes, r.word) != i.suffixes.end());
  });
  return row == std::end(rows) ? nullptr : row;
}

std::span<const InstructionRow> instruction_rows() { return rows; }

Effect effect_of(const ptx::Instruction& i) {
  const InstructionRow* const row = row_of(i);
  if (row == nullptr) {
    const bool is_arithmetic = find_arithmetic(operation_of(i)).handler != nullptr;
    return is_arithmetic ? Effect::computes : Effect::other;
  }
  if (row->in_proof == P::function) {
    const bool of_time = std::ranges::any_of(i.operands, is_clock, &ptx::Operand::name);
    return of_time ? Effect::other : Effect::computes;
  }
  if (row->in_proof == P::atomic) return Effect::accumulates;
  const auto access = row->in_proof == P::bytes ? access_of(i) : std::nullopt;
  if (!access || access->is_volatile || access->order != Order::weak) return Effect::other;
  return row->opcode == O::st ? Effect::weak_store : Effect::weak_load;
}

}  // namespace gauntlet::simt
