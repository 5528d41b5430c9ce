// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/numbers.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::prove {
namespace {

std::vector<std::uint64_t> numbers(const std::string& option, std::string_view text,
                                   std::uint64_t least, std::uint64_t most) {
  const auto bad = [&] {
    return UsageError(fmt::format("{}: write whole numbers from {} to {}, such as {},{} or {}..{}",
                                  option, least, most, least, most, least, most));
  };
  const auto number = [&] {
    const auto x = take_number<std::uint64_t>(text);
    if (!x || *x < least || *x > most) throw bad();
    return *x;
  };
  std::vector<std::uint64_t> all;
  while (true) {
    const auto first = number();
    auto last = first;
    if (text.starts_with("..")) {
      text.remove_prefix(2);
      last = number();
      if (last < first) throw bad();
    }
    if (last - first >= most_shapes || all.size() + (last - first) >= most_shapes) {
      throw UsageError(fmt::format("{}: more than {} numbers; narrow them", option, most_shapes));
    }
    for (auto k = first; k <= last; ++k) all.push_back(k);
    if (text.empty()) break;
    if (text.front() != ',') throw bad();
    text.remove_prefix(1);
  }
  return all;
}

/// Those of `all` beside the ends of one, two and four blocks, and the least and most.
std::vector<std::uint64_t> edges(const std::vector<std::uint64_t>& all, std::uint64_t block) {
  std::vector<std::uint64_t> some;
  for (std::size_t k = 0; k < all.size(); ++k) {
    bool edge = k < 3 || k + 2 >= all.size();
    for (const auto end : {block, 2 * block, 4 * block}) {
      edge = edge || (all[k] + 1 >= end && all[k] <= end + 1);
    }
    if (edge) some.push_back(all[k]);
  }
  return some;
}

}  // namespace

Shapes parse_shapes(std::string_view n, std::string_view blocks, std::string_view types) {
  if (types != "first" && types != "all") {
    throw UsageError(fmt::format("--types {}: write first or all", types));
  }
  Shapes shapes;
  shapes.every_type = types == "all";
  shapes.every_n = n == "all";
  if (!shapes.every_n) shapes.n = numbers("--n", n, 0, most_elements);
  std::ranges::sort(shapes.n);
  shapes.edges = blocks == "all";
  if (blocks == "std") {
    const auto usual = properties::border_blocks();
    shapes.blocks.assign(usual.begin(), usual.end());
  } else {
    shapes.blocks = numbers("--blocks", blocks == "all" ? "1..1024" : blocks, 1, 1024);
  }
  if (!shapes.edges && shapes.n.size() * shapes.blocks.size() > most_shapes) {
    throw UsageError(fmt::format("--n, --blocks: {} x {} shapes of a form, at most {}; narrow one",
                                 shapes.n.size(), shapes.blocks.size(), most_shapes));
  }
  return shapes;
}

std::vector<Part> parts_of(const properties::Subject& subject, const properties::Selected& selected,
                           const Shapes& shapes) {
  const auto& variant = *selected.variant;
  const auto& form = *selected.form;
  std::vector<Part> parts;
  if (!form.expected.empty()) {
    for (const auto& r : subject.known(variant.id, form.name, {}).cases) {
      Part part;
      part.shape = r.c;
      part.shape.n = 0;
      part.shape.grid = part.shape.first_block = part.shape.block_count = 0;
      part.shape.seed = 1;
      part.shape.data = Data::ones;
      part.shape.schedule = Case{}.schedule;
      const auto known = std::ranges::find(parts, part.shape, &Part::shape);
      const bool apart = shapes.every_n && known == parts.end();
      if (apart || parts.empty()) parts.push_back(std::move(part));
      auto& to = shapes.every_n && !apart ? *known : parts.back();
      to.cases.push_back(r.c);
    }
    return parts;
  }
  auto instances = subject.instances(variant.id, form.name);
  if (!shapes.every_type && instances.size() > 1) {
    instances.erase(instances.begin() + 1, instances.end());
  }
  for (const auto& i : instances) {
    for (const auto block : shapes.blocks) {
      Part part;
      Case& c = part.shape;
      c = case_for(variant.id, form.name, i);
      c.block = static_cast<std::uint32_t>(block);
      c.grid = 0;
      part.n = shapes.edges && std::ranges::count(properties::border_blocks(), c.block) == 0
                   ? edges(shapes.n, block)
                   : shapes.n;
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::vector<Part> parts_of(const properties::Subject& subject, const properties::Population& of,
                           bool must_hold, std::uint64_t count,
                           const std::function<bool()>& going_on) {
  std::vector<Part> parts;
  if (must_hold) {
    for (Case& c : subject.sizes_to_prove(of, count, going_on)) {
      parts.emplace_back().cases.push_back(std::move(c));
    }
    return parts;
  }
  for (const auto& known : subject.known(of.variant, of.form, {}).cases) {
    if (Instance{known.c.in, known.c.acc, known.c.op} != of.instance) continue;
    parts.emplace_back().cases.push_back(known.c);
  }
  return parts;
}

}  // namespace gauntlet::prove
