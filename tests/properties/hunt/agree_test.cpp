// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `agree` compares, and what it leaves out: with executors of the host, one of them edited.
#include "properties/hunt/agree.hpp"

#include <gtest/gtest.h>

#include "base/scalar.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

/// The host's result, changed by `edit`.
class Edited final : public fake::HostExecutor {
 public:
  using Edit = std::function<void(const Case&, Observation&)>;
  explicit Edited(Edit edit) : edit_(std::move(edit)) {}
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
    Observation observation = HostExecutor::run(c, plan);
    edit_(c, observation);
    return observation;
  }

 private:
  Edit edit_;
};

void flip_a_bit(Observation& observation) { observation.buffers.at(0).bytes.at(0) ^= std::byte{1}; }

AgreeForm agreement(Executor& reference, Executor& other, const std::string& form) {
  AgreeOptions options;
  options.selectors = {form};
  options.cases = 40;
  options.jobs = 1;
  const AgreeReport report = run_agree(reference, other, options, fake::source());
  EXPECT_EQ(report.forms.size(), 1U);
  return report.forms.at(0);
}

TEST(Agree, equal_executors_agree_in_every_case_that_is_not_refused) {
  fake::HostExecutor one, two;
  const AgreeForm seen = agreement(one, two, "plain@fixed");
  EXPECT_EQ(seen.disagreements, 0U);
  EXPECT_EQ(seen.undefined, 0U);
  EXPECT_GT(seen.compared, 100U);  // 40 cases of each of six types and operators, a few refused
}

TEST(Agree, one_bit_in_one_run_of_three_is_a_disagreement_that_names_the_case) {
  fake::HostExecutor reference;
  int runs = 0;
  Edited other([&](const Case&, Observation& o) {
    if (++runs == 3) flip_a_bit(o);
  });
  const AgreeForm seen = agreement(reference, other, "plain@fixed");
  EXPECT_EQ(seen.disagreements, 1U);
  ASSERT_EQ(seen.examples.size(), 1U);
  EXPECT_EQ(seen.examples[0].c.variant, "plain");
  EXPECT_NE(seen.examples[0].what.find("run 3 of 3: out[0]"), std::string::npos)
      << seen.examples[0].what;
}

TEST(Agree, a_finding_of_the_other_executor_alone_is_a_disagreement) {
  fake::HostExecutor reference;
  Edited other([](const Case&, Observation& o) { o.findings.emplace_back(); });
  const AgreeForm seen = agreement(reference, other, "plain@fixed");
  EXPECT_EQ(seen.disagreements, seen.compared);
}

TEST(Agree, a_defective_form_is_left_out_where_the_schedule_decides_its_result) {
  fake::HostExecutor reference;  // by_schedule@documented is off by one under high_lane_first
  Edited other([](const Case&, Observation& o) { flip_a_bit(o); });
  const AgreeForm seen = agreement(reference, other, "by_schedule@documented");
  EXPECT_GT(seen.undefined, 0U);
  // What is compared are sums so large that one more makes no difference.
  EXPECT_LT(seen.compared, seen.undefined);
  EXPECT_EQ(seen.disagreements, seen.compared);
}

TEST(Agree, a_defective_form_is_compared_where_every_schedule_gives_the_same_bits) {
  fake::HostExecutor reference;
  Edited other([](const Case&, Observation& o) { flip_a_bit(o); });
  const AgreeForm seen = agreement(reference, other, "plain@documented");
  EXPECT_GT(seen.compared, 0U);
  EXPECT_EQ(seen.disagreements, seen.compared);
}

TEST(Agree, nothing_of_the_repaired_form_is_left_out_though_the_schedule_decides_its_result) {
  Edited reference([](const Case& c, Observation& o) {
    if (c.schedule != "lockstep") flip_a_bit(o);
  });
  Edited other([](const Case&, Observation& o) { flip_a_bit(o); });
  const AgreeForm seen = agreement(reference, other, "plain@fixed");
  EXPECT_EQ(seen.undefined, 0U);
  EXPECT_GT(seen.compared, 0U);
  EXPECT_EQ(seen.disagreements, seen.compared);
}

TEST(Agree, a_case_in_which_the_reference_sees_undefined_behaviour_is_not_compared) {
  Edited reference([](const Case&, Observation& o) { o.findings.emplace_back(); });
  Edited other([](const Case&, Observation& o) { flip_a_bit(o); });
  const AgreeForm seen = agreement(reference, other, "plain@fixed");
  EXPECT_GT(seen.undefined, 0U);
  EXPECT_EQ(seen.compared + seen.order_free + seen.disagreements, 0U);
}

TEST(Agree, a_run_in_which_nothing_was_compared_is_no_agreement) {
  Edited reference([](const Case&, Observation& o) { o.findings.emplace_back(); });
  fake::HostExecutor other;
  AgreeOptions options;
  options.selectors = {"plain@fixed"};
  options.jobs = 1;
  EXPECT_FALSE(run_agree(reference, other, options, fake::source()).agree());
}

}  // namespace
}  // namespace gauntlet::properties
