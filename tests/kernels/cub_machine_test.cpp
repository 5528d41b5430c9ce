// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 27 and 28 on the SIMT machine: CUB's code gives the right value in every instance, and the
// defects show where the catalogue says.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/schedule.hpp"
#include "kernels/subject.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/oracle.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

Executor& machine() {
  static const std::unique_ptr<Executor> executor = simt::make_executor();
  return *executor;
}

Case make(std::string variant, std::string form, std::uint64_t n, Instance instance) {
  Case c = make_case(std::move(variant), std::move(form), instance, n);
  c.data = Data::small_integers;
  c.tail = Tail::unmapped;
  return c;
}

/// What went wrong: the findings' kinds and the oracle's verdict, empty when nothing did.
std::string trouble(const Case& c) {
  const Plan plan = kernels::plan(c);
  const Observation observation = machine().run(c, plan);
  std::string text = observation.refused;
  for (const Finding& finding : observation.findings) text += to_string(finding) + "\n";
  const Verdict verdict = judge(c, plan, observation);
  for (const Finding& finding : verdict.findings) text += to_string(finding) + "\n";
  if (text.empty() && !observation.completed) text = "did not complete";
  return text;
}

TEST(CubRun, every_instance_is_right_around_one_tile_and_in_two_passes) {
  for (const Instance& instance : instances("cub_device", "fixed")) {
    const Case probe = make("cub_device", "fixed", 1, instance);
    const std::uint64_t tile = plan(probe).padded;
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1}, tile - 1, tile, tile + 1, 3 * tile + 17}) {
      Case c = probe;
      c.n = n;
      EXPECT_EQ(trouble(c), "") << to_string(c);
    }
  }
}

TEST(CubRun, several_tiles_per_block_are_right) {
  Case c = make("cub_device", "fixed", 41 * 4096 + 5, i32_pair);  // 40 blocks, one with two tiles
  EXPECT_EQ(trouble(c), "") << to_string(c);
}

TEST(CubRun, every_instance_of_the_tile_kernels_is_right) {
  for (const std::string variant : {"cub_block", "cub_warp"}) {
    for (const Instance& instance : instances(variant, "fixed")) {
      for (const std::uint64_t n : {1U, 255U, 257U, 700U}) {
        const Case c = make(variant, "fixed", n, instance);
        EXPECT_EQ(trouble(c), "") << to_string(c);
      }
    }
  }
}

TEST(CubRun, every_block_size_is_right_under_every_schedule) {
  for (const std::string variant : {"cub_block", "cub_warp"}) {
    for (const std::uint32_t block : {8, 16, 32, 33, 48, 64, 96, 128, 180, 192, 256, 512, 1024}) {
      if (variant == "cub_warp" && block > 32 && block % 32 != 0) continue;
      for (const std::string_view schedule : fixed_schedules()) {
        for (const std::uint32_t n : {2 * block + block / 2 + 1, 4 * block}) {
          Case c = make(variant, "fixed", n, i32_pair);
          c.block = block;
          c.schedule = schedule;
          EXPECT_EQ(trouble(c), "") << to_string(c);
        }
      }
    }
  }
}

TEST(CubRun, storage_reused_without_a_barrier_goes_wrong_when_warps_run_ahead) {
  for (const std::string form : {"documented", "fixed-storage_reuse"}) {
    Case c = make("cub_block", form, 128, i32_pair);
    c.block = 64;
    // Warps in order hide the wrong result, not the race.
    const std::string in_order = trouble(c);
    EXPECT_NE(in_order.find("race_write_read storage"), std::string::npos) << in_order;
    EXPECT_EQ(in_order.find("wrong_result"), std::string::npos) << in_order;
    c.schedule = "warp_reversed";
    EXPECT_NE(trouble(c).find("wrong_result"), std::string::npos) << to_string(c);
    c.block = 32;  // one warp has no other to wait for
    EXPECT_EQ(trouble(c), "") << to_string(c);
  }
}

TEST(CubRun, a_warp_of_a_power_of_two_lanes_keeps_nothing_in_the_storage) {
  for (const std::string_view schedule : fixed_schedules()) {
    Case c = make("cub_warp", "documented", 500, i32_pair);
    c.schedule = schedule;
    EXPECT_EQ(trouble(c), "") << to_string(c);
  }
}

TEST(CubRun, the_documents_maximum_of_ints_is_right_up_to_what_its_storage_takes) {
  constexpr Instance maximum_name{Type::i32, Type::i32, Op::maximum};
  EXPECT_EQ(trouble(make("cub_device", "documented", 4096, maximum_name)), "");
  const std::string text = trouble(make("cub_device", "documented", 4097, maximum_name));
  EXPECT_NE(text.find("unwritten_output"), std::string::npos) << text;
  EXPECT_EQ(trouble(make("cub_device", "fixed", 9000, maximum_name)), "");
}

TEST(CubRun, an_unregistered_size_leaves_the_output_unwritten_beyond_one_tile) {
  EXPECT_EQ(trouble(make("cub_device", "fixed-registered_size", 4096, i32_pair)), "");
  const std::string text = trouble(make("cub_device", "fixed-registered_size", 4097, i32_pair));
  EXPECT_NE(text.find("unwritten_output"), std::string::npos) << text;
}

TEST(CubRun, too_much_storage_is_no_error) {
  EXPECT_EQ(trouble(make("cub_device", "fixed-cache_bytes", 9000, i32_pair)), "");
}

TEST(CubRun, streams_that_share_a_buffer_spoil_each_other) {
  // With one tile, or the same partial results in both streams, there is nothing to spoil.
  EXPECT_EQ(trouble(make("cub_device", "fixed-stream_buffer", 4096, i32_pair)), "");
  const std::string text = trouble(make("cub_device", "fixed-stream_buffer", 9000, i32_pair));
  EXPECT_NE(text.find("wrong_result"), std::string::npos) << text;
}

}  // namespace
}  // namespace gauntlet::kernels
