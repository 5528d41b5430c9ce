// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/numbers.hpp"
#include "base/schedule.hpp"
#include "properties/hunt/relations.hpp"
#include "properties/hunt/shrink.hpp"

namespace gauntlet::properties {
namespace {

constexpr std::array<std::uint32_t, 13> block_sizes{8,   16,  32,  33,  48,  64,  96,
                                                    128, 180, 192, 256, 512, 1024};

std::uint32_t draw_block(Draw& draw) {
  switch (draw.below(16)) {
    case 0:
      return static_cast<std::uint32_t>(1 + draw.below(1024));  // anything at all
    case 1:
      return 1U << draw.below(5);
    default:
      // Small blocks show the same borders at a fraction of the cost.
      return block_sizes[std::min(draw.below(block_sizes.size()),
                                  draw.below(block_sizes.size() + 3))];
  }
}

/// A block that the kernel is compiled for, where its size is a constant.
std::uint32_t draw_block_of(Draw& draw, const Case& c, const Subject& subject) {
  const std::uint32_t block = draw_block(draw);
  const std::vector<std::uint32_t> compiled = subject.blocks(c);
  if (compiled.empty() || std::ranges::binary_search(compiled, block)) return block;
  return draw.pick(compiled);
}

/// Elements that one block takes: what the plan says, else what its grid for a large n implies.
std::uint64_t elements_per_block(const Case& c, const Subject& subject) {
  Case probe = c;
  probe.n = std::uint64_t{1} << 16;
  probe.grid = 0;
  probe.offset = 0;
  const Plan plan = subject.plan(probe);
  if (!plan.refusal.empty()) return c.block;
  if (!plan.observed.empty() && plan.observed[0].coverage.tile != 0) {
    return plan.observed[0].coverage.tile;
  }
  const std::uint64_t grid = std::max(plan.grid, 1U);
  return std::clamp<std::uint64_t>(ceil_div(probe.n, grid), c.block, 16UL * c.block);
}

std::uint64_t at_border(Draw& draw, std::uint64_t multiple) {
  const auto n = static_cast<std::int64_t>(multiple) + draw.nudge();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
}

std::uint64_t draw_n(Draw& draw, std::uint64_t block, std::uint64_t tile, std::uint64_t blocks) {
  const std::uint64_t cap = tile * blocks + 1;
  std::uint64_t n = 0;
  switch (draw.below(12)) {
    case 0:
      return draw.below(2);
    case 1:
      return draw.below(9);
    case 2:
    case 3:
    case 4:
    case 5:
      n = at_border(draw, tile * draw.log_uniform(blocks));
      break;
    case 6:
      n = at_border(draw, block * draw.log_uniform(std::max<std::uint64_t>(cap / block, 1)));
      break;
    case 7:
    case 8:
      n = at_border(draw, std::uint64_t{1} << draw.below(std::bit_width(cap)));
      break;
    case 9:
      n = at_border(draw, 32 * draw.log_uniform(std::max<std::uint64_t>(cap / 32, 1)));
      break;
    case 10:
      n = 4 * draw.below(cap / 4 + 1) + 1 + draw.below(3);
      break;
    default:
      n = draw.below(cap);
  }
  return std::min(n, cap);
}

/// n around 2^32, where 32-bit indices wrap, run in a window of a few blocks: the last ones or the
/// first. Most of the input is never touched, so this costs no more than a small case. `wide`: the
/// form is one whose indices wrap.
bool make_huge(Draw& draw, std::uint64_t tile, bool wide, const Subject& subject, Case& c) {
  Case huge = c;
  constexpr std::array<std::uint64_t, 4> powers{31, 32, 32, 33};
  huge.n = at_border(draw, std::uint64_t{1} << draw.pick(powers)) + draw.below(2) * tile;
  huge.block_count = 1 + static_cast<std::uint32_t>(draw.below(2));
  huge.grid = 0;
  huge = subject.completed(huge);
  if (huge.grid <= huge.block_count) return false;
  huge.first_block = draw.one_in(3) ? 0 : huge.grid - huge.block_count;
  const Plan plan = subject.plan(huge);
  if (!plan.refusal.empty()) return false;
  // Blocks that step through all of the input still have much to do, a few elements on many pages;
  // and an int index that wraps within their loop never ends it, which takes the step limit to see.
  constexpr std::uint64_t most_rounds = 1024;
  const bool stepping =
      !plan.observed.empty() && plan.observed[0].coverage.kind == Coverage::Kind::grid_stride;
  if (stepping && huge.n < std::uint64_t{1} << 31) return false;
  if (stepping && !wide && !draw.one_in(2)) return false;
  const std::uint64_t rounds = huge.n / (std::uint64_t{plan.grid} * huge.block);
  if (stepping && rounds > (wide ? 16 : 1) * most_rounds) return false;
  // Lane by lane it would take 32 times as long, and smaller cases show what the order of lanes
  // does.
  if (stepping && !in_whole_warps(huge.schedule)) huge.schedule = "lockstep";
  // A partial result per block would make the output huge too.
  constexpr std::uint64_t most_output = 1 << 20;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.bytes > most_output) return false;
  }
  c = huge;
  return true;
}

/// Rough upper limit for the warp instructions of a launch at size 100. One case in 32 may take up
/// to four times as many. A kernel is taken to need 100 per warp.
constexpr std::uint64_t most_warp_instructions = 12000;

Case draw_once(Draw& draw, const Population& population, const Subject& subject, int size) {
  Case c = case_for(population.variant, population.form, population.instance);
  c.block = draw_block_of(draw, c, subject);
  c.data = draw.pick(distributions(population.instance));
  c.seed = 1 + draw.below(999);
  const std::uint64_t element = size_of(c.in);
  if (element < 16 && draw.one_in(3)) {
    c.offset = static_cast<std::uint32_t>(element * draw.below(16 / element));
  }
  c.tail = static_cast<Tail>(draw.below(4));
  c.schedule = draw.schedule(population.schedules);

  const std::uint64_t tile = elements_per_block(c, subject);
  const bool wide = population.wide_indices;
  if (draw.one_in(wide ? 3 : 6) && make_huge(draw, tile, wide, subject, c)) return c;

  std::uint64_t budget = most_warp_instructions * static_cast<std::uint64_t>(size + 1) / 101;
  if (draw.one_in(32)) budget *= 4;
  const std::uint64_t per_block = 100 * ((c.block + 31) / 32) * ((tile + c.block - 1) / c.block);
  const std::uint64_t blocks = std::clamp<std::uint64_t>(budget / per_block, 2, 64);
  c.n = draw_n(draw, c.block, tile, blocks);

  c.grid = 0;
  if (draw.one_in(3)) {  // an explicit grid: grid-stride kernels take any, others may refuse it
    Case explicit_grid = c;
    constexpr std::array<std::uint32_t, 5> grids{1, 2, 3, 5, 8};
    explicit_grid.grid = draw.pick(grids);
    if (subject.plan(explicit_grid).refusal.empty()) return explicit_grid;
  }
  return subject.completed(c);
}

}  // namespace

std::string Draw::schedule(const std::vector<std::string>& often) {
  if (!often.empty() && one_in(2)) return pick(often);
  if (one_in(3)) return "random:" + std::to_string(below(1000));
  return std::string(pick(fixed_schedules()));
}

std::span<const std::uint32_t> border_blocks() { return block_sizes; }

std::vector<Data> distributions(const Instance& instance) {
  std::vector<Data> drawn;
  for (const Data data : gauntlet::all<Data>()) {
    const DistributionFacts& of = facts(data);
    const int times = is_float(instance.in) ? of.floats : of.integers;
    drawn.insert(drawn.end(), static_cast<std::size_t>(times), data);
  }
  return drawn;
}

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  hash ^= seed * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return hash ^ (hash >> 31);
}

Case draw_case(const Population& population, const Subject& subject, std::uint64_t seed, int size) {
  Draw draw(seed);
  constexpr int attempts = 8;
  Case c = draw_once(draw, population, subject, size);
  for (int i = 1; i < attempts && !subject.plan(c).refusal.empty(); ++i) {
    c = draw_once(draw, population, subject, size);
  }
  return c;
}

}  // namespace gauntlet::properties
