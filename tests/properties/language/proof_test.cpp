// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of specs: right kernels are proved, broken ones are not, nor what is nearly right.
#include "properties/language/proof.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "properties/launch/simt_executor.hpp"
#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;
using prove::Verdict;

const std::atomic<bool> interrupted{false};

std::string told(const prove::Proof& proof) {
  return to_string(proof.c) + "\n" + prove::text(proof);
}

/// Some shapes that the contract takes, each once.
std::vector<Case> shapes(const Specs& specs, const std::string& path, int count) {
  std::vector<Case> all;
  std::set<std::vector<NamedSize>> seen;
  for (int k = 0; k < 40 * count && static_cast<int>(all.size()) < count; ++k) {
    Case c = draw(specs.loaded(path), static_cast<std::uint64_t>(k), 5 * k % 100);
    c.schedule = "lockstep";
    const bool fits = refusal(specs.loaded(path), specs.completed(c)).empty();
    if (fits && seen.insert(c.sizes).second) all.push_back(c);
  }
  return all;
}

class SpecProofs : public test::SpecKernels {};

/// Why a right kernel is not proved.
const std::map<std::string, std::string> unproved{
    {"bf16_sum", "depends on data"},  // before sm_80 rounding to bf16 is no one instruction
    {"lower_bound", "depends on data"},
};

TEST_P(SpecProofs, a_right_kernel_is_proved_at_every_shape) {
  const auto path = write(true);
  const Specs specs({path}, interrupted);
  const auto reason = unproved.find(GetParam());
  int proved = 0, others = 0;
  for (const Case& c : shapes(specs, path, 8)) {
    const auto found = prove(specs, c, 3).proof;
    if (found.proved()) {
      ++proved;
      continue;
    }
    ++others;
    ASSERT_NE(reason, unproved.end()) << told(found);
    ASSERT_EQ(found.verdict, Verdict::no_proof) << told(found);
    EXPECT_NE(found.cause->what.find(reason->second), std::string::npos) << told(found);
  }
  EXPECT_GT(reason == unproved.end() ? proved : others, 0);
}

TEST_P(SpecProofs, a_broken_kernel_is_not_proved_where_it_fails) {
  const auto path = write(false);
  const auto form = check(path);
  ASSERT_FALSE(form.counterexamples.empty());
  const Specs specs({path}, interrupted);
  for (const auto& example : form.counterexamples) {
    const auto found = prove(specs, example.c).proof;
    EXPECT_FALSE(found.proved()) << told(found);
  }
  // Where it is proved, nothing is found.
  const auto machine = simt::make_executor();
  for (const Case& shape : shapes(specs, path, 8)) {
    const auto found = prove(specs, shape).proof;
    if (!found.proved()) continue;
    for (const auto* schedule : {"lockstep", "random:1", "block_reversed"}) {
      for (const auto data : {Data::identities, Data::uniform}) {
        Case c = shape;
        c.schedule = schedule;
        c.data = data;
        const Plan plan = spec::plan(specs.loaded(path), c);
        const auto seen = machine->run(c, plan);
        EXPECT_TRUE(judge(specs.loaded(path), c, plan, seen).ok) << told(found);
        EXPECT_TRUE(seen.findings.empty()) << told(found);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Own, SpecProofs, testing::ValuesIn(test::all_kernels),
                         [](const auto& info) { return info.param; });

class SpecLogarithms : public test::SpecKernels {
 protected:
  /// Of a shape, the kernel's PTX with another number in the place of one.
  prove::Proof with(const std::string& number, const std::string& other) {
    std::ifstream file(fs::path(GAUNTLET_SPEC_PTX) / "rows.ptx");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(number, at)) != text.npos;
         at += other.size(), ++count) {
      text.replace(at, number.size(), other);
    }
    EXPECT_GT(count, 0U);
    std::ofstream(folder_ / "rows.ptx") << text;
    const auto path = (folder_ / "l.gauntlet").string();
    std::ofstream(path) << "kernel rows.ptx 'log_sum_exp<true>'\nsize columns = 3..9\n"
                           "in x:f32[1, columns]\nout y:f32[1]\narg columns:i32 = columns\n"
                           "launch grid=1 block=32\ndata uniform\n"
                           "result y[r] = m + log(sum(exp(x[r, k] - m) for k in 0 .. columns)) "
                           "where m = max(x[r, ..])\n";
    const Specs specs({path}, interrupted);
    Case c = draw(specs.loaded(path), 1, 50);
    c.schedule = "lockstep";
    return prove(specs, c).proof;
  }
};

TEST_P(SpecLogarithms, cuda_s_is_one_and_with_another_coefficient_it_is_none) {
  const std::string third = "0f3EAAAA78";
  const auto right = with(third, third);
  EXPECT_TRUE(right.proved()) << told(right);
  const auto wrong = with(third, "0f3EAAAB78");
  EXPECT_FALSE(wrong.proved()) << told(wrong);
}
INSTANTIATE_TEST_SUITE_P(Own, SpecLogarithms, testing::Values("log_sum_exp"));

/// A spec of accuracy.cu, as text.
class SpecText : public test::SpecKernels {
 protected:
  Given given(const std::string& text) {
    const auto folder = fs::path(GAUNTLET_SPEC_PTX);
    return {.path = (folder_ / "t.gauntlet").string(),
            .text = "kernel " + fs::relative(folder / "accuracy.ptx", folder_).string() + text};
  }
  static Case at(const Specs& specs, std::uint64_t n, Data data = Data::uniform) {
    Case c;
    c.variant = specs.variants().front().id;
    c.form = "spec";
    c.sizes = {{"n", n}};
    c.data = data;
    return c;
  }
};

constexpr const char* products = R"( 'one_way<(Way){}>'
in      x:f32[n]
in      w:f32[n]
out     y:f32[1]
arg     n:u32 = n
launch  grid=1 block=32
result  y[0] = {}
)";

using Ways = SpecText;

TEST_P(Ways, only_the_right_one_is_proved) {
  static const std::map<std::string, int> number{{"right", 0},     {"lost", 1},     {"twice", 2},
                                                 {"neighbour", 3}, {"bare", 4},     {"scaled", 5},
                                                 {"rounded", 6},   {"swapped", 7},  {"squared", 8},
                                                 {"chosen", 9},    {"started", 10}, {"stale", 11}};
  const auto which = number.at(GetParam());
  const bool differences = GetParam() == "swapped";
  const Specs specs(std::vector{given(fmt::format(
                        fmt::runtime(products), which,
                        differences ? "sum(x[i] - w[i] * w[i] for i in 0 .. n)" : "sum(x * w)"))},
                    interrupted);
  // No run is compared: the structure alone has to tell.
  for (const std::uint64_t n : {5U, 33U, 64U, 100U}) {
    auto found = prove(specs, at(specs, n), 0);
    // What it forgets is what the thread has added before: up to 32 elements, nothing.
    if (GetParam() == "chosen" && n <= 32) {
      EXPECT_TRUE(prove(specs, at(specs, n)).proof.proved());
    } else if (GetParam() == "right") {
      EXPECT_TRUE(found.heights) << told(found.proof);
      EXPECT_TRUE(prove(specs, at(specs, n)).proof.proved());
    } else {
      // Of one that rounds a product it is known how it adds.
      EXPECT_EQ(found.heights.has_value(), GetParam() == "rounded") << n << told(found.proof);
      EXPECT_FALSE(found.proof.proved());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Own, Ways,
                         testing::Values("right", "lost", "twice", "neighbour", "bare", "scaled",
                                         "rounded", "swapped", "squared", "chosen", "started",
                                         "stale"),
                         [](const auto& info) { return info.param; });

constexpr const char* extreme = R"( 'extreme<(Start){}>'
in      x:f32[n]
out     y:f32[1]
arg     n:u32 = n
launch  grid=1 block=32
result  y[0] = {}(x)
)";

using Starts = SpecText;

TEST_P(Starts, that_no_finite_element_can_tell_from_an_infinity_are_assumed_not_to_matter) {
  const auto found = [&](int start, std::string_view op, std::uint64_t n) {
    const Specs specs(std::vector{given(fmt::format(fmt::runtime(extreme), start, op))},
                      interrupted);
    return prove(specs, at(specs, n)).proof;
  };
  const auto assumes_finite = [](const prove::Proof& proof) {
    return std::count(proof.assumed.begin(), proof.assumed.end(), "finite") == 1;
  };
  for (const std::uint64_t n : {1U, 5U, 100U}) {
    for (const auto& [start, op] : {std::pair{0, "max"}, {2, "min"}}) {
      const auto proof = found(start, op, n);
      EXPECT_TRUE(proof.proved()) << told(proof);
      EXPECT_TRUE(assumes_finite(proof)) << told(proof);
    }
    const auto proof = found(1, "max", n);
    EXPECT_EQ(proof.verdict, Verdict::no_proof) << told(proof);
    EXPECT_FALSE(assumes_finite(proof)) << told(proof);
  }
}

INSTANTIATE_TEST_SUITE_P(Own, Starts, testing::Values("accuracy"),
                         [](const auto& info) { return info.param; });

using Formulas = SpecText;

/// What the spec's language can say and a proof does not follow is no proof, not an error.
TEST_P(Formulas, that_are_not_followed_are_named) {
  for (const auto& [formula, why] : std::map<std::string, std::string>{
           {"argmax(x)", "as another number than an int"},
           {"sum(pow(x[i], w[i]) for i in 0 .. n)", "a power by data"},
           {"fold(a, b: a + b, 0, x)", "is not the formula's"},
           {"sum(x[i] for i in 0 .. n if w[i] > 0)", "elements depend on data"},
           {"x[0] > 5 ? x[n + 7] : sum(x * w)", "index 107 is beyond x"}}) {
    const Specs specs(std::vector{given(fmt::format(fmt::runtime(products), 0, formula))},
                      interrupted);
    const auto found = prove(specs, at(specs, 100));
    ASSERT_EQ(found.proof.verdict, prove::Verdict::no_proof) << formula;
    EXPECT_NE(found.proof.cause->what.find(why), std::string::npos) << told(found.proof);
    EXPECT_FALSE(found.heights);
  }
}

INSTANTIATE_TEST_SUITE_P(Own, Formulas, testing::Values("accuracy"),
                         [](const auto& info) { return info.param; });

constexpr const char* plain_sum = R"( '{}'
size    n = 4096
in      x:f32[n]
out     y:f32[1]
arg     n:u32 = n
launch  grid=1 block={}
result  y[0] = sum(x)
)";

using Trees = SpecText;

/// Of 20 data sets: how many are found wrong by the kernel's own tree, and by any order.
struct Wrong {
  int by_tree = 0, by_any_order = 0;
};
Wrong wrong(const Specs& specs, Case c) {
  Wrong wrong;
  const auto machine = simt::make_executor();
  for (c.seed = 1; c.seed <= 20; ++c.seed) {
    const auto& loaded = specs.loaded(c.variant);
    const Plan plan = spec::plan(loaded, c);
    const auto seen = machine->run(c, plan);
    const auto by_tree = specs.judge(c, plan, seen);
    wrong.by_any_order += judge(loaded, c, plan, seen).ok ? 0 : 1;
    if (by_tree.ok) continue;
    ++wrong.by_tree;
    EXPECT_NE(by_tree.findings.at(0).detail.find("by the kernel's own tree"), std::string::npos);
  }
  return wrong;
}

TEST_P(Trees, see_partial_results_that_are_rounded_to_halves) {
  const Specs broken(
      std::vector{given(fmt::format(fmt::runtime(plain_sum), "stored_partials<false>", 256))},
      interrupted);
  const auto found = wrong(broken, at(broken, 4096));
  EXPECT_EQ(found.by_any_order, 0);
  EXPECT_GT(found.by_tree, 10);
  EXPECT_NE(prove(broken, at(broken, 4096)).proof.cause->what.find("rounded to 11 bits"),
            std::string::npos);
}

TEST_P(Trees, allow_what_rounds_as_the_spec_says) {
  const Specs right(
      std::vector{given(fmt::format(fmt::runtime(plain_sum), "stored_partials<true>", 256))},
      interrupted);
  EXPECT_EQ(wrong(right, at(right, 4096)).by_tree, 0);
  EXPECT_EQ(right.heights(at(right, 4096))->begin()->second, 15U + 5 + 3);
  const Specs halves(
      std::vector{given(fmt::format(fmt::runtime(plain_sum), "stored_partials<false>", 256) +
                        "  accumulate f16\n")},
      interrupted);
  EXPECT_EQ(wrong(halves, at(halves, 4096)).by_tree, 0);
}

TEST_P(Trees, allow_a_chain_what_a_chain_may_err) {
  const Specs chain(std::vector{given(fmt::format(fmt::runtime(plain_sum), "chain", 32))},
                    interrupted);
  EXPECT_EQ(chain.heights(at(chain, 4096))->begin()->second, 4095U);
  EXPECT_EQ(wrong(chain, at(chain, 4096)).by_tree, 0);
}

INSTANTIATE_TEST_SUITE_P(Own, Trees, testing::Values("accuracy"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gauntlet::spec
