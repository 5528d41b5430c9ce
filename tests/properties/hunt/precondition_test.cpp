// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Document C's own repair of its vector loads is a precondition: allocate ceil(n/4)*4 elements and
// zero what lies past n. What happens with it and without it.
#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/hunt/property.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::properties {
namespace {

class VectorTail : public testing::TestWithParam<const char*> {
 protected:
  /// Kinds that the documented form shows for n elements with this tail.
  std::vector<Expected> kinds(std::uint64_t n, Tail tail, const char* form) {
    Case c;
    c.variant = GetParam();
    c.form = form;
    c.in = c.acc = Type::i32;
    c.n = n;
    c.block = 64;
    c.grid = 0;
    c.data = Data::ones;
    c.tail = tail;
    Trial trial(*executor_, kernels::compiled_kernels(), c);
    EXPECT_FALSE(trial.base().refused()) << trial.base().plan.refusal;
    return kinds_of(trial.base().findings);
  }
  std::unique_ptr<Executor> executor_ = simt::make_executor();
};

using Kinds = std::vector<Expected>;

TEST_P(VectorTail, padded_and_zeroed_is_right) {
  for (const std::uint64_t n : {1, 97, 254, 255, 1021}) {
    EXPECT_EQ(kinds(n, Tail::zero, "fixed-vector_tail"), Kinds{}) << n;
  }
}

TEST_P(VectorTail, padded_and_dirty_is_wrong) {
  for (const std::uint64_t n : {1, 97, 254, 255, 1021}) {
    EXPECT_EQ(kinds(n, Tail::dirty, "fixed-vector_tail"),
              (Kinds{{FindingKind::wrong_result, "out"}}))
        << n;
  }
}

TEST_P(VectorTail, padded_and_never_written_makes_the_output_poison) {
  const Kinds shown = kinds(97, Tail::poison, "fixed-vector_tail");
  EXPECT_TRUE(
      std::binary_search(shown.begin(), shown.end(), Expected{FindingKind::poison_output, "out"}));
}

TEST_P(VectorTail, not_padded_reads_out_of_bounds) {
  for (const std::uint64_t n : {1, 97, 254, 255, 1021}) {
    const Kinds shown = kinds(n, Tail::unmapped, "fixed-vector_tail");
    EXPECT_TRUE(std::binary_search(shown.begin(), shown.end(),
                                   Expected{FindingKind::out_of_bounds_read, "in"}))
        << n;
  }
}

TEST_P(VectorTail, needs_no_padding_when_n_is_a_multiple_of_four) {
  for (const Tail tail : {Tail::zero, Tail::dirty, Tail::poison, Tail::unmapped}) {
    EXPECT_EQ(kinds(256, tail, "fixed-vector_tail"), Kinds{}) << name(tail);
  }
}

TEST_P(VectorTail, is_of_no_concern_to_the_scalar_tail_of_the_fix) {
  for (const Tail tail : {Tail::zero, Tail::dirty, Tail::poison, Tail::unmapped}) {
    for (const std::uint64_t n : {1, 97, 254, 255, 256, 1021}) {
      EXPECT_EQ(kinds(n, tail, "fixed"), Kinds{}) << n << ' ' << name(tail);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DocumentC, VectorTail,
                         testing::Values("int4_through_shared", "int4_coarsened", "int4_shuffle"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gauntlet::properties
