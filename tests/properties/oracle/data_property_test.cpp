// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {
namespace {

Case case_of_any_data() {
  Case c;
  c.variant = "v";
  const auto types = all<Type>();
  const auto ops = all<Op>();
  c.in = *rc::gen::elementOf(std::vector<Type>(types.begin(), types.end()));
  c.acc = c.in;
  c.op = *rc::gen::elementOf(std::vector<Op>(ops.begin(), ops.end()));
  c.n = *rc::gen::inRange<std::uint64_t>(1, 3000);
  c.data = static_cast<Data>(*rc::gen::inRange(0, static_cast<int>(Data::identities) + 1));
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  return c;
}

RC_GTEST_PROP(DataProperty, any_slice_equals_its_part_of_the_whole, ()) {
  const Case c = case_of_any_data();
  const Recipe recipe = make_recipe(c);
  const auto first = *rc::gen::inRange<std::uint64_t>(0, c.n);
  const auto count = *rc::gen::inRange<std::uint64_t>(0, c.n - first + 1);
  const auto whole = make_elements(recipe, 0, c.n);
  const auto part = make_elements(recipe, first, count);
  RC_ASSERT(std::equal(part.begin(), part.end(),
                       whole.begin() + static_cast<std::ptrdiff_t>(first * size_of(c.in))));
}

/// Element by element, as the device makes them.
RC_GTEST_PROP(DataProperty, any_slice_under_any_map_is_what_its_indices_say, ()) {
  Case c = case_of_any_data();
  c.map = static_cast<Map>(*rc::gen::inRange(0, static_cast<int>(Map::pad) + 1));
  if (c.map == Map::scale) {
    const int width = static_cast<int>(8 * size_of(c.in));
    c.map_by = is_float(c.in) ? *rc::gen::inRange(-300, 300) : *rc::gen::inRange(0, width);
  } else if (c.map >= Map::take) {
    c.map_by = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(c.n) + 1);
  }
  const Recipe recipe = make_recipe(c);
  const auto first = *rc::gen::inRange<std::uint64_t>(0, c.n);
  const auto count = *rc::gen::inRange<std::uint64_t>(0, c.n - first + 1);
  const auto bytes = make_elements(recipe, first, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    RC_ASSERT(load_bits(c.in, bytes.data() + i * size_of(c.in)) == element_bits(recipe, first + i));
  }
}

RC_GTEST_PROP(DataProperty, reference_of_any_case_accepts_itself_and_is_never_vague, ()) {
  const Case c = case_of_any_data();
  SliceReference slice(c.in, c.acc, c.op);
  slice.add(make_elements(make_recipe(c), 0, c.n).data(), c.n);
  slice.finish();
  RC_ASSERT(slice.accepts(slice.bits(), 0));
  RC_ASSERT(!slice.vague());
}

RC_GTEST_PROP(DataProperty, losing_an_element_of_exact_data_always_shows, ()) {
  Case c = case_of_any_data();
  c.op = Op::sum;
  c.data = Data::small_integers;
  const auto bytes = make_elements(make_recipe(c), 0, c.n);
  const auto lost = *rc::gen::inRange<std::uint64_t>(0, c.n);
  RC_PRE(to_double(c.in, bytes.data() + lost * size_of(c.in)) != 0);  // sparse in f16 and bf16
  SliceReference whole(c.in, c.acc, c.op), rest(c.in, c.acc, c.op);
  whole.add(bytes.data(), c.n);
  rest.add(bytes.data(), lost);
  rest.add(bytes.data() + (lost + 1) * size_of(c.in), c.n - lost - 1);
  whole.finish();
  rest.finish();
  RC_ASSERT(whole.exact());
  RC_ASSERT(!whole.accepts(rest.bits(), 1000));
}

}  // namespace
}  // namespace gauntlet
