// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrivals at mbarriers and waits for them are put off, as loads are (race_put_off.cpp): what they
// publish and acquire they do at once, but to the cells of the word they come when somebody
// accesses it otherwise. Among themselves they are morally strong, and no race; nor are they with
// what a barrier of the block has ended. So nobody asks for them as long as the word's cells hold
// nothing else. A barrier of the block ends them, too, with those that were not put off.
#include <algorithm>
#include <bit>

#include "machine/code/target.hpp"
#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t word_cells = 2;

/// Of a word of shared memory.
std::uint64_t place_of(unsigned half, std::uint64_t first_cell) {
  return std::uint64_t{half} << 32 | first_cell;
}

/// All lanes operate on one mbarrier, in one phase.
bool are_one(const RaceDetector::Batch& b) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  const WarpCode& code = warp_code();
  return code.same64(b.address, b.mask, b.address[lane]) &&
         code.same64(b.variable, b.mask, b.variable[lane]);
}

}  // namespace

bool RaceDetector::put_off_operation(const Batch& b, BlockClock& c) {
  const bool waits = b.op->what == MemoryOp::What::load;
  if (!exact_ || b.allocation != nullptr || b.copy != CopyStep::none) return false;
  if (c.any_early || !early_exits_.empty() || !are_one(b)) return false;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  const std::uint64_t at = b.address[lane] - b.region->base, cell = (at - shared_gap) / 4;
  look_at_loads_of(c, *b.block, b.region, at, b.width, true);
  const unsigned half = half_of(*b.block, b.region);
  Row& row = c.shared[half][cell / Row::width];
  if (row.epoch != c.epoch) return false;
  // Nothing in the cell races with an operation on the mbarrier, whichever thread of the block
  // makes it, until the next barrier.
  const auto is = [&](const CellAccess& e) {
    if (e.under_way || e.by_copy || e.read_only) return false;
    return e.clock.block_epoch < c.epoch || (e.strong && op_of(e).mbarrier);
  };
  const auto holds = [&](const Cell& one) {
    return std::ranges::all_of(one.accesses(), is) &&
           (!one.crowded || std::ranges::all_of(one.more->crowds, [&](const Crowd& crowd) {
             return std::ranges::all_of(crowd.all, is);
           }));
  };
  Cell* cells[word_cells];
  for (std::uint32_t k = 0; k < word_cells; ++k) {
    cells[k] = row.own(cell % Row::width + k);
    if (cells[k] == nullptr || cells[k]->epoch != c.epoch) return false;
    if (!cells[k]->put_off && !holds(*cells[k])) return false;
  }
  CellAccess like;
  describe(like, c, *b.warp, b.inst, *b.op);
  if (!like.strong || (!waits && !like.narrow)) return false;
  if (!waits && !element_defined(b.region->state + at, b.width)) {
    like.undefined = true;
    like.differing = ~0U;
  }
  for (Cell* const one : cells) one->put_off = true;
  races::MbarrierOperations& operations = c.operations[place_of(half, cell)];
  // What arrivals publish is each lane's own, or all of theirs.
  const Known common = waits ? Known::nothing : common_past(b, c, like);
  const bool as_one =
      waits ? common_sequence(*b.warp, b.mask, lane, c).has_value() : common != Known::nothing;
  if (common != Known::nothing) publish_together(b, c, like, common);
  const std::uint32_t first = b.warp->index * warp_size;
  std::uint32_t alike = 0;
  for (std::uint32_t lanes = b.mask; lanes != 0; lanes &= ~alike) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(lanes));
    alike = as_one ? b.mask : 1U << l;
    CellAccess a = like;
    a.thread = static_cast<std::uint16_t>(first + l);
    a.clock.sequence = c.sequence[a.thread];
    Observed seen;
    if (common == Known::nothing &&
        (waits ? has_sync_variables_ && is_published(b, c, l) : may_synchronise(b, c, first + l))) {
      synchronise(b, c, alike, a, seen);
      a.thread = static_cast<std::uint16_t>(first + l);
    }
    operations.add(a, alike);
    if (seen.variable == 0) continue;
    c.states.change(b.warp->index, alike, b.warp->live(),
                    [&](ThreadState& state, std::uint32_t) { observe(state, seen); });
  }
  for (const unsigned l : lanes_of(common != Known::nothing ? b.mask : 0)) ++c.sequence[first + l];
  return true;
}

void RaceDetector::look_at_operations(BlockClock& c, unsigned half, std::uint64_t cell) {
  cell &= ~std::uint64_t{word_cells - 1};
  Row& row = c.shared[half][cell / Row::width];
  Cell* cells[word_cells];
  for (std::uint32_t k = 0; k < word_cells; ++k) cells[k] = &apart(row, c, cell % Row::width + k);
  c.operations[place_of(half, cell)].take(c.epoch, [&](CellAccess a) {
    for (std::uint32_t k = 0; k < word_cells; ++k) {
      a.begin = static_cast<std::int8_t>(-4 * static_cast<int>(k));
      hold(*cells[k], a, a.lanes(), nullptr, true);
    }
  });
  for (Cell* const one : cells) one->put_off = false;
}

/// Before a barrier of the block that does not end them all.
void RaceDetector::look_at_operations(BlockClock& c) {
  for (const auto& [key, operations] : c.operations) {
    const std::uint64_t cell = key & 0xFFFF'FFFF;
    const auto half = static_cast<unsigned>(key >> 32);
    if (c.shared[half][cell / Row::width].epoch == c.epoch) look_at_operations(c, half, cell);
  }
}

}  // namespace gauntlet::simt
