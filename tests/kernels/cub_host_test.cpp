// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a function of the host launches, noted by the runtime that `gauntlet run` has, against what
// the one that is part of this program does (kernels/host_calls.hpp): two ways to the same
// launches.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "kernels/host_calls.hpp"
#include "kernels/subject.hpp"
#include "properties/language/source.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

constexpr HostDevice device{132, 8};  // that the machine plays: 8 blocks of 256 threads

const spec::Specs& specs() {
  static const std::atomic<bool> interrupted{false};
  static const spec::Specs all = [] {
    const std::string folder = std::filesystem::path(GAUNTLET_PROGRAM).parent_path().string();
    setenv("PATH", (folder + ":" + std::getenv("PATH")).c_str(), 1);
    return spec::Specs({spec::Given{.path = GAUNTLET_CUB_HOST, .kernels_for = "this test"}},
                       interrupted);
  }();
  return all;
}

/// A spec without tiles counts its input as the first array.
Arg moved(Arg arg) {
  if (arg.kind == Arg::Kind::array) ++arg.array;
  // An operator has no members: its one byte is whatever lay there.
  if (arg.bytes.size() == 1) arg.bytes[0] = std::byte{0};
  return arg;
}

/// Its sizes alone: nobody makes millions of elements for launches that are not run.
Plan launches_of(TypePair types, std::uint32_t n) {
  Case c = case_for(GAUNTLET_CUB_HOST, std::string(only_form), {types.in, types.acc, Op::sum});
  c.sizes = {{"n", n}};
  return specs().plan(c);
}

void expect_the_same(TypePair types, std::uint32_t n) {
  const Plan plan = launches_of(types, n);
  const OnDevice real(device);
  const Plan cub =
      kernels::plan(make_case("cub_device", "fixed", {types.in, types.acc, Op::sum}, n));
  const std::string where = "n=" + std::to_string(n);
  ASSERT_EQ(plan.launches.size(), cub.launches.size()) << where;
  for (std::size_t k = 0; k < cub.launches.size(); ++k) {
    const Launch& got = plan.launches[k];
    const Launch& wanted = cub.launches[k];
    EXPECT_EQ(got.entry, wanted.entry) << where;
    EXPECT_EQ(got.grid, wanted.grid) << where;
    EXPECT_EQ(got.block, wanted.block) << where;
    EXPECT_EQ(got.shared_bytes, wanted.shared_bytes) << where;
    ASSERT_EQ(got.args.size(), wanted.args.size()) << where;
    for (std::size_t p = 0; p < got.args.size(); ++p) {
      Arg arg = got.args[p];
      if (arg.bytes.size() == 1) arg.bytes[0] = std::byte{0};
      EXPECT_EQ(arg, moved(wanted.args[p])) << where;
    }
  }
  if (cub.launches.size() == 2) {
    ASSERT_EQ(plan.buffers.size(), 3U) << where;
    EXPECT_EQ(plan.buffers[2].bytes, cub.buffers.at(1).bytes) << where;
  }
}

TEST(CubHost, makes_the_launches_that_cub_dispatches) {
  std::mt19937_64 random(33);
  std::size_t passes = 0;
  for (const TypePair types : {TypePair{Type::i32, Type::i32}, TypePair{Type::f64, Type::f64}}) {
    for (int k = 0; k < 500; ++k) {
      // Every power of two up to some tiles a block is as likely as the next.
      const std::uint64_t most = std::uint64_t{1} << (random() % 17);
      const auto n = static_cast<std::uint32_t>(random() % most);
      expect_the_same(types, n);
      passes += launches_of(types, n).launches.size() == 2;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(passes, 50U);
  expect_the_same({Type::f64, Type::f64}, 0);
  // Blocks that take several tiles, and some that take one less.
  expect_the_same({Type::i32, Type::i32}, 25'000'003);
}

/// The documents' spec as a file of a user's, of ints alone.
const spec::Specs& by_path() {
  static const std::atomic<bool> interrupted{false};
  static const spec::Specs all = [] {
    (void)specs();  // where the program is
    std::string text;
    std::ifstream file(GAUNTLET_CUB_SPEC);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("  f32->f64")) continue;
      if (line.starts_with("  f32->f32")) line = "  i32->i32: sum max";
      text += line + "\n";
    }
    return spec::Specs({spec::Given{.path = GAUNTLET_CUB_SPEC, .text = text}}, interrupted);
  }();
  return all;
}

/// One device is planned for, the small one of tiles, and launches of several streams alternate.
TEST(CubHost, of_the_catalogue_is_planned_by_its_path_as_by_its_name) {
  std::size_t launches = 0;
  for (const char* const form : {"fixed", "fixed-registered_size", "fixed-stream_buffer"}) {
    for (const std::uint64_t n : {0U, 100U, 4096U, 4097U, 70'000U}) {
      Case c = make_case("cub_device", form, {Type::i32, Type::i32, Op::sum}, n);
      const Plan wanted = kernels::plan(c);
      c.variant = GAUNTLET_CUB_SPEC;
      const Plan plan = by_path().plan(c);
      const std::string where = std::string(form) + " n=" + std::to_string(n);
      EXPECT_EQ(plan.refusal, wanted.refusal) << where;
      EXPECT_EQ(plan.grid, wanted.grid) << where;
      ASSERT_EQ(plan.launches.size(), wanted.launches.size()) << where;
      for (std::size_t k = 0; k < plan.launches.size(); ++k) {
        EXPECT_EQ(plan.launches[k].grid, wanted.launches[k].grid) << where;
        ASSERT_EQ(plan.launches[k].args.size(), wanted.launches[k].args.size()) << where;
        for (std::size_t p = 0; p < plan.launches[k].args.size(); ++p) {
          Arg arg = plan.launches[k].args[p];
          if (arg.bytes.size() == 1) arg.bytes[0] = std::byte{0};  // as in `moved`
          EXPECT_EQ(arg, wanted.launches[k].args[p]) << where << " launch " << k;
        }
      }
      launches += plan.launches.size();
      ASSERT_LE(plan.buffers.size(), wanted.buffers.size()) << where;  // those that are used
      for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
        EXPECT_EQ(plan.buffers[k].name, wanted.buffers[k].name) << where;
        EXPECT_EQ(plan.buffers[k].bytes, wanted.buffers[k].bytes) << where;
      }
    }
  }
  EXPECT_GT(launches, 15U);
}

}  // namespace
}  // namespace gauntlet::kernels
