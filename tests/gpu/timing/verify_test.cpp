// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/scalar.hpp"
#include "gpu/timing/bench.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet::timing {
namespace {

Case timed(const std::string& line) {
  Case c = parse_case(line);
  c.data = timed_data;
  return c;
}

/// The cells that a right kernel leaves, tile by tile.
Observation right(const Case& c, const Plan& plan) {
  Observation seen;
  seen.completed = true;
  const Observed& observed = plan.observed.front();
  ObservedBuffer buffer{observed.buffer, c.acc, {}, {}};
  buffer.bytes.resize(observed.cells * size_of(c.acc));
  buffer.defined.assign(observed.cells, true);
  const Recipe recipe = make_recipe(c);
  const std::uint64_t tile =
      observed.coverage.kind == Coverage::Kind::whole ? c.n : observed.coverage.tile;
  for (std::uint64_t cell = 0; cell < observed.cells; ++cell) {
    SliceReference slice(c.in, c.acc, c.op);
    const std::uint64_t count = std::min(tile, c.n - cell * tile);
    slice.add(make_elements(recipe, cell * tile, count).data(), count);
    slice.finish();
    store_bits(c.acc, buffer.bytes.data() + cell * size_of(c.acc), slice.bits());
  }
  seen.buffers.push_back(std::move(buffer));
  return seen;
}

TEST(Verify, accepts_a_right_result_of_any_size_and_finish) {
  for (const char* const line :
       {"sequential@fixed f32->f32 sum n=1000 block=256", "wide_active@fixed i32->i32 sum n=97",
        "sequential@fixed f16->f32 sum n=3000000 block=1024"}) {
    const Case c = timed(line);
    const Plan plan = kernels::plan(c);
    EXPECT_EQ(wrong(c, plan, right(c, plan)), "") << line;
  }
}

TEST(Verify, one_element_too_many_in_one_cell_is_seen_in_small_and_large_results) {
  for (const char* const line : {"sequential@fixed f32->f32 sum n=1000 block=256",
                                 "sequential@fixed f32->f32 sum n=3000000 block=1024"}) {
    const Case c = timed(line);
    const Plan plan = kernels::plan(c);
    Observation seen = right(c, plan);
    std::byte* const last = seen.buffers[0].bytes.data() + seen.buffers[0].bytes.size() - 4;
    store_bits(c.acc, last, float_bits(c.acc, to_double(c.acc, last) + 1));
    EXPECT_NE(wrong(c, plan, seen), "") << line;
  }
}

TEST(Verify, no_output_is_wrong) {
  const Case c = timed("sequential@fixed f32->f32 sum n=1000 block=256");
  EXPECT_EQ(wrong(c, kernels::plan(c), Observation{}), "it has no output");
}

TEST(Verify, the_data_leave_one_right_value_up_to_the_largest_size) {
  for (const Type type : {Type::f32, Type::f64, Type::i32}) {
    Case c = timed("sequential@fixed f32->f32 sum n=1 block=256");
    c.in = c.acc = type;
    c.n = std::uint64_t{1} << 30;
    const Recipe recipe = make_recipe(c);
    // A sum of magnitudes that the type counts to: no order of additions rounds.
    const double most = static_cast<double>(recipe.limit) * static_cast<double>(c.n) /
                        static_cast<double>(recipe.group);
    if (is_float(type)) {
      EXPECT_LE(most, type == Type::f32 ? 1 << 24 : 9007199254740992.0);
    }
  }
}

}  // namespace
}  // namespace gauntlet::timing
