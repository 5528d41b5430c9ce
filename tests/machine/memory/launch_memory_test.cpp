// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch like the one before takes no new memory for its blocks: registers, shared memory, clocks
// and what the race detector keeps are handed on. Counted by the operators of a program of its own.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"

namespace {
std::uint64_t taken = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++taken;
  if (void* const at = std::malloc(bytes)) return at;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  ++taken;
  const auto to = static_cast<std::size_t>(align);
  if (void* const at = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }

namespace gauntlet::simt::test {
namespace {

constexpr std::uint32_t threads = 64, most_blocks = 96;

/// Allocations of the second launch of so many blocks.
std::uint64_t allocations(const std::string& body, std::uint32_t blocks, bool races) {
  Device device(kernel(".param .u64 a, .param .u64 b", body, ".shared .align 4 .b8 s[256];"));
  const Address a = device.array("a", std::vector<std::uint32_t>(most_blocks * threads));
  const Address b = device.array("b", std::vector<std::uint32_t>(most_blocks * threads));
  Launch launch;
  launch.grid = {blocks};
  launch.block = {threads};
  launch.races = races;
  std::uint64_t last = 0;
  for (int k = 0; k < 2; ++k) {
    const std::uint64_t before = taken;
    const auto report = device.launch(launch, a, b);
    last = taken - before;
    EXPECT_TRUE(report.completed);
    EXPECT_TRUE(report.findings.empty());
  }
  return last;
}

/// Of twelve times the blocks.
void takes_nothing_for_blocks(const std::string& body) {
  for (const bool races : {false, true}) {
    EXPECT_EQ(allocations(body, most_blocks, races), allocations(body, most_blocks / 12, races))
        << (races ? "with races" : "without races");
  }
}

constexpr const char* start =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2;"
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; mul.wide.u32 %d3, %r3, 4;"
    "add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;";

TEST(LaunchMemory, of_a_streaming_kernel_is_kept) {
  takes_nothing_for_blocks(
      std::string(start) +
      "ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d2], %r4; ret;");
}

TEST(LaunchMemory, of_shared_arrays_and_barriers_is_kept) {
  takes_nothing_for_blocks(
      std::string(start) +
      "ld.global.u32 %r4, [%d1]; mul.wide.u32 %d4, %r2, 4; mov.u64 %d5, s; add.u64 %d5, %d5, %d4;"
      "st.shared.u32 [%d5], %r4; bar.sync 0; xor.b32 %r2, %r2, 32; mul.wide.u32 %d4, %r2, 4;"
      "mov.u64 %d5, s; add.u64 %d5, %d5, %d4; ld.shared.u32 %r4, [%d5]; st.global.u32 [%d2], %r4; "
      "ret;");
}

TEST(LaunchMemory, of_cells_apart_is_kept) {
  takes_nothing_for_blocks(
      std::string(start) +
      "mul.lo.u32 %r5, %r2, 37; and.b32 %r5, %r5, 63; mad.lo.u32 %r5, %r1, 64, %r5;"
      "ld.param.u64 %d2, [b]; mul.wide.u32 %d3, %r5, 4; add.u64 %d2, %d2, %d3;"
      "st.global.u32 [%d2], %r3; ret;");
}

TEST(LaunchMemory, of_crowds_is_kept) {
  takes_nothing_for_blocks(
      std::string(start) +
      "membar.gl; shl.b32 %r5, %r2, 1; and.b32 %r5, %r5, 12; cvt.u64.u32 %d3, %r5;"
      "ld.param.u64 %d2, [b]; add.u64 %d2, %d2, %d3; ld.global.u32 %r4, [%d2]; ret;");
}

std::string ticket(const char* fence) {
  return std::string(start) + "ld.param.u64 %d2, [b];" + fence +
         "atom.global.add.u32 %r4, [%d2], 1; membar.gl; ret;";
}

TEST(LaunchMemory, of_tickets_is_kept) { takes_nothing_for_blocks(ticket("membar.gl;")); }

/// The check can fail: what each block publishes to its own threads is kept for each.
TEST(LaunchMemory, of_what_blocks_publish_to_their_own_is_not) {
  const std::string by_block = ticket("membar.cta;");
  EXPECT_GT(allocations(by_block, most_blocks, true),
            allocations(by_block, most_blocks / 12, true));
}

}  // namespace
}  // namespace gauntlet::simt::test
