// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// plan(): every case is refused with a reason or leads to launches that fit their kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/generate.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

void expect_consistent(const Case& c, const Plan& plan) {
  SCOPED_TRACE(to_string(c));
  ASSERT_FALSE(plan.launches.empty());
  ASSERT_FALSE(plan.buffers.empty());
  EXPECT_EQ(plan.buffers[0].name, "out");
  EXPECT_GE(plan.grid, 1U);
  EXPECT_GE(plan.padded, c.n);
  for (const Launch& launch : plan.launches) {
    const ptx::Function* const entry = outline(launch.module).defined_entry(launch.entry);
    ASSERT_NE(entry, nullptr) << launch.entry;
    EXPECT_EQ(entry->params.size(), launch.args.size()) << launch.entry;
    EXPECT_GE(launch.block.count(), 1U);
    EXPECT_LE(launch.block.count(), 1024U);
    EXPECT_GE(launch.grid.count(), 1U);
    for (const Arg& arg : launch.args) {
      if (arg.kind == Arg::Kind::array && arg.array != Plan::input) {
        ASSERT_LE(arg.array, plan.buffers.size());
        EXPECT_LE(arg.byte_offset, plan.buffers[arg.array - 1].bytes);
      }
      EXPECT_EQ(arg.kind == Arg::Kind::value, !arg.bytes.empty());
    }
  }
  ASSERT_FALSE(plan.observed.empty());
  for (const Observed& observed : plan.observed) {
    EXPECT_GE(observed.cells, c.n == 0 ? 0U : 1U);
    const auto buffer = std::ranges::find(plan.buffers, observed.buffer, &Buffer::name);
    if (buffer == plan.buffers.end()) {  // a __device__ array
      EXPECT_NE(outline(plan.launches[0].module).variable(observed.symbol), nullptr);
    } else {
      EXPECT_LE(observed.cells * size_of(c.acc), buffer->bytes);
    }
    if (observed.coverage.kind == Coverage::Kind::tiles) {
      EXPECT_GE(observed.cells * observed.coverage.tile, c.n);
    }
  }
}

TEST(Plan, every_form_and_block_is_refused_with_a_reason_or_consistent) {
  for (const Variant& v : catalogue()) {
    if (find_row(v.id)->by_host()) continue;  // CUB decides what is launched, if anything
    for (const Form& f : v.forms) {
      for (const Instance& types : instances(v.id, f.name)) {
        for (const std::uint32_t block : properties::border_blocks()) {
          for (const std::uint64_t n : {0, 1, 97, 5000}) {
            const Case c = make_case(v.id, f.name, types, n, block);
            const Plan p = plan(c);
            if (p.refusal.empty()) {
              expect_consistent(c, p);
            } else {
              EXPECT_TRUE(p.launches.empty());
              EXPECT_NE(p.refusal.find("block="), std::string::npos) << p.refusal;
            }
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Plan, refuses_only_blocks_that_the_kernel_cannot_do) {
  const auto refused = [](const char* variant) {
    std::vector<std::uint32_t> blocks;
    const Instance types{Type::f32, Type::f32, Op::sum};
    for (const std::uint32_t block : properties::border_blocks()) {
      if (!plan(make_case(variant, "fixed", types, 1000, block)).refusal.empty()) {
        blocks.push_back(block);
      }
    }
    return blocks;
  };
  const std::vector<std::uint32_t> partial_warps{8, 16, 33, 48, 180};
  const std::vector<std::uint32_t> not_powers{33, 48, 96, 180, 192};
  for (const Variant& v : catalogue()) {
    if (v.id.starts_with("cub_") || v.id == "redux") continue;  // redux: no f32
    if (v.id == "full_unroll") {
      EXPECT_EQ(refused("full_unroll"), not_powers);
    } else if (v.id == "shuffle_rows") {
      EXPECT_EQ(refused(v.id.c_str()), partial_warps) << v.id;
    } else {
      EXPECT_TRUE(refused(v.id.c_str()).empty()) << v.id;
    }
  }
}

TEST(Plan, derives_the_grid_from_the_tile) {
  EXPECT_EQ(plan(make_case("sequential", "fixed", f32_pair, 97, 64)).grid, 2U);
  EXPECT_EQ(plan(make_case("first_add_on_load", "fixed", f32_pair, 97, 64)).grid, 1U);
  EXPECT_EQ(plan(make_case("int4_coarsened", "fixed", i32_pair, 257, 64)).grid, 2U);
  EXPECT_EQ(plan(make_case("sequential", "fixed", f32_pair, 0, 64)).grid, 1U);
  EXPECT_EQ(plan(make_case("two_pass", "fixed", f32_pair, 100000, 64)).grid, 8U);
}

TEST(Plan, refuses_a_grid_that_does_not_cover_n) {
  Case c = make_case("sequential", "fixed", f32_pair, 129, 64);
  c.grid = 2;
  EXPECT_EQ(plan(c).refusal, "grid=2 covers 128 of n=129 elements; take grid=3 or leave it out");
  c.n = 128;
  EXPECT_EQ(plan(c).refusal, "");
  c.variant = "grid_stride";
  c.n = 100000;
  EXPECT_EQ(plan(c).refusal, "");
}

TEST(Plan, refuses_an_offset_inside_an_element) {
  Case c = make_case("sequential", "fixed", f32_pair, 10, 64);
  c.offset = 6;
  EXPECT_NE(plan(c).refusal.find("multiple of 4"), std::string::npos);
  c.offset = 8;
  EXPECT_EQ(plan(c).refusal, "");
}

TEST(Plan, a_block_size_that_is_a_constant_is_one_that_the_kernel_is_compiled_for) {
  const auto refusal = [](const char* variant, const char* form, Instance types,
                          std::uint32_t block) {
    return plan(make_case(variant, form, types, 500, block)).refusal;
  };
  EXPECT_EQ(refusal("wide_active", "documented", i32_pair, 96), "");
  EXPECT_EQ(refusal("wide_active", "documented", i32_pair, 97),
            "block=97: the kernel has its block size as a constant; take one of 1, 2, 3, 4, 8, 16, "
            "24, 32, 33, 48, 64, 96, 128, 180, 192, 256, 320, 512, 1024");
  EXPECT_NE(refusal("half_shared", "documented", i32_pair, 1).find("take one of 2, 3"),
            std::string::npos);  // int s[1 / 2]
  EXPECT_EQ(refusal("wide_active", "fixed", i32_pair, 97), "");
  // A prints a constant and floats, E blockDim.x and ints.
  EXPECT_NE(refusal("sequential", "documented", f32_pair, 97), "");
  EXPECT_EQ(refusal("sequential", "documented", i32_pair, 97), "");
}

TEST(Plan, an_array_is_static_where_a_document_declares_it_so) {
  const auto launch = [](const char* variant, Instance types) {
    return plan(make_case(variant, "documented", types, 500, 96)).launches.at(0);
  };
  EXPECT_EQ(launch("sequential", f32_pair).shared_bytes, 0U);
  EXPECT_TRUE(launch("sequential", f32_pair).entry.ends_with("__b96"));
  EXPECT_EQ(launch("sequential", i32_pair).shared_bytes, 96U * 4);
  EXPECT_FALSE(launch("sequential", i32_pair).entry.ends_with("__b96"));
}

TEST(Plan, gives_shared_memory_to_the_byte) {
  const auto shared = [](const char* variant, const char* form, Instance types) {
    return plan(make_case(variant, form, types, 500, 96)).launches.at(0).shared_bytes;
  };
  EXPECT_EQ(shared("sequential", "fixed", {Type::f16, Type::f16, Op::sum}), 96U * 2);
  EXPECT_EQ(shared("sequential", "fixed", {Type::f32, Type::f64, Op::sum}), 96U * 8);
  EXPECT_EQ(shared("int4_through_shared", "fixed", i32_pair), 96U * 16);
  EXPECT_EQ(shared("half_shared", "fixed-shared_size", i32_pair), 48U * 4);
  EXPECT_EQ(shared("half_shared", "fixed-block_stride", i32_pair), 96U * 4);
  EXPECT_EQ(shared("half_shared_half_block", "fixed", i32_pair), 96U * 4);
  EXPECT_EQ(shared("shuffle_rows", "fixed", f32_pair), 0U);
}

TEST(Plan, maps_a_tail_for_loads_that_do_not_look_at_n) {
  EXPECT_EQ(plan(make_case("sequential", "documented", f32_pair, 97, 64)).padded, 128U);
  EXPECT_EQ(plan(make_case("int4_coarsened", "documented", i32_pair, 97, 64)).padded, 100U);
  EXPECT_GE(plan(make_case("global_inplace", "documented", f32_pair, 97, 33)).padded, 99U + 33U);
}

TEST(Plan, second_launch_reduces_the_first_ones_partials) {
  const Plan separate = plan(make_case("two_pass", "fixed", f32_pair, 5000, 64));
  ASSERT_EQ(separate.launches.size(), 2U);
  ASSERT_EQ(separate.buffers.size(), 2U);
  EXPECT_EQ(separate.launches[0].args[1].array, Plan::buffer(1));
  EXPECT_EQ(separate.launches[1].args[0].array, Plan::buffer(1));
  EXPECT_EQ(separate.launches[1].args[1].array, Plan::buffer(0));
  std::uint64_t count = 0;
  std::memcpy(&count, separate.launches[1].args[2].bytes.data(), sizeof count);
  EXPECT_EQ(count, 8U);

  const Plan in_place = plan(make_case("grid_stride", "fixed", f32_pair, 5000, 64));
  ASSERT_EQ(in_place.launches.size(), 2U);
  EXPECT_EQ(in_place.buffers.size(), 1U);
  EXPECT_EQ(in_place.launches[1].block, (Dim3{1024, 1, 1}));

  const std::string partials = "_ZN28gauntlet__fixed__f32_f32_sum8partialsE";  // of its copy
  const Plan array = plan(make_case("static_partials", "fixed", f32_pair, 5000, 64));
  EXPECT_EQ(array.launches[0].args[1].symbol, partials);
  EXPECT_EQ(array.launches[1].args[0].symbol, partials);
}

TEST(Plan, ticket_is_taken_twice_to_show_that_it_is_reset_and_the_last_launch_writes_out) {
  Case c = make_case("single_pass_ticket", "fixed", f32_pair, 5000, 64);
  c.grid = 3;
  const Plan p = plan(c);
  ASSERT_EQ(p.launches.size(), 2U);
  EXPECT_EQ(p.rehearsals, 1U);
  EXPECT_EQ(p.launches[0].entry, p.launches[1].entry);
  ASSERT_EQ(p.buffers.size(), 4U);
  EXPECT_EQ(p.buffers[p.launches[0].args[1].array - 1].name, "rehearsal");
  EXPECT_EQ(p.buffers[p.launches[1].args[1].array - 1].name, "out");
  for (const Launch& launch : p.launches) {
    EXPECT_EQ(p.buffers[launch.args[2].array - 1].name, "partials");
    EXPECT_EQ(p.buffers[launch.args[3].array - 1].name, "ticket");
  }
  EXPECT_EQ(p.buffers[2].bytes, 3U * 4);
  EXPECT_EQ(p.buffers[3].fill, Fill::zero);
  EXPECT_FALSE(p.float_atomics);
  EXPECT_EQ(plan(make_case("vector_batch", "fixed", f32_pair, 5000, 64)).rehearsals, 0U);
}

TEST(Plan, rehearsal_has_fewer_elements_and_is_left_out_of_what_is_timed) {
  for (const char* variant : {"single_pass_ticket", "single_pass_slots"}) {
    const Plan p = plan(make_case(variant, "fixed", f32_pair, 5000, 64));
    ASSERT_EQ(p.launches.size(), 2U) << variant;
    const auto count = [](const Launch& launch) {
      std::uint64_t n = 0;
      std::memcpy(&n, launch.args.back().bytes.data(), sizeof n);
      return n;
    };
    EXPECT_EQ(count(p.launches[0]), 2500U) << variant;
    EXPECT_EQ(count(p.launches[1]), 5000U) << variant;
    const Plan timed = without_rehearsals(p);
    ASSERT_EQ(timed.launches.size(), 1U) << variant;
    EXPECT_EQ(timed.buffers[timed.launches[0].args[1].array - 1].name, "out") << variant;
  }
  const Plan two = plan(make_case("two_pass", "fixed", f32_pair, 5000, 64));
  EXPECT_EQ(without_rehearsals(two).launches.size(), two.launches.size());
}

TEST(Plan, slots_hold_two_words_for_each_block_and_begin_empty) {
  const Plan p = plan(make_case("single_pass_slots", "fixed", f32_pair, 5000, 64));
  const auto slots = std::ranges::find(p.buffers, "slots", &Buffer::name);
  ASSERT_NE(slots, p.buffers.end());
  EXPECT_EQ(slots->bytes, std::uint64_t{p.grid} * 16);
  EXPECT_EQ(slots->fill, Fill::zero);
  EXPECT_EQ(p.observed.size(), 1U);
}

TEST(Plan, partials_are_observed_where_their_elements_are_known) {
  const auto partials_seen = [](const char* variant, std::uint32_t grid, std::uint32_t offset) {
    Case c = make_case(variant, "fixed", f32_pair, 5000, 64);
    c.grid = grid;
    c.offset = offset;
    return plan(c).observed.size() == 2;
  };
  EXPECT_TRUE(partials_seen("single_pass_ticket", 2, 0));
  EXPECT_FALSE(partials_seen("single_pass_ticket", 1, 0));  // the block writes out directly
  EXPECT_FALSE(partials_seen("single_pass_ticket", 2, 4));  // tiles begin at aligned addresses
  EXPECT_TRUE(partials_seen("vector_batch", 1, 0));
  EXPECT_FALSE(partials_seen("vector_batch", 1, 4));
  EXPECT_TRUE(partials_seen("two_pass", 2, 4));
}

TEST(Plan, batches_cover_a_tile_of_eight_vectors_per_thread) {
  const Plan floats = plan(make_case("vector_batch", "fixed", f32_pair, 64 * 32 + 1, 64));
  EXPECT_EQ(floats.observed.at(1).coverage.tile, 64U * 8 * 4);
  EXPECT_EQ(floats.grid, 2U);
  const Instance half{Type::f16, Type::f32, Op::sum};
  EXPECT_EQ(plan(make_case("vector_batch", "fixed", half, 64, 64)).observed.at(1).coverage.tile,
            64U * 8 * 8);
}

TEST(Plan, height_of_a_batch_counts_one_of_four_sums) {
  Case c = make_case("vector_batch", "fixed", f32_pair, 1 << 20, 256);
  c.grid = 128;
  // A vector a thread per load: 8 additions, 3 between the sums, at most 2 + 1 of the borders; then
  // the two trees and the second launch's vector.
  EXPECT_GE(plan(c).height, 8U + 3 + 8);
  EXPECT_LE(plan(c).height, 16U + 3 + 2 + 8 + 1 + 8);
}

TEST(Plan, every_launch_behind_the_first_is_a_dependent_one_and_one_block_needs_no_second) {
  Case c = make_case("dependent_launch", "fixed", {Type::f16, Type::f32, Op::sum}, 5000, 64);
  c.grid = 3;
  const Plan two = plan(c);
  ASSERT_EQ(two.launches.size(), 4U);
  EXPECT_EQ(two.rehearsals, 2U);
  for (std::size_t k = 0; k < 4; ++k) {
    const Launch& launch = two.launches[k];
    EXPECT_EQ(launch.programmatic, k != 0);
    EXPECT_EQ(launch.grid.x, k % 2 == 0 ? 3U : 1U);
    EXPECT_EQ(launch.entry, k % 2 == 0 ? "dependent_launch__fixed__f16_f32_sum"
                                       : "dependent_launch__fixed__f32_f32_sum");
  }
  // Timed are launches that overlap what comes before them.
  EXPECT_TRUE(without_rehearsals(two).launches.at(0).programmatic);
  c.grid = 1;
  const Plan one = plan(c);
  ASSERT_EQ(one.launches.size(), 2U);
  EXPECT_EQ(one.rehearsals, 1U);
  EXPECT_TRUE(one.launches[1].programmatic);
  ASSERT_EQ(one.observed.size(), 1U);
  EXPECT_EQ(one.observed[0].buffer, "out");
}

TEST(Plan, says_which_gpu_the_kernels_need) {
  EXPECT_EQ(plan(make_case("redux", "fixed", i32_pair, 100, 64)).capability, 80U);
  EXPECT_EQ(plan(make_case("sequential", "fixed", i32_pair, 100, 64)).capability, 75U);
}

TEST(Plan, second_launch_works_in_the_accumulators_type) {
  const Plan p = plan(make_case("two_pass", "fixed", {Type::i8, Type::i32, Op::sum}, 5000, 64));
  EXPECT_EQ(p.launches.at(1).entry, "two_pass__fixed__i32_i32_sum");
}

TEST(Plan, height_is_that_of_the_tree_not_of_n) {
  EXPECT_EQ(plan(make_case("sequential", "fixed", f32_pair, 5000, 256)).height, 8U);
  EXPECT_EQ(plan(make_case("first_add_on_load", "fixed", f32_pair, 5000, 256)).height, 9U);
  EXPECT_EQ(plan(make_case("shuffle_down", "fixed", f32_pair, 512, 256)).height, 8U + 2U);
  EXPECT_LE(plan(make_case("grid_stride", "fixed", f32_pair, 1 << 20, 256)).height,
            512U + 8 + 1 + 10);
}

TEST(Plan, unknown_words_get_the_nearest_right_spelling) {
  const auto message = [](const Case& c) -> std::string {
    try {
      static_cast<void>(plan(c));
    } catch (const CaseError& error) {
      return error.what();
    }
    return "no CaseError";
  };
  EXPECT_NE(message(make_case("wide_activ", "fixed", i32_pair, 1, 64)).find("wide_active"),
            std::string::npos);
  EXPECT_NE(
      message(make_case("wide_active", "fixed-active", i32_pair, 1, 64)).find("fixed-active_range"),
      std::string::npos);
  EXPECT_NE(message(make_case("wide_active", "documented", f32_pair, 1, 64)).find("i32->i32 sum"),
            std::string::npos);
}

}  // namespace
}  // namespace gauntlet::kernels
