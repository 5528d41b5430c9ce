// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case to what a worker is asked, and what two executors that differ look like.
#include <gtest/gtest.h>

#include "base/scalar.hpp"
#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/agree.hpp"

namespace gauntlet::cuda::executor_job {
namespace {

Job job_of(const std::string& line) {
  const Case c = parse_case(line);
  return make_job(c, kernels::plan(c));
}

TEST(MakeJob, names_the_kernel_and_lays_out_the_arguments_of_the_plan) {
  const Job job = job_of("sequential@fixed f32->f32 sum n=1000 block=64");
  ASSERT_EQ(job.launches.size(), 1U);
  EXPECT_EQ(job.launches[0].module, "sequential");
  EXPECT_EQ(job.launches[0].entry, "sequential__fixed__f32_f32_sum");
  EXPECT_EQ(job.launches[0].grid.x, 16U);
  EXPECT_EQ(job.launches[0].args.size(), 3U);
  ASSERT_EQ(job.observed.size(), 1U);
  EXPECT_EQ(job.observed[0].buffer, 0U);
  EXPECT_EQ(job.observed[0].cells, 16U);
}

TEST(MakeJob, allocates_the_tail_only_where_it_is_mapped) {
  EXPECT_EQ(job_of("sequential@documented f32->f32 sum n=97 block=64 tail=unmapped").allocated,
            97U);
  EXPECT_EQ(job_of("sequential@documented f32->f32 sum n=97 block=64 tail=zero").allocated, 128U);
  EXPECT_TRUE(job_of("sequential@documented f32->f32 sum n=97 block=64 tail=zero").zero_tail);
  EXPECT_FALSE(job_of("sequential@documented f32->f32 sum n=97 block=64 tail=dirty").zero_tail);
}

/// The sum of its elements, or something else for cases of a chosen n.
class Scripted final : public Executor {
 public:
  explicit Scripted(std::string name, std::uint64_t wrong_at = ~std::uint64_t{0})
      : name_(std::move(name)), wrong_at_(wrong_at) {}
  std::string_view name() const override { return name_; }
  Observation run(const Case& c, const Plan& plan) override {
    Observation result;
    result.refused = plan.refusal;
    if (!result.refused.empty()) return result;
    result.completed = true;
    ObservedBuffer buffer{"out", c.acc, {}, {}};
    buffer.bytes.resize(size_of(c.acc));
    store_bits(c.acc, buffer.bytes.data(), c.n == wrong_at_ ? 1 : 7);
    buffer.defined = {true};
    result.buffers.push_back(buffer);
    if (c.n == undefined_at) {
      Finding finding;
      finding.kind = FindingKind::race_read_write;
      result.findings.push_back(finding);
    }
    return result;
  }
  std::uint64_t undefined_at = ~std::uint64_t{0};

 private:
  std::string name_;
  std::uint64_t wrong_at_;
};

properties::AgreeOptions options() {
  properties::AgreeOptions options;
  options.selectors = {"sequential@fixed"};
  options.cases = 12;
  options.jobs = 2;
  return options;
}

/// An n that the generator draws.
std::uint64_t some_n() {
  std::uint64_t n = ~std::uint64_t{0};
  struct Spy final : Executor {
    std::uint64_t& seen;
    explicit Spy(std::uint64_t& n) : seen(n) {}
    std::string_view name() const override { return "spy"; }
    Observation run(const Case& c, const Plan&) override {
      Observation result;
      result.completed = true;
      seen = c.n;
      return result;
    }
  } spy(n);
  properties::AgreeOptions one = options();
  one.jobs = 1;
  Scripted other("other");
  (void)properties::run_agree(spy, spy, one, kernels::compiled_kernels());
  return n;
}

TEST(Agree, equal_executors_agree_on_every_case_and_count_them) {
  Scripted a("a"), b("b");
  const auto report = properties::run_agree(a, b, options(), kernels::compiled_kernels());
  EXPECT_TRUE(report.agree());
  EXPECT_GT(report.compared(), 50U);
  EXPECT_EQ(report.disagreements(), 0U);
}

TEST(Agree, one_different_bit_is_a_disagreement_with_its_case) {
  const std::uint64_t n = some_n();
  Scripted a("a"), b("b", n);
  const auto report = properties::run_agree(a, b, options(), kernels::compiled_kernels());
  EXPECT_FALSE(report.agree());
  ASSERT_FALSE(report.forms[0].examples.empty());
  EXPECT_EQ(report.forms[0].examples[0].c.n, n);
  EXPECT_NE(report.forms[0].examples[0].what.find("out[0]"), std::string::npos);
}

TEST(Executor, a_gpu_that_lacks_a_kernels_instructions_refuses_it_with_the_reason) {
  Hello turing;
  turing.major = 7;
  turing.minor = 5;
  Case c;
  c.variant = "redux";
  c.in = c.acc = Type::i32;
  c.n = 100;
  const std::string reason = lacks_instructions(kernels::plan(c).capability, turing);
  EXPECT_NE(reason.find("needs compute capability 8.0"), std::string::npos) << reason;
  EXPECT_NE(reason.find("this GPU has 7.5"), std::string::npos) << reason;
  Hello ampere;
  ampere.major = 8;
  EXPECT_EQ(lacks_instructions(kernels::plan(c).capability, ampere), "");
  c.variant = "sequential";
  EXPECT_EQ(lacks_instructions(kernels::plan(c).capability, turing), "");
}

TEST(Agree, cases_in_which_the_reference_sees_undefined_behaviour_are_left_out) {
  const std::uint64_t n = some_n();
  Scripted a("a"), b("b", n);
  a.undefined_at = n;
  const auto report = properties::run_agree(a, b, options(), kernels::compiled_kernels());
  EXPECT_TRUE(report.agree());
  EXPECT_GT(report.forms[0].undefined, 0U);
}

TEST(Agree, what_only_the_other_finds_is_a_disagreement) {
  const std::uint64_t n = some_n();
  Scripted a("a"), b("b");
  b.undefined_at = n;
  EXPECT_FALSE(properties::run_agree(a, b, options(), kernels::compiled_kernels()).agree());
}

TEST(Agree, nothing_compared_is_no_agreement) {
  Scripted a("a"), b("b");
  auto none = options();
  none.cases = 0;
  EXPECT_FALSE(properties::run_agree(a, b, none, kernels::compiled_kernels()).agree());
}

}  // namespace
}  // namespace gauntlet::cuda::executor_job
