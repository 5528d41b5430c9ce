// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// GlobalMemory as the host uses it, and arrays whose content is made on the first touch.
#include <set>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_memory {
namespace {

GlobalMemory::Options array_of(std::string name, std::uint64_t bytes) {
  GlobalMemory::Options o;
  o.name = std::move(name);
  o.bytes = bytes;
  return o;
}
std::vector<std::byte> bytes_of(std::size_t count, int first = 1) {
  std::vector<std::byte> b(count);
  for (std::size_t k = 0; k < count; ++k)
    b[k] = static_cast<std::byte>(first + static_cast<int>(k));
  return b;
}

TEST(GlobalMemory, allocates_aligned_with_a_mebibyte_between_and_never_reuses) {
  GlobalMemory m;
  Address end = 0;
  for (int k = 0; k < 20; ++k) {
    const std::uint64_t size = k * 37 + 1;
    const auto base = m.allocate(array_of("a", size));
    EXPECT_EQ(base % 256, 0U);
    if (end != 0) {
      EXPECT_GE(base - end, Address{1} << 20);
    }
    end = base + size;
    if (k % 2 == 0) m.free(base);
  }
  EXPECT_EQ(m.size(), 20U);
  auto offset = array_of("b", 64);
  offset.offset = 12;
  EXPECT_EQ(m.allocate(offset) % 256, 12U);
}

TEST(GlobalMemory, finds_the_array_of_every_byte_and_no_other) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 100)), b = m.allocate(array_of("b", 8));
  EXPECT_EQ(m.find(a)->name, "a");
  EXPECT_EQ(m.find(a + 99)->name, "a");
  EXPECT_EQ(m.find(a + 100), nullptr);
  EXPECT_EQ(m.find(a - 1), nullptr);
  EXPECT_EQ(m.find(b + 7)->name, "b");
  EXPECT_EQ(m.find(0), nullptr);
  EXPECT_EQ(m.find(~Address{0}), nullptr);
  EXPECT_EQ(m.named("b")->base, b);
  EXPECT_EQ(m.named("c"), nullptr);
}

TEST(GlobalMemory, nearest_reaches_less_than_a_mebibyte_on_both_sides) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 100)), b = m.allocate(array_of("b", 100));
  EXPECT_EQ(m.nearest(a + 50)->name, "a");
  EXPECT_EQ(m.nearest(a + 100)->name, "a");
  EXPECT_EQ(m.nearest(a - 1)->name, "a");
  EXPECT_EQ(m.nearest(b - 1)->name, "b");
  EXPECT_EQ(m.nearest(b + 100 + (1 << 20) - 1)->name, "b");
  EXPECT_EQ(m.nearest(b + 100 + (1 << 20)), nullptr);
  EXPECT_EQ(m.nearest(a - (1 << 20)), nullptr);
}

TEST(GlobalMemory, host_accesses_stay_inside_one_array) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 10));
  std::vector<std::byte> back(10);
  m.write(a, bytes_of(10));
  m.read(a, back);
  EXPECT_EQ(back, bytes_of(10));
  back.resize(1);
  m.read(a + 9, back);
  EXPECT_EQ(back[0], std::byte{10});
  EXPECT_THROW(m.write(a + 1, bytes_of(10)), std::out_of_range);
  EXPECT_THROW(m.write(a - 1, bytes_of(2)), std::out_of_range);
  EXPECT_THROW(m.read(a + 10, back), std::out_of_range);
  EXPECT_THROW(m.fill(a + 5, std::byte{0}, 6), std::out_of_range);
  EXPECT_THROW(m.undefine(a, 11), std::out_of_range);
  EXPECT_THROW((void)m.initialised(a, 11), std::out_of_range);
  EXPECT_THROW(m.write(0, bytes_of(1)), std::out_of_range);
  EXPECT_NO_THROW(m.write(a + 10, {}));
}

TEST(GlobalMemory, knows_which_bytes_were_written) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 16));
  EXPECT_FALSE(m.initialised(a, 1));
  EXPECT_FALSE(m.poisoned(a, 16));
  m.write(a + 4, bytes_of(4));
  EXPECT_TRUE(m.initialised(a + 4, 4));
  EXPECT_FALSE(m.initialised(a + 3, 2));
  EXPECT_FALSE(m.initialised(a + 7, 2));
  m.fill(a, std::byte{9}, 16);
  EXPECT_TRUE(m.initialised(a, 16));
  m.undefine(a + 15, 1);
  EXPECT_FALSE(m.initialised(a, 16));
  EXPECT_TRUE(m.initialised(a, 15));
  std::vector<std::byte> kept(16);
  m.read(a, kept);
  EXPECT_EQ(kept, std::vector<std::byte>(16, std::byte{9}));
}

TEST(GlobalMemory, frees_an_array_once_and_by_its_beginning) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 16));
  EXPECT_THROW(m.free(a + 4), std::out_of_range);
  EXPECT_THROW(m.free(0), std::out_of_range);
  m.free(a);
  EXPECT_TRUE(m.find(a)->freed);
  EXPECT_THROW(m.free(a), std::out_of_range);
}

/// 1 GiB whose byte k is the number of its page, made page by page.
struct Sparse {
  std::set<std::uint64_t> made;
  GlobalMemory::Options options() {
    auto o = array_of("big", std::uint64_t{1} << 30);
    o.make_page = [this](std::uint64_t offset, std::span<std::byte> page) {
      EXPECT_TRUE(made.insert(offset / Allocation::page_bytes).second) << "made twice";
      std::fill(page.begin(), page.end(), static_cast<std::byte>(offset / Allocation::page_bytes));
    };
    return o;
  }
};

TEST(SparseArray, makes_only_the_pages_that_are_touched) {
  Sparse sparse;
  GlobalMemory m;
  const auto a = m.allocate(sparse.options());
  EXPECT_TRUE(sparse.made.empty());
  std::vector<std::byte> two(2);
  m.read(a + 5 * Allocation::page_bytes - 1, two);
  EXPECT_EQ(two, (std::vector<std::byte>{std::byte{4}, std::byte{5}}));
  EXPECT_EQ(sparse.made, (std::set<std::uint64_t>{4, 5}));
  EXPECT_TRUE(m.initialised(a + 5 * Allocation::page_bytes, 100));
  EXPECT_EQ(sparse.made.size(), 2U);
}

TEST(SparseArray, keeps_what_the_host_writes_fills_and_undefines) {
  Sparse sparse;
  GlobalMemory m;
  const auto a = m.allocate(sparse.options());
  const auto page = [&](std::uint64_t k) { return a + k * Allocation::page_bytes; };
  m.write(page(1) + 8, bytes_of(4, 100));
  m.fill(page(2) + 8, std::byte{77}, 4);
  m.undefine(page(3) + 8, 4);
  std::vector<std::byte> got(4);
  m.read(page(1) + 8, got);
  EXPECT_EQ(got, bytes_of(4, 100));
  m.read(page(2) + 8, got);
  EXPECT_EQ(got, std::vector<std::byte>(4, std::byte{77}));
  m.read(page(2) + 12, got);
  EXPECT_EQ(got, std::vector<std::byte>(4, std::byte{2}));
  EXPECT_FALSE(m.initialised(page(3) + 8, 4));
  EXPECT_TRUE(m.initialised(page(3) + 12, 4));
}

TEST(SparseArray, is_made_by_a_kernels_loads_and_stores) {
  // One thread loads from page 9, stores to page 11 and reads that back.
  Sparse sparse;
  Device device(kernel(
      ".param .u64 big, .param .u64 out",
      "ld.param.u64 %d0, [big]; ld.param.u64 %d1, [out]; add.u64 %d2, %d0, 36864;"
      "add.u64 %d3, %d0, 45056; ld.global.u32 %r1, [%d2]; st.global.u32 [%d3+4], %r1;"
      "ld.global.v2.u32 {%r2, %r3}, [%d3]; st.global.u32 [%d1], %r2; st.global.u32 [%d1+4], %r3;"));
  const auto big = device.memory.allocate(sparse.options());
  const auto out = device.output<std::uint32_t>("out", 2);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, big, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 2),
            (std::vector<std::uint32_t>{0x0B0B'0B0B, 0x0909'0909}));
  EXPECT_EQ(sparse.made, (std::set<std::uint64_t>{9, 11}));
}

TEST(SparseArray, shows_nothing_of_the_one_before_it) {
  {
    Sparse before;
    GlobalMemory m;
    const auto a = m.allocate(before.options());
    for (const std::uint64_t page : {1, 2, 3}) {
      m.fill(a + page * Allocation::page_bytes, std::byte{55}, Allocation::page_bytes);
    }
  }
  GlobalMemory m;
  auto o = array_of("small", 2 * Allocation::page_bytes + 4);
  o.make_page = [](std::uint64_t, std::span<std::byte> page) { page.front() = std::byte{8}; };
  const auto a = m.allocate(o);
  std::vector<std::byte> got(2), expected = {std::byte{8}, std::byte{0}};
  for (const std::uint64_t page : {1, 2}) {
    m.read(a + page * Allocation::page_bytes, got);
    EXPECT_EQ(got, expected);
  }
  const auto& array = *m.find(a);
  EXPECT_FALSE(array.page_made[0]);
  EXPECT_EQ(array.state[array.bytes - 1], ByteState::initialised);
  EXPECT_EQ(array.state[array.bytes], ByteState::unmapped);
}

TEST(SparseArray, ends_exactly) {
  Sparse sparse;
  Device device(kernel(".param .u64 big", "ld.param.u64 %d0, [big]; ld.global.u32 %r1, [%d0];"));
  const auto big = device.memory.allocate(sparse.options());
  constexpr std::uint64_t size = std::uint64_t{1} << 30;
  EXPECT_TRUE(silent(device.launch({.block = {1}}, big + size - 4)));
  EXPECT_TRUE(only(device.launch({.block = {1}}, big + size), FindingKind::out_of_bounds_read));
  EXPECT_EQ(sparse.made.size(), 1U);
}

/// Threads 0 and 31 store 100 + t, or load what all of them then store; without it that is 7.
std::string some_lanes(bool load) {
  const std::string access = load ? "@%p0 ld.global.u32 %r5, [%d1]; st.global.u32 [%d0], %r5;"
                                  : "@%p0 st.global.u32 [%d0], %r2;";
  return kernel(".param .u64 out, .param .u64 in",
                "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in]; mov.u32 %r0, %tid.x;"
                "mad.wide.u32 %d0, %r0, 4, %d0; mad.wide.u32 %d1, %r0, 4, %d1;"
                "add.u32 %r2, %r0, 100; mov.u32 %r5, 7;"
                "rem.u32 %r3, %r0, 31; setp.eq.u32 %p0, %r3, 0;" +
                    access);
}

TEST(RunOfLanes, with_gaps_stores_no_element_of_the_others) {
  Device device(some_lanes(false));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out, out)));
  const auto values = device.read<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const bool stores = t == 0 || t == 31;
    EXPECT_EQ(device.memory.initialised(out + 4 * t, 4), stores) << t;
    if (stores) {
      EXPECT_EQ(values[t], 100 + t);
    }
  }
}

TEST(RunOfLanes, with_gaps_loads_into_no_register_of_the_others) {
  std::vector<std::uint32_t> in(32);
  for (std::uint32_t t = 0; t < 32; ++t) in[t] = 1000 + t;
  Device device(some_lanes(true));
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, out, device.input("in", in))));
  const auto values = device.read<std::uint32_t>(out, 32);
  for (std::uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(values[t], t == 0 || t == 31 ? 1000 + t : 7) << t;
  }
}

TEST(RunOfLanes, reads_an_undefined_element_only_where_a_lane_asks_for_it) {
  Device device(some_lanes(true));
  const auto out = device.output<std::uint32_t>("out", 32);
  const auto in = device.uninitialised<std::uint32_t>("in", 32);
  device.memory.fill(in, std::byte{1}, 4);
  device.memory.fill(in + 31 * 4, std::byte{1}, 4);
  EXPECT_TRUE(silent(device.launch({}, out, in)));
  device.memory.undefine(in + 31 * 4, 1);
  const auto report = device.launch({}, out, in);
  ASSERT_EQ(kinds(report), std::vector{FindingKind::poison_output}) << text(report);
  EXPECT_EQ(report.findings[0].at.lane, 31U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_memory
