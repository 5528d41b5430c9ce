// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>

#include "properties/hunt/generate.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

using properties::Draw;

/// Up to `most` from size 80 on, every power of two as likely as the next, or every number of a
/// few; borders of powers of two, of warps and of the sizes drawn before are tried most.
std::uint64_t draw_size(Draw& draw, const Size& size, const std::vector<std::uint64_t>& others,
                        int scale) {
  if (!size.choices.empty()) return draw.pick(size.choices);
  const std::uint64_t span = size.most - size.least;
  if (span < 64 && !draw.one_in(3)) return size.least + draw.below(span + 1);
  const int bits = std::bit_width(span);
  const int allowed = std::min(bits, std::max(6, bits * (scale + 20) / 100));
  const std::uint64_t most =
      allowed >= 64 ? span : std::min(span, (std::uint64_t{1} << allowed) - 1);
  const auto log_uniform = [&] {
    const std::uint64_t top = std::uint64_t{1}
                              << draw.below(static_cast<std::uint64_t>(allowed) + 1);
    return std::min(most, top / 2 + draw.below(top - top / 2));
  };
  const auto near = [&](std::uint64_t value) {
    const std::uint64_t n = value + draw.below(3);
    return n == 0 ? 0 : n - 1;
  };
  std::uint64_t value = 0;
  switch (draw.below(10)) {
    case 0:
      return size.least + std::min(span, draw.below(3));
    case 1:
      value = size.least + most - std::min(most, draw.below(2));
      break;
    case 2:
      value = near(std::uint64_t{1} << draw.below(static_cast<std::uint64_t>(allowed) + 1));
      break;
    case 3:
    case 4:
      value = near(32 * (1 + log_uniform() / 32));
      break;
    case 5:
    case 6:
      if (!others.empty()) {
        const std::uint64_t unit = std::max<std::uint64_t>(draw.pick(others), 1);
        value = near(unit * (1 + log_uniform() / unit));
        break;
      }
      [[fallthrough]];
    case 7:
      value = size.least + log_uniform();
      break;
    default:
      value = size.least + draw.below(std::min<std::uint64_t>(span, 4096) + 1);
  }
  return std::clamp(value, size.least, size.most);
}

std::uint64_t draw_block(Draw& draw, const Size& size) {
  constexpr std::uint64_t known[] = {32, 64, 96, 128, 256, 512, 1024};
  if (!size.choices.empty()) return draw.pick(size.choices);
  if (draw.one_in(4)) {
    const std::uint64_t span = size.most - size.least;
    return size.least +
           draw.below((draw.one_in(2) ? span : std::min<std::uint64_t>(span, 160)) + 1);
  }
  // Small blocks show the same borders at a fraction of the cost.
  const std::uint64_t block = known[std::min(draw.below(7), draw.below(7))];
  return std::clamp(block, size.least, size.most);
}

Case draw_once(const Loaded& loaded, Draw& draw, int scale,
               const std::vector<std::string>& schedules) {
  const Spec& spec = loaded.program.spec;
  Case c = case_for(spec.path, loaded.form, loaded.instance);
  c.grid = 0;
  for (const Size& size : spec.sizes) c.sizes.push_back({size.name, size.least});
  // Some defects need all that the spec allows: the last warp of the longest block has data, or a
  // narrow counter is full. Sizes go to their ends together as long as that is cheap.
  bool at_ends = scale > 25 && draw.one_in(12);
  std::uint64_t cheap = std::uint64_t{1} << 16;
  std::vector<std::uint64_t> drawn;
  for (const bool block : {true, false}) {  // other sizes go by the block's multiples
    for (std::size_t k = 0; k < spec.sizes.size(); ++k) {
      const Size& size = spec.sizes[k];
      if ((size.name == "block") != block) continue;
      at_ends = at_ends && size.most <= cheap;
      c.sizes[k].value = at_ends && size.choices.empty() ? size.most
                         : block                         ? draw_block(draw, size)
                                                         : draw_size(draw, size, drawn, scale);
      if (!block) cheap /= std::max<std::uint64_t>(c.sizes[k].value, 1);
      drawn.push_back(c.sizes[k].value);
    }
  }
  c.data = draw.pick(spec.data);
  c.seed = 1 + draw.below(999);
  std::uint32_t align = 16;
  for (const Array& array : spec.arrays) align = std::min(align, array.align);
  if (draw.one_in(3)) c.offset = static_cast<std::uint32_t>(align * draw.below(32 / align));
  c.schedule = draw.schedule(schedules);
  return c;
}

}  // namespace

Case draw(const Loaded& loaded, std::uint64_t seed, int size,
          const std::vector<std::string>& schedules) {
  Draw draw(seed);
  constexpr int attempts = 100;
  Case c = draw_once(loaded, draw, size, schedules);
  for (int i = 1; i < attempts && !refusal(loaded, c).empty(); ++i) {
    c = draw_once(loaded, draw, size, schedules);
  }
  return c;
}

namespace {

/// The size that grows; none where there is nothing but the block.
const Size* growing(const Spec& spec) {
  for (const char* const name : {"n", "rows"}) {
    const auto known = std::ranges::find(spec.sizes, name, &Size::name);
    if (known != spec.sizes.end()) return &*known;
  }
  const auto first =
      std::ranges::find_if(spec.sizes, [](const Size& size) { return size.name != "block"; });
  return first == spec.sizes.end() ? nullptr : &*first;
}

}  // namespace

Case timed_case(const Loaded& loaded, std::uint64_t n) {
  const Spec& spec = loaded.program.spec;
  const Size* const grows = growing(spec);
  Case c = case_for(spec.path, loaded.form, loaded.instance);
  c.grid = 0;
  c.data = Data::small_integers;
  if (spec.tiled) {
    c.n = n;
    for (const std::uint32_t threads : {256U, 128U, 512U, 1024U, 64U, 32U}) {
      c.block = threads;
      if (plan(loaded, c).refusal.empty()) break;
    }
    return c;
  }
  for (const Size& size : spec.sizes)
    c.sizes.push_back({size.name, &size == grows ? n : size.most});
  const auto block = std::ranges::find(c.sizes, "block", &NamedSize::name);
  if (block == c.sizes.end()) return c;
  const Size& domain = spec.sizes[static_cast<std::size_t>(block - c.sizes.begin())];
  for (const std::uint64_t threads : {256U, 128U, 512U, 1024U, 64U, 32U}) {
    if (!domain.allows(threads)) continue;
    block->value = threads;
    if (refusal(loaded, c).empty()) break;
  }
  return c;
}

Plan timed_plan(const Loaded& loaded, const Case& c) { return plan(loaded, c, Sizes::any); }

std::optional<Summed> plain_sum(const Loaded& loaded, const Case& c) {
  const Spec& spec = loaded.program.spec;
  for (const Result& result : spec.results) {
    const Expression& value = result.value;
    const bool plain = value.kind == Expression::Kind::reduction &&
                       value.reduction == Reduction::sum && value.slices.size() == 1 &&
                       value.children[0].kind == Expression::Kind::cursor;
    if (!plain) continue;
    const auto array = static_cast<std::size_t>(value.slices[0].array);
    Evaluator evaluator(loaded.program, values(spec, c), c.offset);
    return Summed{{spec.arrays[array].type, spec.arrays[result.array].type},
                  evaluator.elements(array)};
  }
  return std::nullopt;
}

}  // namespace gauntlet::spec
