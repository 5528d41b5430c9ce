// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/instruction_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gauntlet::simt {
namespace {

using O = Opcode;
using R = Reader;
using K = Kind;
using P = InProof;

/// Of those of one opcode the first that fits.
constexpr InstructionRow instruction_rows[] = {
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
    {O::mma, "", R::matrix, K::warp_sync, P::end},
    {O::wgmma, "mma_async", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "fence", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "commit_group", R::warpgroup, K::warp_sync, P::end},
    {O::wgmma, "wait_group", R::warpgroup, K::warp_sync, P::end},
    {O::wmma, "mma", R::matrix, K::warp_sync, P::end},
    {O::wmma, "load", R::matrix, K::memory, P::end},
    {O::wmma, "store", R::matrix, K::memory, P::end},
    {O::ldmatrix, "", R::matrix, K::memory, P::end},
    {O::stmatrix, "", R::matrix, K::memory, P::end},
    {O::movmatrix, "", R::matrix, K::warp_sync, P::end},
    {O::mapa, "", R::cluster, K::data, P::end},
    {O::getctarank, "", R::cluster, K::data, P::end},
};

}  // namespace

const InstructionRow* row_of(const ptx::Instruction& i) {
  const Opcode opcode = opcode_named(i.opcode);
  if (opcode == Opcode::none) return nullptr;
  const auto* const row = std::ranges::find_if(instruction_rows, [&](const InstructionRow& r) {
    return r.opcode == opcode &&
           (r.word.empty() || std::ranges::find(i.suffixes, r.word) != i.suffixes.end());
  });
  return row == std::end(instruction_rows) ? nullptr : row;
}

std::string instruction_table() {
  std::string text;
  for (const InstructionRow& row : instruction_rows) {
    const KindRow& kind = row_of(row.kind);
    text += fmt::format("| `{}{}{}` | {} | {} | {} |\n", name(row.opcode),
                        row.word.empty()                                  ? ""
                        : row.opcode == Opcode::cp && row.word != "async" ? ".async."
                                                                          : ".",
                        row.word, name(kind.counted), name(kind.wait), name(row.in_proof));
  }
  return text;
}

}  // namespace gauntlet::simt
