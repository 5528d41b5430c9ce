// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an engine says of accesses that went wrong and of mbarriers, each by itself.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "machine/engine/mbarriers.hpp"
#include "machine/engine/reports.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"
#include "tests/machine/engine/decoded.hpp"

namespace gauntlet::simt {
namespace {

/// A kernel whose first access is a load, the second a store, and its reports.
struct Reported : Decoded {
  GlobalMemory memory;
  LaunchConfig config;
  Block block;
  Reports reports{kernel, config, memory};

  Reported()
      : Decoded(
            ".shared .align 8 .b8 s[16];\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n"
            "mov.u32 %r2, s;\n") {}
  Address array(const char* name, std::uint64_t elements) {
    GlobalMemory::Options options;
    options.name = name;
    options.bytes = 4 * elements;
    return memory.allocate(options);
  }
  [[nodiscard]] Access access(const MemoryOp& op, std::uint64_t address) {
    Access a{block, warp, 0, op, op.size, {}};
    for (auto& x : a.address) x = address;
    return a;
  }
  [[nodiscard]] Access access(std::size_t which, std::uint64_t address) {
    return access(kernel.memory_ops[which], address);
  }
  /// The only finding.
  [[nodiscard]] Finding found() {
    const auto all = reports.recorder().take();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Finding{} : all[0];
  }
};

TEST(Reports, name_the_element_that_an_access_misses) {
  Reported k;
  const Address at = k.array("in", 16);
  k.reports.outside_of_arrays(k.access(0, at + 64), 3);
  const Finding read = k.found();
  EXPECT_EQ(read.kind, FindingKind::out_of_bounds_read);
  EXPECT_EQ(read.array, "in");
  EXPECT_EQ(read.index, 16);
  EXPECT_EQ(read.detail, "in has 16 elements that may be accessed");

  Reported other;
  const Address freed = other.array("out", 4);
  other.memory.free(freed);
  other.reports.outside_of_arrays(other.access(1, freed + 4), 0);
  const Finding write = other.found();
  EXPECT_EQ(write.kind, FindingKind::use_after_free);
  EXPECT_EQ(write.index, 1);
}

TEST(Reports, name_the_nearest_shared_array) {
  Reported k;
  MemoryOp op;
  op.space = MemorySpace::shared;
  const Access beyond = k.access(op, k.kernel.shared.at(0).offset + 20);
  EXPECT_EQ(k.reports.element_of(beyond, 0, nullptr).array, "s");
  EXPECT_EQ(k.reports.element_of(beyond, 0, nullptr).index, 5);
  op.space = MemorySpace::local;
  EXPECT_EQ(k.reports.element_of(k.access(op, 20), 0, nullptr).array, "local");
}

TEST(Reports, end_a_launch_whose_warp_is_astray) {
  Reported k;
  const Access a = k.access(0, 0x1234'5678'9ABC);
  for (std::uint32_t n = 1; n < 1U << 17; ++n) k.reports.outside_of_arrays(a, 0);
  EXPECT_FALSE(k.reports.stopped());
  k.reports.outside_of_arrays(a, 0);
  EXPECT_TRUE(k.reports.stopped());
  EXPECT_EQ(k.reports.recorder().take().back().kind, FindingKind::step_limit);
}

TEST(Reports, say_where_an_undefined_value_was_read_and_nothing_of_what_a_fault_left) {
  Reported k;
  const Address at = k.array("in", 4);
  const Allocation& array = *k.memory.find(at);
  const Access a = k.access(0, at + 8);
  const auto origin = k.reports.uninitialised_origin(a, array, 0, &array);
  k.reports.report_origin(FindingKind::poison_branch, k.block, k.warp, 0, 0,
                          k.reports.fault_origin(0, k.warp, 0));
  EXPECT_TRUE(k.reports.recorder().empty());
  k.reports.report_origin(FindingKind::poison_branch, k.block, k.warp, 0, 0, origin);
  EXPECT_NE(k.found().detail.find("in[2]"), std::string::npos);
}

TEST(Reports, keep_the_origin_of_what_is_stored) {
  Reported k;
  const Address at = k.array("in", 4);
  const Allocation& array = *k.memory.find(at);
  const Access a = k.access(0, at + 8);
  const auto one = k.reports.origins().add(Origin::What::shared_uninitialised, 0, k.warp, 0);
  k.reports.keep_origin(array, 8, 4, one, &array);
  EXPECT_EQ(k.reports.uninitialised_origin(a, array, 0, &array), one);
  EXPECT_NE(k.reports.uninitialised_origin(k.access(0, at), array, 0, &array), one);
}

/// A word of shared memory.
struct Mbarrier : Reported {
  std::vector<std::byte> data = std::vector<std::byte>(8);
  std::vector<std::uint8_t> state = std::vector<std::uint8_t>(8, ByteState::initialised);
  std::vector<std::uint32_t> origins;
  Region region{data.data(), state.data(), &origins, 0, 8, nullptr};
  MemoryOp op;
  Mbarriers mbarriers{kernel, reports};

  Mbarrier() {
    op.space = MemorySpace::shared;
    op.size = 8;
  }
  std::vector<Finding> made(std::uint64_t word) {
    std::memcpy(data.data(), &word, sizeof word);
    mbarriers.make(access(op, 0), region, 1);
    return reports.recorder().take();
  }
};

TEST(Mbarriers, that_wait_for_nobody_are_told) {
  Mbarrier k;
  EXPECT_TRUE(k.made(mbarrier::of(1)).empty());
  EXPECT_EQ(k.state[0], ByteState::in_mbarrier);
  EXPECT_EQ(k.made(mbarrier::of(0)).size(), 1U);
}

TEST(Mbarriers, of_which_there_is_none_are_told) {
  Mbarrier k;
  k.op.what = MemoryOp::What::atomic;
  k.mbarriers.tell_absent(k.access(k.op, 0), k.region, 0, mbarrier::of(1));
  EXPECT_TRUE(k.reports.recorder().empty());
  k.mbarriers.tell_absent(k.access(k.op, 0), k.region, 0, 0);
  EXPECT_NE(k.found().detail.find("mbarrier.inval has ended"), std::string::npos);
}

TEST(Mbarriers, that_nobody_waits_at_so_often_are_told) {
  Mbarrier k;
  k.op.what = MemoryOp::What::atomic;
  k.op.atomic = AtomicOp::arrive;
  const auto arrives = [&](std::uint64_t count) {
    k.mbarriers.tell_arrivals(k.access(k.op, 0), 0, mbarrier::of(2), mbarrier::operand_of({count}));
  };
  arrives(2);
  EXPECT_TRUE(k.reports.recorder().empty());
  arrives(3);
  EXPECT_NE(k.found().detail.find("arrives 3 times"), std::string::npos);
}

TEST(Mbarriers, are_met_by_whoever_accesses_their_word) {
  Mbarrier k;
  k.state.assign(8, ByteState::unmapped);
  EXPECT_FALSE(k.mbarriers.meets(k.access(k.op, 0), k.region, 0));
  k.state.assign(8, ByteState::in_mbarrier);
  k.op.mbarrier = true;
  EXPECT_TRUE(k.mbarriers.meets(k.access(k.op, 0), k.region, 0));
  EXPECT_TRUE(k.reports.recorder().empty());
  k.op.mbarrier = false;
  EXPECT_TRUE(k.mbarriers.meets(k.access(k.op, 0), k.region, 0));
  EXPECT_NE(k.found().detail.find("the word of an mbarrier"), std::string::npos);
}

TEST(Mbarriers, of_other_blocks_have_other_variables) {
  const Mbarrier k;  // blocks of no cluster do not see each other's
  EXPECT_EQ(k.mbarriers.variable(0, 8, mbarrier::of(1), true),
            k.mbarriers.variable(1, 8, mbarrier::of(1), true));
  EXPECT_NE(k.mbarriers.variable(0, 8, mbarrier::of(1), true),
            k.mbarriers.variable(0, 8, mbarrier::of(1), false));
  EXPECT_NE(Mbarriers::of_block(0), Mbarriers::of_block(1));
}

}  // namespace
}  // namespace gauntlet::simt
