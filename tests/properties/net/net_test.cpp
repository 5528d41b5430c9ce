// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The net itself: what it changes, and that it finds a prover out that says yes to everything.
#include "net.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gauntlet::net {
namespace {

std::set<std::string> becomes(const std::string& line, const std::string& what) {
  std::set<std::string> all;
  for (const auto& m : mutations_of("\t" + line + "\n")) {
    if (m.what == what) all.insert(m.now.empty() ? "" : m.now.substr(1));
  }
  return all;
}

TEST(Mutations, of_a_comparison_are_its_relations_types_operands_and_constants) {
  const std::string line = "setp.lt.s32 %p1, %r1, 7;";
  const auto modifiers = becomes(line, "modifier");
  for (const auto* one : {"setp.le.s32 %p1, %r1, 7;", "setp.gt.s32 %p1, %r1, 7;",
                          "setp.lt.u32 %p1, %r1, 7;", "setp.lt.f32 %p1, %r1, 7;"}) {
    EXPECT_EQ(modifiers.count(one), 1U) << one;
  }
  EXPECT_EQ(
      becomes(line, "constant"),
      (std::set<std::string>{"setp.lt.s32 %p1, %r1, 8;", "setp.lt.s32 %p1, %r1, 6;",
                             "setp.lt.s32 %p1, %r1, 14;", "setp.lt.s32 %p1, %r1, 0;",
                             "setp.lt.s32 %p1, %r1, 1;", "setp.lt.s32 %p1, %r1, -2147483648;"}));
}
TEST(Mutations, drop_barriers_fences_stores_and_the_ways_back_of_loops) {
  for (const auto* line : {"bar.sync 0;", "membar.gl;", "fence.acq_rel.gpu;",
                           "st.global.u32 [%rd1], %r1;", "@%p1 bra $L__BB0_2;"}) {
    EXPECT_EQ(becomes(line, "drop"), std::set<std::string>{""}) << line;
  }
  EXPECT_EQ(becomes("bra $L__BB0_2;", "drop"), std::set<std::string>{});
  EXPECT_EQ(becomes("add.s32 %r1, %r2, %r3;", "drop"), std::set<std::string>{});
}
TEST(Mutations, take_or_weaken_an_order_and_its_scope) {
  const auto orders = becomes("ld.acquire.gpu.u32 %r1, [%rd1];", "order");
  EXPECT_EQ(orders.count("ld.relaxed.gpu.u32 %r1, [%rd1];"), 1U);
  EXPECT_EQ(becomes("ld.acquire.gpu.u32 %r1, [%rd1];", "modifier")
                .count("ld.acquire.cta.u32 %r1, [%rd1];"),
            1U);
  EXPECT_EQ(becomes("ld.global.u32 %r1, [%rd1];", "order").count("ld.global.nc.u32 %r1, [%rd1];"),
            1U);
}
TEST(Mutations, leave_parameters_and_the_line_itself_alone) {
  EXPECT_TRUE(mutations_of("\tld.param.u64 \t%rd1, [k_param_0];\n").empty());
  for (const auto& m : mutations_of("\tadd.rn.f32 \t%f1, %f2, %f2;\n")) {
    EXPECT_NE(m.now, "\tadd.rn.f32 %f1, %f2, %f2;");
  }
}
TEST(Mutations, keep_the_entries_asked_for_and_what_all_share) {
  const std::string text =
      ".version 9.0\n.global .u32 g;\n.visible .entry a(\n)\n{\nret;\n}\n"
      ".visible .entry b(\n)\n{\nexit;\n}\n";
  EXPECT_EQ(only_entries(text, {"b"}),
            ".version 9.0\n.global .u32 g;\n.visible .entry b(\n)\n{\nexit;\n}\n");
}

/// Says yes to everything.
class Liar final : public Loaded {
 public:
  explicit Liar(std::unique_ptr<Loaded> of) : of_(std::move(of)) {}
  [[nodiscard]] unsigned data_sets() const override { return of_->data_sets(); }
  [[nodiscard]] Trial trial(const Case& c, unsigned telling) const override {
    return of_->trial(c, telling);
  }
  [[nodiscard]] prove::Proof prove(const Case& c) override {
    prove::Proof proof = of_->prove(c);
    proof.verdict = prove::Verdict::proved;
    proof.functions.clear();
    return proof;
  }
  [[nodiscard]] std::unique_ptr<Executor> machine(simt::ExecutorOptions options) const override {
    return of_->machine(std::move(options));
  }
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override {
    return of_->judge(c, plan, seen);
  }

 private:
  std::unique_ptr<Loaded> of_;
};

/// One subject with the mutations of lines with `was` that then have `now`.
Report one_mutant(const std::string& name, const std::string& was, const std::string& now,
                  bool liar) {
  auto all = specs_of(GAUNTLET_NET_KERNELS, GAUNTLET_NET_PTX, 2);
  const auto at = std::ranges::find(all, name, &Subject::name);
  Subject subject = *at;
  const auto load = subject.load;
  if (liar) {
    subject.load = [load](const Text& text) { return std::make_unique<Liar>(load(text)); };
  }
  Options options;
  options.wanted = [&](const std::string& line, const std::string& becomes) {
    return line.find(was) != std::string::npos && becomes.find(now) != std::string::npos;
  };
  return cast({subject}, options);
}

TEST(Net, finds_a_false_theorem_of_each_kind) {
  struct {
    const char *name, *was, *now;
  } const cases[] = {{"sum_of_ints", "cvt.rn.f64.s32", "cvt.rn.f64.u32"},
                     {"staged", "ld.global.u32", "ld.global.nc.u32"},
                     {"up_down", "launch", "programmatic"},
                     {"max_abs_i32", ", -2147483648", ", 0;"},
                     {"added", "atom.global.add.u32", "atom.global.add.f32"}};
  for (const auto& [name, was, now] : cases) {
    const auto report = one_mutant(name, was, now, true);
    ASSERT_FALSE(report.results.empty()) << name;
    EXPECT_GT(report.left(), 0U) << name << "\n" << text(report);
  }
}
TEST(Net, leaves_nothing_of_them_where_the_prover_knows_what_it_says) {
  const auto report = one_mutant("sum_of_ints", "cvt.rn.f64.s32", "cvt.rn.f64.u32", false);
  ASSERT_FALSE(report.results.empty());
  EXPECT_EQ(report.left(), 0U) << text(report);
}

}  // namespace
}  // namespace gauntlet::net
