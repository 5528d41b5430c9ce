// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a form with too narrow an index shows depends on what wraps: an unsigned index takes other
// elements, a signed one also what lies before the input, and one that is compared with n but is
// not the address also what lies behind it. Here every such form runs the same cases around 2^31
// and 2^32, and must show what the catalogue says: all of it, and nothing else.
#include <gtest/gtest.h>

#include <set>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/property.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::properties {
namespace {

using KindSet = std::set<Expected>;
constexpr const char* defective = "fixed-index_width";

/// The first two blocks and the last two of launches that end near the border; a tile of three
/// threads, or of 48, lies across it.
std::vector<Case> cases_of(const Variant& variant, const Instance& instance) {
  const bool stepping = variant.takes_any_n;
  // Blocks that step through all of the input have no tile at the border, but much to do.
  const auto blocks =
      stepping ? std::vector<std::uint32_t>{1024} : std::vector<std::uint32_t>{3, 48, 64};
  constexpr std::uint64_t at_31 = std::uint64_t{1} << 31, at_32 = std::uint64_t{1} << 32;
  std::vector<Case> cases;
  Case c;
  c.variant = variant.id;
  c.in = instance.in;
  c.acc = instance.acc;
  c.op = instance.op;
  c.block_count = 2;
  for (const std::uint64_t n : {at_31 + 5, at_32 - 3, at_32, at_32 + 5}) {
    for (const std::uint32_t block : blocks) {
      for (const Tail tail : {Tail::unmapped, Tail::poison}) {
        c.n = n;
        c.block = block;
        c.tail = tail;
        c.offset = tail == Tail::poison ? 16 - static_cast<std::uint32_t>(size_of(c.in)) : 0;
        c.first_block = 0;
        c.grid = 0;
        c.grid = kernels::compiled_kernels().plan(c).grid;
        cases.push_back(c);
        c.first_block = c.grid - c.block_count;
        cases.push_back(c);
      }
    }
  }
  return cases;
}

class IndexWidth : public testing::TestWithParam<const Variant*> {
 protected:
  KindSet shown(const char* form) {
    KindSet all;
    for (const Instance& instance : kernels::instances(GetParam()->id, defective)) {
      for (Case& c : cases_of(*GetParam(), instance)) {
        c.form = form;
        Trial trial(*executor_, kernels::compiled_kernels(), c);
        EXPECT_FALSE(trial.base().refused()) << trial.base().plan.refusal;
        const auto kinds = kinds_of(trial.base().findings);
        all.insert(kinds.begin(), kinds.end());
      }
    }
    return all;
  }
  std::unique_ptr<Executor> executor_ = simt::make_executor();
};

TEST_P(IndexWidth, shows_what_the_catalogue_says_and_nothing_else) {
  const auto& expected = GetParam()->form(defective)->expected;
  EXPECT_EQ(shown(defective), KindSet(expected.begin(), expected.end()));
}

TEST_P(IndexWidth, shows_nothing_in_64_bits) { EXPECT_EQ(shown("fixed"), KindSet{}); }

std::vector<const Variant*> narrow_variants() {
  std::vector<const Variant*> narrow;
  for (const Variant& variant : kernels::catalogue()) {
    if (variant.form(defective) != nullptr) narrow.push_back(&variant);
  }
  return narrow;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, IndexWidth, testing::ValuesIn(narrow_variants()),
                         [](const auto& info) { return info.param->id; });

}  // namespace
}  // namespace gauntlet::properties
