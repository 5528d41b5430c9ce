// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums by tensor cores: rows of bytes times ones, and how little has to change for them not to be.
#include <gtest/gtest.h>

#include <string>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

/// A warp adds 128 bytes: rows of 16 by a product with ones, the rows by shuffles.
struct Ones {
  std::string b = "16843009";  ///< four ones
  std::string c = "0", numbers = "s32.s8.s8.s32", before, shape = "m8n8k16.row.col";

  [[nodiscard]] Proof proof() const {
    HandWritten how;
    how.in = Type::i8;
    how.acc = Type::i32;
    how.n = 128;
    how.block = 32;
    std::string body = "ld.global.u32 %r3, [%rd4];\nmov.u32 %r4, " + b + ";\n" + before +
                       "mma.sync.aligned." + shape + "." + numbers +
                       " {%r5, %r6}, {%r3}, {%r4}, {" + c + ", 0};\n";
    for (const char* apart : {"4", "8", "16"}) {
      body += std::string("shfl.sync.bfly.b32 %r7, %r5, ") + apart +
              ", 31, 0xFFFFFFFF;\nadd.s32 %r5, %r5, %r7;\n";
    }
    return prove_ptx(body + "mov.u32 %r3, %r5;\n" + thread_0_stores_r3, how);
  }
};

TEST(Products, with_ones_are_sums) {
  const auto found = Ones{}.proof();
  ASSERT_TRUE(found.proved()) << text(found);
  EXPECT_EQ(found.elements, 128U);
}

TEST(Products, with_other_numbers_are_none) {
  EXPECT_FALSE(Ones{.b = "16843008"}.proof().proved());  // one column of zeros
  EXPECT_FALSE(Ones{.b = "16843010"}.proof().proved());  // of twos
  EXPECT_FALSE(Ones{.c = "1"}.proof().proved());
  EXPECT_FALSE(Ones{.b = "%r3"}.proof().proved());
  // Lane 9 holds a part of the third column, which nobody looks at; lane 1 of the first.
  EXPECT_TRUE(Ones{.before = "setp.eq.s32 %p1, %r1, 9;\n@%p1 mov.u32 %r4, 0;\n"}.proof().proved());
  EXPECT_FALSE(Ones{.before = "setp.eq.s32 %p1, %r1, 1;\n@%p1 mov.u32 %r4, 0;\n"}.proof().proved());
}

TEST(Products, of_bytes_without_a_sign_or_with_a_limit_are_others) {
  EXPECT_FALSE(Ones{.numbers = "s32.u8.s8.s32"}.proof().proved());
  const auto limited = Ones{.shape = "m8n8k16.row.col.satfinite"}.proof();
  ASSERT_EQ(limited.verdict, Verdict::no_proof);
  EXPECT_NE(limited.cause->what.find("is not known to the prover"), std::string::npos);
}

TEST(Products, of_which_a_lane_brings_another_row_lack_it) {
  const auto found =
      Ones{.before = "setp.eq.s32 %p1, %r1, 9;\n@%p1 ld.global.u32 %r3, [%rd1];\n"}.proof();
  EXPECT_EQ(found.verdict, Verdict::refuted) << text(found);
  EXPECT_FALSE(Ones{.before = "setp.eq.s32 %p1, %r1, 9;\n@%p1 prmt.b32 %r3, %r3, 0, 0x3211;\n"}
                   .proof()
                   .proved());
}

}  // namespace
}  // namespace gauntlet::prove::test
