// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A CUDA kernel under test, from a test program of your own. No GPU is needed: the kernel's PTX
// runs on a SIMT machine in software, over drawn sizes, data and schedules; what fails is shrunk.
//
//   #include <gauntlet/gauntlet.hpp>
//
//   TEST(BlockSum, holds) {
//     gauntlet::Kernel k("block_sum.cu", "block_sum<256>");
//     k.in<float>("x", "n")
//         .out<float>("y", "grid")
//         .arg<unsigned>("n", "n")
//         .launch("grid=max(1, ceil(n / 256)) block=256")
//         .result("y[b] = sum(x[b * 256 .. (b + 1) * 256])");
//     EXPECT_TRUE(gauntlet::holds(k));  // prints the smallest case that fails, and what it does
//   }
//
// Each member function that declares something writes one statement of the spec language
// (docs/own_kernels.md): what it takes is what stands behind the statement's word, counts and
// conditions are expressions of sizes as there. `Kernel::text` gives the whole spec.
//
// A kernel that does something wrong makes a Result false. What cannot be tried at all is an Error:
// a statement that cannot be read, no nvcc, a kernel that does not compile, parameters that do not
// fit.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gauntlet/element.hpp"
#include "gauntlet/reference.hpp"

namespace gauntlet {

class Kernel;
namespace detail {
struct Compiled;
std::string named(const Kernel& kernel, std::string text);
}  // namespace detail

/// What a kernel takes, how it is launched, what must come out. Copies share the compiled kernel.
/// Not to be changed or first used by two threads at once.
class Kernel {
 public:
  /// `file`: .cu, .ptx, or a header with kernels; relative to the working directory. `entry` is
  /// needed where the file has several kernels; with template arguments it is instantiated. A .cu
  /// file is compiled by nvcc (of PATH, CUDA_HOME or /usr/local/cuda) when first tried.
  explicit Kernel(const std::string& file, const std::string& entry = {});
  /// PTX text, from NVRTC for example. Throws Error where it cannot be kept.
  [[nodiscard]] static Kernel from_ptx(const std::string& ptx, const std::string& entry = {});
  /// A spec file; statements may be added. Throws Error where it cannot be read.
  [[nodiscard]] static Kernel from_spec(const std::string& path);

  /// Flags for nvcc, apart by blanks; a relative -I is relative to the working directory.
  Kernel& flags(std::string_view words) { return statement("flags", words); }
  /// A free size besides n (0..4096), rows (1..64) and columns (1..1024): "k", "1..64" or "1,2,4".
  Kernel& size(std::string_view name, std::string_view values);
  /// A name for an expression of sizes.
  Kernel& let(std::string_view name, std::string_view expression);

  /// The kernel's parameters, in its order. `count`: "n", or "rows, columns" (row-major). `more`:
  /// "= CONTENT" ("= 0", "= iota", "= sorted", "= random(0, 9)"), "kept", "align BYTES"; all
  /// contents are in docs/own_kernels.md, `gauntlet help spec`.
  template <Element T>
  Kernel& in(std::string_view name, std::string_view count, std::string_view more = {}) {
    return array("in", name, type_name<T>(), count, more);
  }
  template <Element T>
  Kernel& out(std::string_view name, std::string_view count, std::string_view more = {}) {
    return array("out", name, type_name<T>(), count, more);
  }
  template <Element T>
  Kernel& inout(std::string_view name, std::string_view count, std::string_view more = {}) {
    return array("inout", name, type_name<T>(), count, more);
  }
  template <Element T>
  Kernel& scratch(std::string_view name, std::string_view count, std::string_view more = {}) {
    return array("scratch", name, type_name<T>(), count, more);
  }
  template <Element T>
  Kernel& arg(std::string_view name, std::string_view value) {
    return scalar(name, type_name<T>(), value);
  }

  /// "grid=ceil(n / block) block=32..1024 shared=4 * block"; several run in their order.
  Kernel& launch(std::string_view how) { return statement("launch", how); }
  /// The kernel's contract: cases outside it are not run.
  Kernel& require(std::string_view condition) { return statement("require", condition); }
  /// "y[b] = sum(x[b * block .. (b + 1) * block])", or "none": then values are judged by the
  /// reference, if there is one, and else only compared between schedules.
  Kernel& result(std::string_view what) { return statement("result", what); }
  /// A known defect, "race_read_write warps": then the kernel holds if exactly these are found.
  Kernel& expect(std::string_view finding) { return statement("expect", finding); }
  /// The launches are made so often, one behind the other: tickets are to be left as they were.
  Kernel& repeat(unsigned times) { return statement("repeat", std::to_string(times)); }
  /// Any other statement of the language: statement("types", "x y: f32 f64").
  Kernel& statement(std::string_view word, std::string_view rest);
  /// Distributions to draw inputs from, in place of the usual ones: "ones uniform with_nan".
  Kernel& data(std::string_view distributions) { return statement("data", distributions); }

  /// What the arrays must hold, computed on the host: a callable that takes the declarations in
  /// their order, `in` as std::span<const T>, `out` and `inout` as std::span<T>, `arg` as T,
  /// `scratch` left out; and anywhere a `const Sizes&`. Spans hold what the arrays hold before the
  /// launch (an `out` zeros, where it has no content); afterwards every element of the writable
  /// ones is what the kernel must have left. A lambda with `auto` parameters is not taken.
  ///
  ///   k.reference([](std::span<const float> x, std::span<float> y, unsigned n) { ... });
  ///
  /// It is called by as many threads at once as Options::jobs says. An exception that it throws
  /// makes the Result false.
  template <class F>
  Kernel& reference(F callable, Tolerance tolerance = {}) {
    return set_reference(detail::make_reference(std::function(std::move(callable))), tolerance);
  }

  /// The spec, as far as it has been written.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend detail::Compiled& compiled(const Kernel& kernel);
  friend std::string detail::named(const Kernel& kernel, std::string text);
  Kernel() = default;
  Kernel& array(std::string_view role, std::string_view name, std::string_view type,
                std::string_view count, std::string_view more);
  Kernel& scalar(std::string_view name, std::string_view type, std::string_view value);
  Kernel& set_reference(detail::Reference reference, Tolerance tolerance);

  std::string path_, text_;
  std::string file_;  // of the kernel, where no spec was read
  bool from_file_ = false;
  std::shared_ptr<const void> keep_;  // a file of PTX text
  std::shared_ptr<const detail::Reference> reference_;
  Tolerance tolerance_;
  mutable std::shared_ptr<detail::Compiled> compiled_;
};

struct Options {
  unsigned cases = 200;    ///< drawn
  std::uint64_t seed = 1;  ///< the same seed draws the same cases, on any host
  unsigned jobs = 1;       ///< threads; changes no result
};

/// True: nothing was found but what the kernel expects, and something was run and judged.
class Result {
 public:
  /// A shrunk case that fails.
  struct Failure {
    std::string line;                   ///< "n=33 block=64 data=iota", for holds_at
    std::vector<std::string> findings;  ///< "race_read_write warps": kind and array
  };

  explicit operator bool() const { return holds_; }
  /// What was tried, each failure and all that it does: several lines, no line feed at the end.
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  [[nodiscard]] std::uint64_t cases() const { return cases_; }
  /// Those of the cases that lie outside the kernel's contract, and were not run.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

  /// To testing::AssertionResult, by which EXPECT_TRUE(gauntlet::holds(k)) prints the message.
  template <class Assertion>
  requires std::constructible_from<Assertion, bool> && requires(Assertion& a) {
    a.failure_message();
    a << std::string();
  }
  operator Assertion() const {  // NOLINT: that is what it is for
    Assertion assertion(holds_);
    assertion << message_;
    return assertion;
  }

 private:
  friend Result holds(const Kernel& kernel, const Options& options);
  friend Result holds_at(const Kernel& kernel, std::string_view line);
  bool holds_ = false;
  std::string message_;
  std::vector<Failure> failures_;
  std::uint64_t cases_ = 0, refused_ = 0;
};
std::ostream& operator<<(std::ostream& out, const Result& result);

/// Draws cases, runs and judges them, shrinks what fails. A kernel made from a spec file has the
/// cases beside it replayed first. Throws Error.
[[nodiscard]] Result holds(const Kernel& kernel, const Options& options = {});

/// One case: every free size, and what else is not to be usual (data, seed, offset, schedule). For
/// what a failure printed, or sizes that a generator of your own draws:
///
///   rc::check([&] {
///     const auto n = *rc::gen::inRange(0, 5000);
///     const auto result = gauntlet::holds_at(k, "n=" + std::to_string(n) + " block=64");
///     RC_PRE(result.refused() == 0);
///     RC_ASSERT(bool(result));
///   });
///
/// Does not hold where the contract refuses the case: then nothing was tested. Throws Error.
[[nodiscard]] Result holds_at(const Kernel& kernel, std::string_view line);

}  // namespace gauntlet
