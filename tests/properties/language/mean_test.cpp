// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Means as kernels compute them, in float arithmetic of each type: right ones hold, their near
// misses do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "properties/language/proof.hpp"
#include "properties/language/source.hpp"
#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

using Numbers = std::vector<double>;

/// A kernel's arithmetic: each operation rounded to its type. A double holds enough of the exact
/// result of one of the narrower types for that.
struct Machine {
  Type type = Type::f32;
  double operator()(double x) const { return float_value(type, float_bits(type, x)); }

  [[nodiscard]] double chain(const Numbers& x) const {
    double v = 0;
    for (const double term : x) v = (*this)(v + term);
    return v;
  }
  [[nodiscard]] double tree(Numbers x) const {
    for (std::size_t width = x.size(); width > 1; width = (width + 1) / 2) {
      const std::size_t half = (width + 1) / 2;
      for (std::size_t k = 0; k + half < width; ++k) x[k] = (*this)(x[k] + x[k + half]);
    }
    return x[0];
  }
  [[nodiscard]] double divided(double total, std::size_t n) const {
    return (*this)(total / static_cast<double>(n));
  }
  [[nodiscard]] double by_reciprocal(double total, std::size_t n) const {
    return (*this)(total * (*this)(1 / static_cast<double>(n)));
  }
  /// Welford's, by so many threads, whose means are merged in halves.
  [[nodiscard]] double running(const Numbers& x, std::size_t threads,
                               bool reciprocal = false) const {
    const auto& r = *this;
    Numbers mean(threads), count(threads);
    for (std::size_t k = 0; k < x.size(); ++k) {
      double& m = mean[k % threads];
      const double c = ++count[k % threads], apart = r(x[k] - m);
      m = r(m + (reciprocal ? r(apart * r(1 / c)) : r(apart / c)));
    }
    for (std::size_t half = threads / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) {
        const double more = count[k + half];
        if (more == 0) continue;
        const double both = count[k] + more, apart = r(mean[k + half] - mean[k]);
        mean[k] = count[k] == 0 ? mean[k + half] : r(mean[k] + r(r(apart * more) / both));
        count[k] = both;
      }
    }
    return mean[0];
  }
};

/// A spec with a row, judged as a run of the kernel would be.
class Row {
 public:
  Row(Type type, const Numbers& x, const std::string& result = "mean(x)") : type_(type) {
    bind(loaded_.program,
         parse_spec("kernel k.ptx\nin x:" + std::string(name(type)) +
                        "[n]\nout y:" + std::string(name(type)) +
                        "[1]\nlaunch grid=1 block=32\nresult y[0] = " + result + "\n",
                    "t.gauntlet"));
    case_.variant = "t.gauntlet";
    case_.sizes = {{"n", x.size()}};
    Buffer in{.name = "x", .bytes = x.size() * size_of(type)};
    for (const double value : x) add(in.content, value);
    plan_.buffers = {in, {.name = "y", .bytes = size_of(type)}};
  }
  void calls_fast() { loaded_.calls_fast = true; }

  /// What is wrong with it; empty where nothing is.
  [[nodiscard]] std::string wrong(double got) const {
    Observation seen;
    seen.completed = true;
    ObservedBuffer out{.name = "y", .type = type_, .bytes = {}, .defined = {true}};
    add(out.bytes, got);
    seen.buffers = {out};
    const Verdict verdict = judge(loaded_, case_, plan_, seen);
    return verdict.ok ? "" : verdict.findings.at(0).detail;
  }

 private:
  void add(std::vector<std::byte>& bytes, double value) const {
    bytes.resize(bytes.size() + size_of(type_));
    store_bits(type_, bytes.data() + bytes.size() - size_of(type_), float_bits(type_, value));
  }
  Type type_;
  Loaded loaded_;
  Case case_;
  Plan plan_;
};

const std::map<std::string, std::function<double(std::size_t, std::mt19937_64&)>> contents{
    {"ones", [](std::size_t, auto&) { return 1; }},
    {"thirds", [](std::size_t, auto&) { return 1.0 / 3; }},
    {"counted", [](std::size_t k, auto&) { return static_cast<double>(k); }},
    {"small whole numbers", [](std::size_t, auto& r) { return static_cast<double>(r() % 9) - 3; }},
    {"uniform",
     [](std::size_t, auto& r) { return std::ldexp(static_cast<double>(r() >> 12), -52); }},
    {"of both signs",
     [](std::size_t, auto& r) { return std::ldexp(static_cast<double>(r() >> 12), -51) - 1; }},
    {"cancelling", [](std::size_t k, auto&) {
       const double size =
           std::ldexp(1 + static_cast<double>(k / 2 % 7) / 8, static_cast<int>(k / 2 % 5));
       return k % 2 == 0 ? size : -size;
     }}};

Numbers content(const std::string& which, std::size_t n, Machine round) {
  std::mt19937_64 random(n);
  Numbers x;
  for (std::size_t k = 0; k < n; ++k) x.push_back(round(contents.at(which)(k, random)));
  return x;
}

const std::size_t lengths[] = {1, 2, 3, 5, 31, 32, 33, 100, 1000, 6000, 6037, 6100};

TEST(SpecMean, is_a_quotient_a_product_with_the_reciprocal_or_a_running_mean) {
  for (const Type type : {Type::f32, Type::f64, Type::f16}) {
    const Machine machine{type};
    for (const auto& [which, unused] : contents) {
      for (const std::size_t n : lengths) {
        const Numbers x = content(which, n, machine);
        const Row row(type, x);
        const std::string where =
            which + ", " + std::to_string(n) + " of " + std::string(name(type));
        for (const double total : {machine.chain(x), machine.tree(x)}) {
          EXPECT_EQ(row.wrong(machine.divided(total, n)), "") << where;
          EXPECT_EQ(row.wrong(machine.by_reciprocal(total, n)), "") << where;
        }
        for (const std::size_t threads : {1, 2, 32, 128}) {
          for (const bool reciprocal : {false, true}) {
            EXPECT_EQ(row.wrong(machine.running(x, threads, reciprocal)), "")
                << where << ", " << threads << " threads, " << reciprocal;
          }
        }
      }
    }
  }
}

/// The mean of something else, computed as it should be.
void expect_all_wrong(Type type, const Numbers& x, const Numbers& others, std::size_t count,
                      const std::string& what) {
  const Machine machine{type};
  const Row row(type, x);
  const double total = machine.tree(others);
  const std::string where =
      what + ", " + std::to_string(x.size()) + " of " + std::string(name(type));
  EXPECT_NE(row.wrong(machine.divided(total, count)), "") << where;
  EXPECT_NE(row.wrong(machine.by_reciprocal(total, count)), "") << where;
}

void expect_near_misses_wrong(Type type, const Numbers& x, const std::string& what) {
  const std::size_t n = x.size();
  Numbers fewer = x, more = x;
  fewer.back() = 0;
  more.push_back(x.back());
  expect_all_wrong(type, x, fewer, n, what + " without the last");
  expect_all_wrong(type, x, more, n, what + " with the last twice");
  expect_all_wrong(type, x, x, n + 1, what + " by one more");
  if (n > 1) expect_all_wrong(type, x, x, n - 1, what + " by one less");
  const Machine machine{type};
  const double mean = machine.divided(machine.tree(x), n);
  const double off = machine(mean * (1 + std::ldexp(1, type == Type::f16 ? -6 : -12)));
  EXPECT_NE(Row(type, x).wrong(off), "") << what << n;
}

TEST(SpecMean, of_exact_data_lacks_no_element_and_counts_none_twice) {
  const std::map<Type, std::vector<std::size_t>> counted{
      {Type::f32, {2, 3, 5, 31, 100, 1000, 5000}},
      {Type::f64, {2, 3, 5, 31, 100, 1000, 6000, 6100}},
      {Type::f16, {2, 3, 5, 31}}};
  for (const auto& [type, sizes] : counted) {
    for (const std::size_t n : sizes) {
      expect_near_misses_wrong(type, content("counted", n, {type}), "counted");
      expect_near_misses_wrong(type, content("ones", n, {type}), "ones");
      const Numbers x = content("counted", n, {type});
      EXPECT_NE(Row(type, x).wrong(Machine{type}.running({x.begin(), x.end() - 1}, 1)), "") << n;
    }
  }
  for (std::size_t n = 6000; n <= 6100; ++n) {
    expect_near_misses_wrong(Type::f32, content("ones", n, {Type::f32}), "ones");
  }
}

TEST(SpecMean, of_rounded_data_lacks_no_element_while_that_is_more_than_rounding) {
  for (const Type type : {Type::f32, Type::f64}) {
    for (const std::string which : {"uniform", "of both signs", "small whole numbers"}) {
      for (const std::size_t n : {3, 5, 31, 100, 400}) {
        const Numbers x = content(which, n, {type});
        Numbers fewer = x, more = x;
        const auto largest = std::max_element(x.begin(), x.end()) - x.begin();
        fewer[static_cast<std::size_t>(largest)] = 0;
        more.push_back(x[static_cast<std::size_t>(largest)]);
        expect_all_wrong(type, x, fewer, n, which);
        expect_all_wrong(type, x, more, n, which);
      }
    }
  }
}

TEST(SpecMean, of_equal_elements_is_them) {
  const Numbers x(6000, 0.75);
  const Row row(Type::f32, x);
  EXPECT_EQ(row.wrong(x[0]), "");
  EXPECT_NE(row.wrong(x[0] * (1 + 0x1p-12)), "");
}

/// Advice is what makes the value right that it is given for.
TEST(SpecMean, a_product_with_the_reciprocal_is_advised_where_it_is_not_the_formula) {
  const Machine machine{Type::f32};
  const std::string advice =
      "; right with `a * (1.0 / b)` in place of `a / b`: write that where the kernel multiplies by "
      "a reciprocal";
  int told = 0;
  for (std::size_t n = 3; n < 200; ++n) {
    const Numbers x = content("ones", n, machine);
    const double got = machine.by_reciprocal(static_cast<double>(n) + 4, n);
    Numbers other = x;
    other[0] = 5;
    const std::string wrong = Row(Type::f32, other, "sum(x) / n").wrong(got);
    if (wrong.empty()) continue;
    ++told;
    EXPECT_TRUE(wrong.ends_with(advice)) << wrong;
    EXPECT_EQ(Row(Type::f32, other, "sum(x) * (1.0 / n)").wrong(got), "");
    // Another mistake is none of that.
    EXPECT_EQ(Row(Type::f32, other, "sum(x) / n").wrong(got * 1.001).find("right"),
              std::string::npos);
  }
  EXPECT_GT(told, 10);
}

TEST(SpecMean, fast_functions_are_advised_where_the_kernel_calls_some) {
  const Numbers x{1, 1, 5};
  const double got = 7.0F / 3 * (1 + 0x1.8p-23);
  Row row(Type::f32, x, "sum(x) / n");
  EXPECT_EQ(row.wrong(got).find("fast"), std::string::npos) << row.wrong(got);
  row.calls_fast();
  EXPECT_NE(row.wrong(got).find("write `fast` behind the formula"), std::string::npos);
  EXPECT_EQ(Row(Type::f32, x, "sum(x) / n fast").wrong(got), "");
}

/// The same, of kernels.
class Advice : public test::SpecKernels {
 protected:
  properties::FormReport checked(const std::string& kernel, const std::string& result,
                                 const std::string& more) {
    const auto ptx =
        std::filesystem::relative(std::filesystem::path(GAUNTLET_SPEC_PTX) / "means.ptx", folder_);
    const auto path = (folder_ / "t.gauntlet").string();
    std::ofstream(path) << "kernel " << ptx.string() << " '" << kernel
                        << "'\nsize rows = 1..32\nsize columns = 1..600\n"
                           "in x:f32[rows, columns]\nout y:f32[rows]\n"
                        << more
                        << "arg columns:i32 = columns\nlaunch grid=rows block=32\nresult y[r] = "
                        << result << "\n";
    return check(path);
  }
  /// What the first counterexample says.
  std::string told(const std::string& kernel, const std::string& result,
                   const std::string& more = "") {
    const auto form = checked(kernel, result, more);
    if (form.counterexamples.empty()) return "holds";
    return form.counterexamples.front().findings.front().detail;
  }
};

TEST_P(Advice, makes_the_kernel_hold) {
  const std::string by_reciprocal = "mean_by_reciprocal<true>";
  const auto product = told(by_reciprocal, "sum(x[r, ..]) / columns");
  EXPECT_NE(product.find("`a * (1.0 / b)` in place of `a / b`"), std::string::npos) << product;
  EXPECT_EQ(product.find("fast"), std::string::npos) << product;
  EXPECT_EQ(told(by_reciprocal, "sum(x[r, ..]) * (1.0 / columns)"), "holds");
  const auto approximate = told("exponential<true>", "exp(sum(x[r, ..]))");
  EXPECT_NE(approximate.find("write `fast`"), std::string::npos) << approximate;
  EXPECT_EQ(told("exponential<true>", "exp(sum(x[r, ..])) fast"), "holds");
  // A precise function has an approximate instruction in it too.
  const auto precise = told("exponential<false>", "exp(sum(x[r, ..]))");
  EXPECT_NE(precise.find("got "), std::string::npos) << precise;
  EXPECT_EQ(precise.find("; right "), std::string::npos) << precise;
}

/// Each step of a running mean is a function of the one before it, with factors of its own.
TEST_P(Advice, has_a_proof_of_long_rows) {
  const auto path = (folder_ / "t.gauntlet").string();
  (void)told("running_mean<true>", "mean(x[r, ..])", "arg rows:i32 = rows\n");
  const std::atomic<bool> interrupted{false};
  const Specs specs({path}, interrupted);
  const auto why = [&](std::uint64_t rows, std::uint64_t columns) {
    Case c{.variant = path, .form = "spec"};
    c.sizes = {{"rows", rows}, {"columns", columns}};
    const auto proof = prove(specs, c).proof;
    return proof.cause ? proof.cause->what : "proved as " + proof.as;
  };
  EXPECT_EQ(why(2, 100), "proved as reals");
  EXPECT_EQ(why(2, 400), "proved as reals");
}

INSTANTIATE_TEST_SUITE_P(Own, Advice, testing::Values("advice"));

}  // namespace
}  // namespace gauntlet::spec
