// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels to which data are no more than values, and the nearest ones to which they are more.
#include "machine/isa/data_dependence.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/machine/engine/decoded.hpp"

namespace gauntlet::simt::test {
namespace {

const std::string place =
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd5, %r1, 4;\n"
    "add.u64 %rd2, %rd1, %rd5;\n";
const std::string load = place + "ld.global.u32 %r2, [%rd2];\n";

bool depends(const std::string& body) { return depends_on_data(Decoded(body).kernel); }

TEST(DataDependence, is_none_where_data_are_values) {
  for (const char* const values : {
           "st.global.u32 [%rd2], %r2;\n",
           "add.u32 %r3, %r2, %r1;\nst.global.v2.u32 [%rd2], {%r3, %r2};\n",
           "setp.gt.u32 %p1, %r2, 3;\nselp.u32 %r3, %r1, %r2, %p1;\nst.global.u32 [%rd2], %r3;\n",
           "setp.gt.u32 %p1, %r2, 3;\n@%p1 mov.u32 %r2, 7;\nst.global.u32 [%rd2], %r2;\n",
           "shfl.sync.idx.b32 %r3, %r2, %r2, 31, -1;\nst.global.u32 [%rd2], %r3;\n",
           "setp.gt.u32 %p1, %r2, 3;\nvote.sync.ballot.b32 %r3, %p1, -1;\n"
           "st.global.u32 [%rd2], %r3;\n",
           "red.global.add.u32 [%rd1], %r2;\n",
           "atom.global.max.u32 %r3, [%rd1], %r2;\nst.global.u32 [%rd2], %r3;\n",
       }) {
    EXPECT_FALSE(depends(load + values)) << values;
  }
  // What parameters and threads' numbers decide.
  EXPECT_FALSE(depends(load +
                       "ld.param.u32 %r4, [n];\nsetp.lt.u32 %p1, %r1, %r4;\n@!%p1 bra END;\n"
                       "shr.u32 %r5, %r4, 1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.u64 %rd3, %rd3, "
                       "%rd2;\n@%p1 st.global.u32 [%rd3], %r2;\nbar.sync 0;\nEND:\n"));
}

/// Each register of a vector is what its own part is moved from.
TEST(DataDependence, is_of_one_part_of_a_vector_that_is_moved) {
  for (const bool data : {false, true}) {
    EXPECT_EQ(depends(load + "mov.v2.u32 {%r3, %r4}, {%r1, %r2};\nsetp.gt.u32 %p1, " +
                      (data ? "%r4" : "%r3") + ", 3;\n@%p1 st.global.u32 [%rd2], %r4;\n"),
              data);
  }
}

TEST(DataDependence, is_seen_wherever_data_are_more) {
  for (const char* const decides : {
           "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\n",
           "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r3, [%rd3];\n",
           "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\nred.global.add.u32 [%rd3], 1;\n",
           "setp.gt.u32 %p1, %r2, 3;\n@%p1 st.global.u32 [%rd2], %r1;\n",
           "setp.gt.u32 %p1, %r2, 3;\n@%p1 bra END;\nst.global.u32 [%rd2], %r1;\nEND:\n",
           "setp.gt.u32 %p1, %r2, 3;\n@%p1 exit;\nst.global.u32 [%rd2], %r1;\n",
           "setp.gt.u32 %p1, %r2, 3;\n@%p1 bar.warp.sync -1;\n",
           "bar.warp.sync %r2;\n",
           "bar.sync %r2;\n",
           "shfl.sync.idx.b32 %r3, %r1, 0, 31, %r2;\n",
           // Through another register, another lane, and memory.
           "mov.u32 %r3, 0;\nsetp.gt.u32 %p1, %r2, 3;\n@%p1 mov.u32 %r3, 4;\n"
           "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd3, %rd2, %rd3;\nst.global.u32 [%rd3], %r1;\n",
           "shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\nsetp.gt.u32 %p1, %r3, 3;\n@%p1 exit;\n",
           ".local .b32 l[2];\nst.local.u32 [l], %r2;\nld.local.u32 %r3, [l];\n"
           "setp.gt.u32 %p1, %r3, 3;\n@%p1 exit;\n",
           // Who holds a lock.
           "atom.global.cas.b32 %r3, [%rd1], 0, %r2;\n",
           "atom.global.exch.b32 %r3, [%rd1], %r2;\n",
           "atom.global.add.u32 %r3, [%rd1], 1;\nsetp.eq.u32 %p1, %r3, 3;\n@%p1 exit;\n",
           "mov.u32 %r3, %clock;\nsetp.gt.u32 %p1, %r3, 300;\n@%p1 exit;\n",
       }) {
    EXPECT_TRUE(depends(load + decides)) << decides;
  }
  // An element that is its own address's: the value is also the place.
  EXPECT_TRUE(depends(place + "ld.global.u64 %rd3, [%rd2];\nst.global.u64 [%rd3], %rd3;\n"));
}

using Places = std::optional<std::vector<std::uint64_t>>;
Places arrays(const std::string& body) {
  return parameters_that_name(Decoded(body).kernel, Named::arrays);
}

TEST(ParametersThatName, are_where_a_kernel_has_its_arrays_from) {
  for (const char* const only_adds : {
           "",
           "st.global.u32 [%rd2+8], %r2;\n",
           "cvta.to.global.u64 %rd3, %rd1;\n",
           "mul.wide.u32 %rd3, %r2, 4;\nsub.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\n",
           "mad.wide.u32 %rd3, %r2, 4, %rd1;\nred.global.add.u32 [%rd3], %r2;\n",
           "setp.eq.u64 %p1, %rd1, 0;\n@%p1 exit;\n",
           "selp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], %r2;\n",
           "ld.param.u32 %r3, [n];\nst.global.u32 [%rd1], %r3;\n",
           ".shared .b32 s[2];\nst.shared.u32 [s], %r2;\n",
       }) {
    EXPECT_EQ(arrays(load + only_adds), Places(std::in_place, 1)) << only_adds;
  }
  EXPECT_EQ(arrays("mov.u32 %r1, %tid.x;\n"), Places(std::in_place));
  EXPECT_EQ(arrays("ld.param.u64 %rd1, [p];\nand.b64 %rd1, %rd1, 7;\n"), Places(std::in_place));
}

TEST(ParametersThatName, are_none_where_an_address_is_more_than_where_an_array_begins) {
  for (const char* const asks : {
           "setp.lt.u64 %p1, %rd1, %rd2;\n@%p1 exit;\n",
           "setp.lt.u64 %p1, %rd1, 16;\n",
           "and.b64 %rd3, %rd1, 15;\n",
           "st.global.u64 [%rd2], %rd1;\n",
           "sub.s64 %rd3, %rd2, %rd1;\n",
           "neg.s64 %rd3, %rd1;\n",
           "cvt.u32.u64 %r3, %rd1;\n",
           "mov.b64 {%r3, %r4}, %rd1;\n",
           "add.s64 %rd3, %rd1, %rd1;\n",
           "mad.lo.s64 %rd3, %rd1, 2, %rd2;\n",
           "ld.param.u32 %r3, [p+4];\n",
           "atom.global.exch.b64 %rd3, [%rd2], %rd1;\n",
           // Addresses from memory, and a choice between two.
           "ld.global.u64 %rd3, [%rd2];\nst.global.u32 [%rd3], %r2;\n",
           "ld.global.u64 %rd1, [%rd2];\n",
           "mov.u64 %rd2, 64;\n",
           "ld.global.u64 %rd3, [%rd2];\nselp.b64 %rd3, %rd1, %rd3, %p1;\n"
           "st.global.u32 [%rd3], %r2;\n",
           "mov.u64 %rd3, p;\ncvta.param.u64 %rd3, %rd3;\n",
       }) {
    EXPECT_EQ(arrays(load + asks), std::nullopt) << asks;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test
