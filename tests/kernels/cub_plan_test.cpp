// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans of rows 27 and 28: launches, arguments as the PTX wants them, what each cell covers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "tests/kernels/cases.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::kernels {
namespace {

Plan plan_of(const Case& c) { return plan(c); }

const std::vector<std::string> variants{"cub_device", "cub_block", "cub_warp"};

// How often each element is counted by some cell below observed.cells.
std::vector<int> counts(const Observed& observed, std::uint64_t n) {
  std::vector<int> result(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t cell = 0;
    if (observed.coverage.kind != Coverage::Kind::whole) cell = i / observed.coverage.tile;
    if (observed.coverage.kind == Coverage::Kind::grid_stride) cell %= observed.cells;
    result[i] += cell < observed.cells;
  }
  return result;
}

TEST(CubPlan, every_form_has_instances_and_the_fixed_one_has_all_twenty_six) {
  for (const std::string& id : variants) {
    const Variant& variant = *find_variant(id);
    for (const Form& form : variant.forms) {
      const auto compiled = instances(variant.id, form.name);
      const std::size_t documented = variant.id == "cub_device" ? 2 : 1;  // a sum, E's maximum
      EXPECT_EQ(compiled.size(), form.name == "fixed" ? 26U : documented)
          << variant.id << form.name;
      EXPECT_NE(std::find(compiled.begin(), compiled.end(), i32_pair), compiled.end());
    }
  }
}

TEST(CubPlan, arguments_have_the_sizes_of_the_ptx_parameters_and_blocks_fit_the_launch_bounds) {
  for (const std::string& variant : variants) {
    for (const Instance& instance : instances(variant, "fixed")) {
      for (const std::uint64_t n : {100U, 9000U}) {
        const Plan plan = plan_of(make_case(variant, "fixed", instance, n));
        ASSERT_EQ(plan.refusal, "");
        for (const Launch& launch : plan.launches) {
          SCOPED_TRACE(launch.entry);
          const ptx::Function* const entry = outline(launch.module).defined_entry(launch.entry);
          ASSERT_NE(entry, nullptr);
          std::vector<std::size_t> wanted, sizes;
          for (const ptx::Variable& p : entry->params) {
            wanted.push_back(p.count * ptx::size_of(p.type));
          }
          for (const Arg& arg : launch.args) {
            sizes.push_back(arg.kind == Arg::Kind::value ? arg.bytes.size() : 8);
          }
          EXPECT_EQ(sizes, wanted);
          EXPECT_EQ(launch.block.count(), entry->max_threads);
        }
      }
    }
  }
}

TEST(CubPlan, device_is_one_launch_up_to_a_tile_and_two_beyond) {
  const Plan one = plan_of(make_case("cub_device", "fixed", i32_pair, 4096));
  ASSERT_EQ(one.launches.size(), 1U);
  EXPECT_EQ(one.grid, 1U);
  const Plan two = plan_of(make_case("cub_device", "fixed", i32_pair, 4097));
  ASSERT_EQ(two.launches.size(), 2U);
  EXPECT_NE(two.launches[0].entry, two.launches[1].entry);
  EXPECT_EQ(two.grid, 2U);
  EXPECT_GT(two.height, one.height);
}

TEST(CubPlan, device_decides_block_and_grid_itself) {
  Case c = make_case("cub_device", "fixed", i32_pair, 9000);
  const Plan free = plan_of(c);
  c.block = 33;
  c.grid = 7;
  const Plan asked = plan_of(c);
  EXPECT_EQ(asked.refusal, "");
  EXPECT_EQ(asked.grid, free.grid);
  EXPECT_EQ(asked.launches[0].block, free.launches[0].block);
}

TEST(CubPlan, cells_cover_every_element_once) {
  for (const std::string& variant : variants) {
    for (const std::uint64_t n : {0U, 1U, 31U, 257U, 4096U, 4097U, 170000U}) {
      const Plan plan = plan_of(make_case(variant, "fixed", i32_pair, n));
      for (const Observed& observed : plan.observed) {
        EXPECT_EQ(counts(observed, n), std::vector<int>(n, 1)) << variant << " " << observed.buffer;
      }
    }
  }
}

TEST(CubPlan, observed_cells_lie_inside_their_buffers) {
  for (const std::string& variant : variants) {
    for (const Instance& instance : instances(variant, "fixed")) {
      const Plan plan = plan_of(make_case(variant, "fixed", instance, 200000));
      EXPECT_EQ(plan.buffers.at(0).name, "out");
      for (const Observed& observed : plan.observed) {
        const auto buffer =
            std::find_if(plan.buffers.begin(), plan.buffers.end(),
                         [&](const Buffer& b) { return b.name == observed.buffer; });
        ASSERT_NE(buffer, plan.buffers.end());
        EXPECT_LE(observed.cells * size_of(instance.acc), buffer->bytes);
      }
    }
  }
}

TEST(CubPlan, forms_differ_as_their_fixes_say) {
  const auto temp_bytes = [](std::string_view form) {
    const Plan plan = plan_of(make_case("cub_device", std::string(form), i32_pair, 9000));
    return std::find_if(plan.buffers.begin(), plan.buffers.end(),
                        [](const Buffer& b) { return b.name == "temp"; })
        ->bytes;
  };
  EXPECT_EQ(temp_bytes("fixed-cache_bytes"), 4 * temp_bytes("fixed"));

  for (const std::string form : {"documented", "fixed-registered_size"}) {
    EXPECT_FALSE(plan_of(make_case("cub_device", form, i32_pair, 4096)).launches.empty());
    EXPECT_TRUE(plan_of(make_case("cub_device", form, i32_pair, 5000)).launches.empty());
  }
}

TEST(CubPlan, two_streams_alternate_over_one_buffer_unless_fixed) {
  const Case c = make_case("cub_device", "fixed-stream_buffer", i32_pair, 9000);
  const auto temporaries = [](const Plan& plan) {
    return std::vector<std::uint32_t>{
        plan.launches.at(0).args.at(1).array - 1, plan.launches.at(1).args.at(1).array - 1,
        plan.launches.at(2).args.at(0).array - 1, plan.launches.at(3).args.at(0).array - 1};
  };
  const Plan shared = plan_of(c);
  ASSERT_EQ(shared.launches.size(), 4U);
  EXPECT_EQ(shared.launches[0].entry, shared.launches[1].entry);
  EXPECT_EQ(shared.launches[2].entry, shared.launches[3].entry);
  EXPECT_EQ(temporaries(shared), (std::vector<std::uint32_t>{1, 1, 1, 1}));
  EXPECT_EQ(shared.buffers.at(1).name, "temp");
  EXPECT_EQ(shared.buffers.at(2).name, "out_second");
  EXPECT_EQ(shared.launches[2].args.at(1).array, Plan::buffer(0));
  EXPECT_EQ(shared.launches[3].args.at(1).array, Plan::buffer(2));
  ASSERT_EQ(shared.observed.size(), 1U);  // the partial results of whom?

  const Plan alone = plan_of(make_case("cub_device", "fixed", i32_pair, 9000));
  EXPECT_EQ(alone.launches.size(), 2U);
  EXPECT_EQ(alone.observed.size(), 2U);
}

TEST(CubPlan, blocks_that_are_not_compiled_are_refused_with_the_reason) {
  const auto refusal = [](std::string_view variant, std::uint32_t block, Instance instance) {
    Case c = make_case(std::string(variant), "fixed", instance, 100);
    c.block = block;
    return plan_of(c).refusal;
  };
  for (const std::uint32_t block : {8, 16, 32, 33, 48, 64, 96, 128, 180, 192, 256, 512, 1024}) {
    EXPECT_EQ(refusal("cub_block", block, i32_pair), "");
    const std::string warp = refusal("cub_warp", block, i32_pair);
    EXPECT_EQ(warp.empty(), block <= 32 || block % 32 == 0) << warp;
  }
  EXPECT_NE(refusal("cub_warp", 48, i32_pair).find("8, 16, 32, 64, 96"), std::string::npos);
  EXPECT_NE(refusal("cub_block", 100, i32_pair).find("8, 16, 32"), std::string::npos);
  EXPECT_NE(refusal("cub_block", 0, i32_pair), "");
  EXPECT_NE(refusal("cub_warp", 0, i32_pair), "");
  const Instance f64{Type::f64, Type::f64, Op::sum};
  EXPECT_EQ(refusal("cub_block", 256, f64), "");
  EXPECT_NE(refusal("cub_block", 128, f64), "");
}

TEST(CubPlan, a_grid_that_does_not_cover_the_input_is_refused) {
  Case c = make_case("cub_block", "fixed", i32_pair, 1025);  // 256 threads: 512 elements per block
  c.grid = 2;
  EXPECT_NE(plan_of(c).refusal.find("grid=3"), std::string::npos) << plan_of(c).refusal;
  c.grid = 3;
  EXPECT_EQ(plan_of(c).refusal, "");
  c.grid = 0;
  EXPECT_EQ(plan_of(c).grid, 3U);
}

TEST(CubPlan, elements_off_their_alignment_are_refused) {
  for (const std::string& variant : variants) {
    Case c = make_case(variant, "fixed", i32_pair, 100);
    c.offset = 2;
    EXPECT_NE(plan_of(c).refusal.find("offset=2"), std::string::npos);
    c.offset = 4;
    EXPECT_EQ(plan_of(c).refusal, "");
  }
}

TEST(CubPlan, more_elements_than_cub_counts_are_refused) {
  EXPECT_EQ(plan_of(make_case("cub_device", "fixed", i32_pair, 0xffffffffULL)).refusal, "");
  EXPECT_NE(plan_of(make_case("cub_device", "fixed", i32_pair, 0x100000000ULL)).refusal, "");
}

TEST(CubPlan, a_window_of_blocks_is_refused) {
  for (const std::string& variant : variants) {
    Case c = make_case(variant, "fixed", i32_pair, 2000);
    c.block_count = 1;
    EXPECT_NE(plan_of(c).refusal.find("blocks="), std::string::npos) << plan_of(c).refusal;
  }
}

TEST(CubPlan, unknown_names_get_the_nearest_right_one) {
  const auto message = [](const Case& c) -> std::string {
    return message_of<CaseError>([&] { (void)plan(c); });
  };
  EXPECT_NE(message(make_case("cub_blok", "fixed", i32_pair, 1)).find("cub_block"),
            std::string::npos);
  EXPECT_NE(message(make_case("cub_block", "fixd", i32_pair, 1)).find("fixed"), std::string::npos);
  EXPECT_NE(message(make_case("cub_block", "documented", {Type::f32, Type::f32, Op::sum}, 1)), "");
}

}  // namespace
}  // namespace gauntlet::kernels
