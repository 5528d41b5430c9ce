// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Branches whose two ways each thread runs: a kernel computes the same without them.
#include "machine/engine/choices.hpp"

#include <random>

#include "machine/isa/decode.hpp"
#include "machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

struct Body {
  std::string what, text;
};
void PrintTo(const Body& b, std::ostream* out) { *out << b.what; }

/// %r1 is the thread, %r2 and %r3 its words of x and w, %d1 and %d2 the places of its words of y
/// and z. Lines with a guard are chosen.
std::string text_of(const Body& b) {
  return kernel(".param .u64 x, .param .u64 w, .param .u64 y, .param .u64 z",
                "mov.u32 %r1, %tid.x; mul.wide.u32 %d9, %r1, 4; .shared .b32 s[32]; "
                "ld.param.u64 %d3, [x]; add.s64 %d3, %d3, %d9; ld.global.u32 %r2, [%d3]; "
                "ld.param.u64 %d3, [w]; add.s64 %d3, %d3, %d9; ld.global.u32 %r3, [%d3]; "
                "ld.param.u64 %d1, [y]; add.s64 %d1, %d1, %d9; "
                "ld.param.u64 %d2, [z]; add.s64 %d2, %d2, %d9; mov.u32 %r9, 5;\n" +
                    b.text + "\nst.global.u32 [%d1], %r9; ret;");
}
Choices lines_with_a_guard(const std::string& text) {
  Choices choices;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '@') choices["f"].try_emplace(line);
    line += text[at] == '\n' ? 1 : 0;
  }
  return choices;
}

struct Outcome {
  std::vector<std::uint32_t> y, z;
  std::uint64_t instructions = 0;
};
Outcome run(const std::shared_ptr<const Module>& module, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> x(32), w(32), z(32);
  for (auto* all : {&x, &w, &z}) {
    for (auto& word : *all) word = random() % 4;
  }
  Device device(module);
  const auto px = device.input("x", x), pw = device.input("w", w);
  const auto py = device.output<std::uint32_t>("y", 32), pz = device.array("z", z);
  const auto report = device.launch({}, px, pw, py, pz);
  EXPECT_TRUE(report.findings.empty()) << text(report);
  return {device.read<std::uint32_t>(py, 32), device.read<std::uint32_t>(pz, 32),
          report.counters.warp_instructions};
}

class BothWays : public testing::TestWithParam<Body> {};

TEST_P(BothWays, computes_what_the_branch_does_by_instructions_that_do_not_depend_on_data) {
  const auto ptx = text_of(GetParam());
  const auto plain = load_module(ptx, "t.ptx");
  const auto both = with_choices(*plain, lines_with_a_guard(ptx));
  ASSERT_NE(both, nullptr);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto as_written = run(plain, seed), without = run(both, seed);
    EXPECT_EQ(without.y, as_written.y) << seed;
    EXPECT_EQ(without.z, as_written.z) << seed;
    EXPECT_EQ(without.instructions, run(both, 0).instructions);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Own, BothWays,
    testing::Values(
        Body{"one_way", "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nadd.u32 %r9, %r2, %r3;\nend:"},
        Body{"one_way_if_not",
             "setp.lt.u32 %p1, %r2, 2;\n@!%p1 bra end;\nadd.u32 %r9, %r2, %r3;\nend:"},
        Body{"two_ways",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra other;\nadd.u32 %r9, %r2, %r3;\n"
             "bra end;\nother: sub.u32 %r9, %r2, %r3;\nend:"},
        Body{"a_register_that_a_way_reads_and_writes",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nadd.u32 %r9, %r9, %r3;\n"
             "mul.lo.u32 %r9, %r9, %r9;\nend:"},
        Body{"a_sum_by_an_atomic_that_nobody_reads",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nred.global.add.u32 [%d2], %r3;\nend:"},
        Body{"a_maximum_by_an_atomic_that_nobody_reads",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nred.global.max.u32 [%d2], %r3;\nend:"},
        Body{"a_swap",
             "mov.u32 %r4, 7;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\n"
             "mov.u32 %r5, %r9; mov.u32 %r9, %r4; mov.u32 %r4, %r5;\n"
             "end: st.global.u32 [%d2], %r4;"},
        Body{"ways_into_one_store_from_two_sides",
             "ld.global.u32 %r4, [%d2];\nsetp.gt.u32 %p1, %r2, %r4;\n@%p1 bra store;\n"
             "bra.uni tie;\nstore: st.global.u32 [%d2], %r2;\nmov.u32 %r9, %r2;\nbra end;\n"
             "tie: setp.ne.u32 %p2, %r2, %r4;\n@%p2 bra end;\nsetp.ge.u32 %p3, %r3, 2;\n"
             "@%p3 bra end;\nbra store;\nend:"},
        Body{"a_predicate_that_a_way_computes",
             "setp.eq.u32 %p2, %r3, 1;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\n"
             "setp.eq.u32 %p2|%p3, %r3, 2;\nend: selp.u32 %r9, 1, 2, %p2;"},
        Body{"stores_of_bytes_and_pairs",
             "mov.u16 %h1, 8; setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nst.global.u8 [%d2], %r3;\n"
             "st.global.v2.u16 [%d2], {%h1, 9};\nend:"},
        Body{"shared_memory",
             "mov.u32 %r5, s; mad.lo.u32 %r5, %r1, 4, %r5; "
             "st.shared.u32 [%r5], %r3;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\n"
             "st.shared.u32 [%r5], 77;\nend: ld.shared.u32 %r9, [%r5];"},
        Body{"a_guard", "setp.lt.u32 %p1, %r2, 2;\n@%p1 add.u32 %r9, %r2, %r3;"},
        Body{"a_guarded_store", "setp.lt.u32 %p1, %r2, 2;\n@!%p1 st.global.u32 [%d2], %r3;"},
        Body{"a_guard_on_a_way",
             "setp.eq.u32 %p2, %r3, 1;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\n"
             "@%p2 add.u32 %r9, %r9, 1;\n@!%p2 st.global.u32 [%d2], 3;\nend:"},
        Body{"one_in_a_loop_over_sizes",
             "mov.u32 %r4, 0;\nloop: add.u32 %r4, %r4, 1; and.b32 %r6, %r2, %r4;\n"
             "setp.eq.u32 %p1, %r6, 0;\n@%p1 bra on;\nadd.u32 %r9, %r9, %r4;\n"
             "on: setp.lt.u32 %p4, %r4, 5;\n@%p4 bra loop;"}),
    [](const auto& info) { return info.param.what; });

class OneWay : public testing::TestWithParam<Body> {};

TEST_P(OneWay, stays_a_branch) {
  const auto ptx = text_of(GetParam());
  EXPECT_EQ(with_choices(*load_module(ptx, "t.ptx"), lines_with_a_guard(ptx)), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Own, OneWay,
    testing::Values(
        Body{"where_a_way_has_a_loop",
             "mov.u32 %r4, 0;\nloop: add.u32 %r4, %r4, 1;\n"
             "setp.lt.u32 %p1, %r4, %r2;\n@%p1 bra loop;"},
        Body{"where_a_way_has_a_barrier",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nbar.warp.sync 1;\nend:"},
        Body{"where_a_way_has_an_atomic_whose_operation_leaves_no_number_as_it_is",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nred.global.inc.u32 [%d2], 1;\nend:"},
        Body{"where_a_way_reads_the_result_of_an_atomic",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\natom.global.add.u32 %r9, [%d2], 1;\nend:"},
        Body{"where_a_way_has_a_volatile_store",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nst.volatile.global.u32 [%d2], 1;\nend:"},
        Body{
            "where_a_way_has_a_relaxed_load",
            "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nld.relaxed.gpu.global.u32 %r9, [%d2];\nend:"},
        Body{"where_a_way_exchanges_values",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nvote.sync.ballot.b32 %r9, %p1, 1;\nend:"},
        Body{"where_a_way_ends", "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nret;\nend:"},
        Body{"where_a_carry_is_passed_on",
             "setp.lt.u32 %p1, %r2, 2;\n@%p1 bra end;\nadd.cc.u32 %r9, %r2, %r3;\nend:"}),
    [](const auto& info) { return info.param.what; });

/// Each thread adds its word of w to one of four sums; `lines` with red are chosen.
const std::string to_four_sums = text_of(
    {"",
     "mov.u32 %r5, s; mad.lo.u32 %r6, %r1, 4, %r5; mov.u32 %r4, 0; st.shared.u32 [%r6], %r4; "
     "bar.sync 0; and.b32 %r4, %r2, 3; mad.lo.u32 %r5, %r4, 4, %r5;\n"
     "red.shared.add.u32 [%r5+4], %r3;\nbar.sync 0; ld.shared.u32 %r9, [%r6];"});
Choices at_addresses(std::uint32_t first, std::uint32_t count) {
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < to_four_sums.find("red.shared"); ++at) {
    line += to_four_sums[at] == '\n' ? 1 : 0;
  }
  Choices choices;
  for (std::uint32_t k = 0; k < count; ++k) {
    choices["f"][line].insert(shared_gap + 4 * (first + k));
  }
  return choices;
}

TEST(Spread, an_atomic_at_each_of_its_addresses_adds_what_the_one_does) {
  const auto plain = load_module(to_four_sums, "t.ptx");
  const auto spread = with_choices(*plain, at_addresses(1, 4));
  ASSERT_NE(spread, nullptr);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto as_written = run(plain, seed), all = run(spread, seed);
    EXPECT_EQ(all.y, as_written.y) << seed;
    EXPECT_EQ(all.instructions, run(spread, 0).instructions);
  }
}

TEST(Spread, a_thread_whose_address_is_none_of_them_traps) {
  const auto spread = with_choices(*load_module(to_four_sums, "t.ptx"), at_addresses(2, 3));
  ASSERT_NE(spread, nullptr);
  Device device(spread);
  const std::vector<std::uint32_t> x(32, 0), w(32, 1);
  const auto px = device.input("x", x), pw = device.input("w", w);
  const auto py = device.output<std::uint32_t>("y", 32), pz = device.array("z", w);
  EXPECT_FALSE(device.launch({}, px, pw, py, pz).findings.empty());
}

}  // namespace
}  // namespace gauntlet::simt::test
