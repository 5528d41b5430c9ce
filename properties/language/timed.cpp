// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/timed.hpp"

#include <algorithm>

#include "properties/language/evaluate.hpp"

namespace gauntlet::spec {
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
  Case c;
  c.variant = spec.path;
  c.form = loaded.form;
  c.in = loaded.instance.in;
  c.acc = loaded.instance.acc;
  c.op = loaded.instance.op;
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
  if (spec.tiled) {
    return c.op == Op::sum ? std::optional(Summed{{c.in, c.acc}, c.n}) : std::nullopt;
  }
  for (const Result& result : spec.results) {
    const Node& value = *result.value;
    if (value.kind != Node::Kind::reduction || value.reduction != Reduction::sum) continue;
    const Node& body = *value.children[0];
    const bool plain =
        value.text.empty() && (body.kind == Node::Kind::name || body.kind == Node::Kind::slice);
    const Array* const array = plain ? spec.array(body.text) : nullptr;
    if (array == nullptr) continue;
    Evaluator evaluator(loaded.program, values(c), c.offset);
    return Summed{{array->type, spec.arrays[result.array].type},
                  evaluator.elements(static_cast<std::size_t>(array - spec.arrays.data()))};
  }
  return std::nullopt;
}

}  // namespace gauntlet::spec
