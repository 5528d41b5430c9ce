// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows that are two files: what the spec says of a launch is what a mapping says.
#include "kernels/written.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::kernels {
namespace {

/// What the rows were before they were specs.
const std::map<std::string, Load>& loads() {
  static const std::map<std::string, Load> all{{"interleaved_bitmask", Load::one},
                                               {"interleaved_modulo", Load::one},
                                               {"first_add_on_load", Load::two}};
  return all;
}

TEST(Written, rows_launch_as_their_mappings_would) {
  constexpr std::uint64_t drawn = 1000;
  ASSERT_EQ(written().size(), loads().size());
  for (const auto& [id, load] : loads()) {
    const Row& row = *find_row(id);
    ASSERT_NE(row.written, nullptr) << id;
    const Mapping mapping{
        .load = load, .shared = Shared::cell_per_thread, .finish = Finish::partials};
    for (const Form& form : row.variant.forms) {
      const auto& compiled = instances(id, form.name);
      ASSERT_FALSE(compiled.empty()) << id << "@" << form.name;
      for (std::uint64_t k = 0; k < drawn; ++k) {
        const Case c =
            compiled_kernels().draw({id, form.name, compiled[k % compiled.size()], {}, k % 3 == 0},
                                    k + 1, static_cast<int>(k % 100));
        const Geometry is = row.written->geometry(c), was = geometry_of(mapping, form, c);
        ASSERT_EQ(is.refusal, was.refusal) << to_string(c);
        ASSERT_EQ(is.entry, was.entry) << to_string(c);
        ASSERT_EQ(is.tile, was.tile) << to_string(c);
        ASSERT_EQ(is.grid_stride, was.grid_stride) << to_string(c);
        ASSERT_EQ(is.finish, was.finish) << to_string(c);
        ASSERT_EQ(is.block.x, was.block.x) << to_string(c);
        ASSERT_EQ(is.block.count(), was.block.count()) << to_string(c);
        ASSERT_EQ(is.shared_bytes, was.shared_bytes) << to_string(c);
        ASSERT_EQ(is.second_block, was.second_block) << to_string(c);
        ASSERT_EQ(is.height, was.height) << to_string(c);
        ASSERT_EQ(is.vector, was.vector) << to_string(c);
        ASSERT_EQ(is.batch, was.batch) << to_string(c);
        ASSERT_EQ(is.tail_multiple, was.tail_multiple) << to_string(c);
        ASSERT_EQ(is.input_may_change, was.input_may_change) << to_string(c);
      }
    }
  }
}

}  // namespace
}  // namespace gauntlet::kernels
