// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/layout.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/scalar.hpp"
#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::uint64_t page = std::uint64_t{2} << 20;

/// Pages one after another, with a page unmapped between them.
struct Memory {
  std::uint64_t next = 16 * page;
  std::vector<Mapped> given;
  Mapped operator()(std::uint64_t bytes) {
    const std::uint64_t size = (bytes + page - 1) / page * page;
    given.push_back({next, next + size});
    next += size + page;
    return given.back();
  }
};

Job job_of(const std::string& line) {
  const Case c = parse_case(line);
  const Plan plan = kernels::plan(c);
  EXPECT_EQ(plan.refusal, "") << line;
  return make_job(c, plan);
}

TEST(Layout, input_ends_where_the_mapping_ends_as_far_as_its_alignment_allows) {
  for (const std::uint64_t n : {0U, 1U, 3U, 4U, 97U, 1000U, 524288U, 1000003U}) {
    for (const unsigned offset : {0U, 4U, 8U, 12U}) {
      Memory memory;
      const Job job = job_of("sequential@fixed f32->f32 sum n=" + std::to_string(n) +
                             " block=64 tail=unmapped offset=" + std::to_string(offset));
      const auto segments = lay_out(job, std::ref(memory));
      const Segment& in = segments.at(0);
      const std::uint64_t end = memory.given.at(0).end;
      const std::uint64_t data_end = in.begin + 4 * n;
      EXPECT_EQ(in.begin % 16, offset) << n;
      EXPECT_LT(end - data_end, 16U) << n << ' ' << offset;
      EXPECT_EQ(in.after * 4, end - data_end);
      EXPECT_GE(in.begin - in.before * in.unit, memory.given[0].begin);
      EXPECT_EQ(in.before * in.unit, guard_bytes);
    }
  }
}

// CUB adds f64 in another order where four of them are not aligned together, at 32 bytes.
TEST(Layout, elements_that_code_loads_by_four_are_aligned_alike_whatever_the_tail) {
  for (const std::uint64_t n : {2246U, 2247U, 2248U, 2249U}) {
    for (const std::string tail : {"unmapped", "zero", "poison"}) {
      for (const std::string types : {"f64->f64", "i64->i64", "f32->f32", "f16->f32"}) {
        Memory memory;
        const Job job = job_of("cub_device@fixed " + types + " sum n=" + std::to_string(n) +
                               " block=256 grid=2 tail=" + tail);
        const Segment in = lay_out(job, std::ref(memory)).at(0);
        EXPECT_EQ(in.begin % (4 * in.unit), 0U) << types << ' ' << n << ' ' << tail;
        if (tail != "unmapped") continue;
        const std::uint64_t behind = memory.given.at(0).end - in.begin - n * in.unit;
        EXPECT_LT(behind, in.unit == 8 ? 32U : 16U) << types << ' ' << n;
      }
    }
  }
}

TEST(Layout, a_mapped_tail_lies_before_the_fence) {
  Memory memory;
  const auto segments = lay_out(
      job_of("sequential@documented f32->f32 sum n=97 block=64 tail=dirty"), std::ref(memory));
  EXPECT_EQ(segments[0].units, 97U);
  EXPECT_EQ(segments[0].tail_units, 31U);
  EXPECT_EQ(segments[0].begin + 128 * 4, memory.given[0].end);
}

TEST(Layout, an_open_buffer_is_followed_by_mapped_guard_cells) {
  Job job = job_of("sequential@fixed f32->f32 sum n=1000 block=64 tail=unmapped");
  job.open = open_only(0);
  Memory memory;
  auto segments = lay_out(job, std::ref(memory));
  EXPECT_GE(segments[0].after * 4, open_bytes);
  EXPECT_LT(segments[1].after * 4, 16U);
  EXPECT_EQ(segments[0].begin + (1000 + segments[0].after) * 4, memory.given[0].end);
  job.open = open_all;
  segments = lay_out(job, std::ref(memory));
  EXPECT_GE(segments[1].after * 4, open_bytes);
}

TEST(Layout, every_unit_of_the_input_is_what_the_host_makes) {
  for (const char* tail : {"poison", "zero", "dirty"}) {
    for (const char* types : {"f32->f32", "f64->f64", "i8->i32", "f16->f16", "i32->i32"}) {
      const Case c = parse_case(std::string("sequential@fixed ") + types +
                                " sum n=201 block=64 data=identities seed=9 tail=" + tail);
      const Plan plan = kernels::plan(c);
      Memory memory;
      const Segment in = lay_out(make_job(c, plan), std::ref(memory)).at(0);
      std::vector<std::byte> image(input_bytes(c, plan.padded));
      input_maker(c)(0, image);
      for (std::uint64_t i = 0; i < in.units + in.tail_units; ++i) {
        ASSERT_EQ(initial_bits(in, static_cast<std::int64_t>(i)),
                  load_bits(c.in, image.data() + c.offset + i * in.unit))
            << tail << ' ' << types << ' ' << i;
      }
    }
  }
}

TEST(Layout, a_buffer_with_content_lies_at_its_offset_and_may_be_watched) {
  Plan plan;
  plan.takes_input = false;
  for (const bool read_only : {true, false}) {
    Buffer buffer{read_only ? "x" : "z", 40, 4};
    buffer.content.assign(40, std::byte{1});
    buffer.offset = 20;
    buffer.read_only = read_only;
    plan.buffers.push_back(buffer);
  }
  Job job = make_job(parse_case("k.gauntlet n=10"), plan);
  Memory memory;
  auto segments = lay_out(job, std::ref(memory));
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[0].units, 0U);
  for (const std::size_t k : {1U, 2U}) {
    EXPECT_EQ(segments[k].content, Content::given);
    EXPECT_EQ(segments[k].begin % 16, 4U);
    EXPECT_EQ(segments[k].units, 10U);
    EXPECT_LT(segments[k].after * 4, 16U);
    EXPECT_EQ(segments[k].check_inside, k == 1);
  }
  // One array alone is opened.
  job.open = open_only(2);
  segments = lay_out(job, std::ref(memory));
  EXPECT_LT(segments[1].after * 4, 16U);
  EXPECT_GE(segments[2].after * 4, open_bytes);
}

TEST(Layout, buffers_start_as_the_plan_says) {
  Memory memory;
  const Job atomic = job_of("shuffle_down@fixed f32->f32 product n=100 block=32");
  const Segment identity = lay_out(atomic, std::ref(memory)).at(1);
  EXPECT_EQ(initial_bits(identity, 0), 0x3f800000U);
  const Job partials = job_of("sequential@fixed f32->f32 sum n=1000 block=32");
  const Segment poison = lay_out(partials, std::ref(memory)).at(1);
  std::set<std::uint64_t> words;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(poison.units); ++i) {
    words.insert(initial_bits(poison, i));
  }
  EXPECT_EQ(words.size(), poison.units) << "poison that repeats hides an exchange of cells";
}

TEST(Layout, the_two_poison_patterns_differ_in_every_cell) {
  Job job = job_of("sequential@fixed f32->f32 sum n=100000 block=32");
  Memory memory;
  const Segment first = lay_out(job, std::ref(memory)).at(1);
  job.salt = 1;
  const Segment second = lay_out(job, std::ref(memory)).at(1);
  std::uint64_t same = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(first.units); ++i) {
    same += initial_bits(first, i) == initial_bits(second, i);
  }
  EXPECT_EQ(same, 0U);
}

TEST(Layout, poison_of_narrow_units_is_that_of_the_bytes_of_a_wide_one) {
  const std::uint64_t wide = poison_bits(42, 16, 8);
  std::uint64_t narrow = 0;
  for (int i = 7; i >= 0; --i) narrow = narrow << 8 | poison_bits(42, 16 + i, 1);
  EXPECT_EQ(narrow, wide);
}

}  // namespace
}  // namespace gauntlet::cuda
