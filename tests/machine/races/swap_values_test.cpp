// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which plain and volatile loads count as relaxed, told from code alone: those of the cell that a
// compare-and-swap compares with their value.
#include <gtest/gtest.h>

#include <string>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::swap_values {
namespace {

/// The order of the load in `body`. %d0 is an address.
Order order(const std::string& body) {
  const auto module = load_module(
      kernel(".param .u64 a", "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x;\n" + body), "t.ptx");
  for (const auto& op : module->find("f")->memory_ops) {
    if (op.what == MemoryOp::What::load && op.space != MemorySpace::param) return op.order;
  }
  ADD_FAILURE() << "no load in " << body;
  return Order::weak;
}

const std::string load = "ld.global.u32 %r1, [%d0];";

TEST(ExpectedValues, come_from_the_cell_that_is_swapped) {
  EXPECT_EQ(order(load + "atom.global.cas.b32 %r2, [%d0], %r1, 7;"), Order::relaxed);
  EXPECT_EQ(order(load + "add.u32 %r3, %r1, 1; L: atom.global.cas.b32 %r2, [%d0], %r1, %r3;"
                         "setp.ne.u32 %p0, %r1, %r2; mov.u32 %r1, %r2; @%p0 bra L;"),
            Order::relaxed);
  EXPECT_EQ(order("ld.global.f32 %x1, [%d0]; mov.b32 %r1, %x1;"
                  "atom.global.cas.b32 %r2, [%d0], %r1, 7;"),
            Order::relaxed);
}

TEST(ExpectedValues, have_an_address_that_may_be_computed_twice) {
  const std::string here =
      "cvta.to.global.u64 %d1, %d0; mul.wide.u32 %d2, %r0, 4;"
      "add.u64 %d3, %d0, %d2; ld.global.u32 %r1, [%d3];";
  EXPECT_EQ(order(here + "add.u64 %d4, %d1, %d2; atom.global.cas.b32 %r2, [%d4], %r1, 7;"),
            Order::relaxed);
  EXPECT_EQ(order(here + "mul.wide.u32 %d5, %r0, 4; add.u64 %d4, %d1, %d5;"
                         "atom.global.cas.b32 %r2, [%d4], %r1, 7;"),
            Order::relaxed);
  EXPECT_EQ(order(here + "mul.wide.u32 %d5, %r0, 8; add.u64 %d4, %d1, %d5;"
                         "atom.global.cas.b32 %r2, [%d4], %r1, 7;"),
            Order::weak);
  EXPECT_EQ(order(here + "sub.u64 %d4, %d1, %d2; atom.global.cas.b32 %r2, [%d4], %r1, 7;"),
            Order::weak);
}

TEST(ExpectedValues, go_into_the_swap_alone) {
  const std::string swaps =
      "mov.u32 %r4, %r1; L: add.u32 %r3, %r4, 1; atom.global.cas.b32 %r2, [%d0], %r4, %r3;"
      "setp.ne.u32 %p0, %r4, %r2; mov.u32 %r4, %r2; @%p0 bra L;";
  EXPECT_EQ(order(load + swaps), Order::relaxed);
  // What the swap found is used behind it, or decides whether there is one.
  EXPECT_EQ(order(load + swaps + "st.global.u32 [%d0+4], %r4; st.global.u32 [%d0+8], %r2;"),
            Order::relaxed);
  EXPECT_EQ(order(load + "setp.gt.u32 %p1, %r1, 7; @%p1 bra E;" + swaps + "E: ret;"),
            Order::relaxed);
  // The first value itself is.
  EXPECT_EQ(order(load + "st.global.u32 [%d0+4], %r1;" + swaps), Order::weak);
  EXPECT_EQ(order(load + swaps + "add.u32 %r5, %r1, 1; st.global.u32 [%d0+4], %r5;"), Order::weak);
  EXPECT_EQ(order(load + "shfl.sync.down.b32 %r5, %r1, 1, 31, -1;" + swaps), Order::weak);
}

TEST(ExpectedValues, may_be_read_by_a_volatile_load_too) {
  // As Numba's cuda.atomic.max and .sub of floats, by libNVVM: a thread whose value is right
  // already leaves without a swap; whether a swap took place is seen by the next turn.
  const std::string
      first = "ld.volatile.global.f32 %x1, [%d0];",
      loop = "mov.b32 %r1, %x1; atom.global.cas.b32 %r2, [%d0], %r1, %r3; mov.b32 %x1, %r2;";
  const std::string max =
      "setp.nan.f32 %p1, %x2, %x2; @%p1 bra E; setp.geu.f32 %p2, %x1, %x2;"
      "@%p2 bra E; mov.b32 %r3, %x2; L:" +
      loop + "setp.ltu.f32 %p3, %x1, %x2; @%p3 bra L; E: ";
  EXPECT_EQ(order(first + max), Order::relaxed);
  EXPECT_EQ(order(first + "L: sub.f32 %x3, %x1, %x2; mov.b32 %r3, %x3;" + loop +
                  "setp.ne.u32 %p0, %r1, %r2; @%p0 bra L;"),
            Order::relaxed);
  const std::string kept = "mov.f32 %x4, %x1;", stored = "st.global.f32 [%d0+4], %x4;";
  EXPECT_EQ(order(first + kept + max + stored), Order::weak);
  EXPECT_EQ(order(first + "mov.f32 %x4, %x2;" + max + stored), Order::relaxed);
}

TEST(ExpectedValues, are_compared_and_nothing_less) {
  EXPECT_EQ(order(load + "atom.global.cas.b32 %r2, [%d0], 0, %r1;"), Order::weak);
  EXPECT_EQ(order(load + "atom.global.exch.b32 %r2, [%d0], %r1;"), Order::weak);
  EXPECT_EQ(order(load + "add.u32 %r3, %r1, 1; atom.global.cas.b32 %r2, [%d0], %r3, 7;"),
            Order::weak);
  EXPECT_EQ(order(load + "atom.global.cas.b32 %r2, [%d0+4], %r1, 7;"), Order::weak);
  EXPECT_EQ(order("ld.global.u32 %r1, [%d0+4]; atom.global.cas.b32 %r2, [%d0], %r1, 7;"),
            Order::weak);
}

}  // namespace
}  // namespace gauntlet::simt::test::swap_values
