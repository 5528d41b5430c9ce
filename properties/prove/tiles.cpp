// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "machine/symbolic/strides.hpp"
#include "properties/prove/claim.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Strides;
constexpr std::uint64_t most_blocks = 0x7FFF'FFFF;            // CUDA's limit of gridDim.x
constexpr std::uint64_t most_cells = std::uint64_t{1} << 32;  // of an array that is planned

std::uint64_t blocks_of(std::uint64_t n, std::uint64_t tile) {
  return std::max<std::uint64_t>(1, ceil_div(n, tile));
}

bool has_cells_of_tiles(const Plan& plan) {
  return plan.observed[0].coverage.kind == Coverage::Kind::tiles;
}

/// Cells of output that a plan over tiles must have.
std::uint64_t cells_of(const Plan& plan, std::uint64_t n) {
  return has_cells_of_tiles(plan) ? blocks_of(n, tile_of(plan)) : 1;
}

/// The arguments that are n, in the plan for n elements.
std::vector<std::size_t> counts_in(const Plan& plan, std::uint64_t n) {
  std::vector<std::size_t> all;
  const auto& args = plan.launches[0].args;
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (args[k].kind == Arg::Kind::value && args[k].bytes.size() == sizeof n &&
        std::memcmp(args[k].bytes.data(), &n, sizeof n) == 0) {
      all.push_back(k);
    }
  }
  return all;
}

/// The plan for n elements is the one for `block` elements, one block alone, with as many blocks
/// more as n needs: the same launch and arrays, but that these are longer.
bool goes_on(const Plan& one, std::uint64_t block, const Plan& plan, std::uint64_t n,
             std::uint64_t tile, const std::vector<std::size_t>& counts) {
  if (!plan.refusal.empty() || tile_of(plan) != tile_of(one)) return false;
  const auto &a = one.launches[0], &b = plan.launches[0];
  const Dim3 grid{static_cast<std::uint32_t>(blocks_of(n, tile)), 1, 1};
  const auto extents = [](const Dim3& d) { return std::tuple(d.x, d.y, d.z); };
  if (a.module != b.module || a.entry != b.entry || a.shared_bytes != b.shared_bytes ||
      a.cooperative != b.cooperative || extents(a.block) != extents(b.block) ||
      extents(b.grid) != extents(grid) || a.args.size() != b.args.size()) {
    return false;
  }
  for (std::size_t k = 0; k < a.args.size(); ++k) {
    const bool count = std::find(counts.begin(), counts.end(), k) != counts.end();
    if (count ? std::memcmp(b.args[k].bytes.data(), &n, sizeof n) != 0 : a.args[k] != b.args[k]) {
      return false;
    }
  }
  const auto &out = one.buffers[0], &longer = plan.buffers[0];
  const auto cells = cells_of(plan, n);
  return plan.padded - n == one.padded - block && out.fill == longer.fill &&
         plan.observed[0].cells == cells && longer.bytes == cells * out.element_bytes &&
         one.observed[0].cells == cells_of(one, block) &&
         one.input_may_change == plan.input_may_change;
}

/// The claim of one block, which is watched for whether it stands for others.
class OneBlock final : public Claim {
 public:
  OneBlock(const Case& c, const Plan& plan, std::uint64_t tile, Strides& strides,
           std::vector<std::size_t> counts, bool hashed)
      : case_(c),
        plan_(plan),
        tile_(tile),
        inner_(claim_of(c, plan, hashed)),
        strides_(strides),
        counts_(std::move(counts)) {}

  std::string begin(simt::GlobalMemory& memory, simt::symbolic::Shadow& shadow) override {
    auto problem = inner_->begin(memory, shadow);
    const auto* in = memory.named("in");
    const auto* out = memory.named(plan_.observed[0].buffer);
    if (!problem.empty() || in == nullptr || out == nullptr) return problem;
    using Use = Strides::Array::Use;
    Strides::Setup setup;
    setup.tile = tile_;
    setup.elements = case_.n;
    setup.elements_behind = case_.n == setup.tile;
    setup.counts = counts_;
    setup.arrays.push_back({plan_.input_may_change ? Use::own : Use::input,
                            in->base + static_cast<std::uint64_t>(in->index_base), in->base,
                            in->bytes, setup.tile * size_of(case_.in)});
    const bool each = has_cells_of_tiles(plan_);
    const auto cells = each ? tile_ / tile_of(plan_) : 0;
    setup.arrays.push_back({each ? Use::own : Use::sum, out->base, out->base, out->bytes,
                            cells * plan_.buffers[0].element_bytes});
    strides_.begin(std::move(setup));
    shadow.watch(strides_);
    return {};
  }
  bool judge(const Seen& seen, bool trees, Proof& proof) override {
    if (const auto& cause = strides_.cause()) {
      why = fmt::format("{} at {} depends on the block's number", cause->what,
                        seen.shadow.place(cause->inst));
    }
    wraps_at = seen.shadow.place(strides_.wraps_at());
    return inner_->judge(seen, trees, proof);
  }
  void assume(Proof& proof) const override { inner_->assume(proof); }

  std::string why, wraps_at;

 private:
  const Case& case_;
  const Plan& plan_;
  std::uint64_t tile_;
  std::unique_ptr<Claim> inner_;
  Strides& strides_;
  std::vector<std::size_t> counts_;
};

}  // namespace

std::uint64_t tile_of(const Plan& plan) {
  if (!plan.refusal.empty() || plan.launches.size() != 1 || !plan.takes_input ||
      plan.buffers.size() != 1 || plan.observed.size() != 1) {
    return 0;
  }
  const auto& out = plan.buffers[0];
  const auto& seen = plan.observed[0];
  const bool whole =
      seen.coverage.kind == Coverage::Kind::whole && seen.cells == 1 && out.fill == Fill::identity;
  const bool each = seen.coverage.kind == Coverage::Kind::tiles && seen.coverage.first == 0;
  const auto& args = plan.launches[0].args;
  const bool plain = std::all_of(args.begin(), args.end(), [](const Arg& a) {
    return a.kind == Arg::Kind::value || (a.kind == Arg::Kind::array && a.byte_offset == 0);
  });
  if (!plain || !(whole || each) || seen.buffer != out.name || !out.content.empty() ||
      out.offset != 0 || out.read_only || (seen.type && size_of(*seen.type) != out.element_bytes)) {
    return 0;
  }
  return seen.coverage.tile;
}

AllN prove_all_n(const Case& shape, const Planner& plan, const std::function<bool()>& going_on,
                 const simt::ExecutorOptions& machine, bool hashed) {
  AllN all;
  Case c = with_any_data(shape);
  c.grid = 0;
  const auto planned = [&](std::uint64_t n) {
    c.n = n;
    return plan(c);
  };
  const Plan first = planned(1);
  all.tile = tile_of(first);
  if (all.tile == 0) {
    all.why = first.refusal.empty() ? "the plan is not one launch over tiles" : first.refusal;
    return all;
  }
  // A block may have several tiles.
  constexpr std::uint64_t most_tiles = 64;
  const auto cell = all.tile;
  while (all.tile < most_tiles * cell && planned(all.tile + 1).grid == 1) all.tile += cell;
  all.below = std::min(all.tile * most_blocks, cell * most_cells) + 1;
  const std::uint64_t last = (all.below - 1) / all.tile - 1;
  Strides strides;
  for (std::uint64_t m = 0; m <= all.tile; ++m) {
    if (!going_on()) {
      all.why = "interrupted";
      return all;
    }
    const Plan one = planned(m);
    const bool alike = tile_of(one) == cell && one.grid == 1;
    if (m == 0 ? !one.refusal.empty() : !alike) {
      all.why = fmt::format("the plan for n={} is another", m);
      return all;
    }
    std::vector<std::size_t> counts;
    if (m != 0) counts = counts_in(one, m);
    const auto next = counts_in(planned(m + all.tile), m + all.tile);
    std::erase_if(counts,
                  [&](auto k) { return std::find(next.begin(), next.end(), k) == next.end(); });
    // The next n with as many elements in its last tile, and far ones.
    const bool edge = m == 1 || m == all.tile / 2 || m == all.tile;
    for (const std::uint64_t far :
         {std::uint64_t{1}, std::uint64_t{1'000'000}, (std::uint64_t{1} << 31) / all.tile,
          (std::uint64_t{1} << 32) / all.tile, last}) {
      const auto n = m + far * all.tile;
      if (m == 0 || (!edge && far != 1)) continue;
      if (!goes_on(one, m, planned(n), n, all.tile, counts)) {
        all.why = fmt::format("the plan for n={} is another", n);
        return all;
      }
    }
    c.n = m;
    const Case block = resolved(c, one);
    OneBlock claim(block, one, all.tile, strides, counts, hashed);
    const auto alone = claim_of(block, one, false);
    Proof proof = prove(block, one, machine, m == 0 ? *alone : claim);
    all.runs += proof.runs;
    all.warp_instructions += proof.warp_instructions;
    if (!proof.proved()) {
      all.why = fmt::format("a block of {} elements is not proved", m);
      all.failed = std::move(proof);
      return all;
    }
    if (m == 0) continue;
    if (hashed) all.trees.push_back(proof.tree_hash);
    if (!claim.why.empty()) {
      all.why = std::move(claim.why);
      return all;
    }
    if (strides.below() < all.below) {
      all.below = strides.below();
      all.ends = fmt::format("an index wraps at {}", claim.wraps_at);
    }
  }
  all.proved = true;
  return all;
}

}  // namespace gauntlet::prove
