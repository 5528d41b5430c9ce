// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs of kernels of a few instructions, for what a proof knows of numbers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "properties/language/proof.hpp"

namespace gauntlet::spec::test {

/// A kernel of one thread over the n elements of x and w, and its spec. `each` is done for every
/// element: `$4` is the place of the element in an array of 4 bytes. Registers: %h of 16 bits, %f,
/// %d, %r, %l of 64, %p; the arrays' addresses are in %x, %w and %y.
struct Spelled {
  std::string what;  ///< snake_case, the name of the test
  std::string x, y;  ///< types
  std::string formula;
  std::string begin, each, end;
  std::string why;             ///< it is not proved: part of the reason
  std::string functions = {};  ///< else those that are printed, and assumed
  std::string assumed = {};    ///< besides: among finite, no_subnormals and no_underflow
  std::string odd = {};        ///< in place of `each`, for elements 1, 3, ...
  std::uint64_t n = 3;
  std::string cells = "1";
  std::string data = "ones iota";
  std::string w = {};  ///< how w is made: " = random(0, 9)"
};
inline void PrintTo(const Spelled& s, std::ostream* out) { *out << s.what; }
inline std::string what(const testing::TestParamInfo<Spelled>& info) { return info.param.what; }

inline constexpr const char* first_lines = R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 pw, .param .u64 py)
{
  .reg .pred %p<9>;
  .reg .b16 %h<9>;
  .reg .b32 %r<9>;
  .reg .b64 %l<9>, %x, %w, %y;
  .reg .f32 %f<9>;
  .reg .f64 %d<9>;
  ld.param.u64 %x, [px];
  ld.param.u64 %w, [pw];
  ld.param.u64 %y, [py];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
)";

inline std::string ptx(const Spelled& s) {
  std::string text = first_lines + s.begin;
  for (std::uint64_t i = 0; i < s.n; ++i) {
    const auto& each = i % 2 == 1 && !s.odd.empty() ? s.odd : s.each;
    for (std::size_t k = 0; k < each.size(); ++k) {
      if (each[k] == '$') {
        text += std::to_string(i * static_cast<std::uint64_t>(each[++k] - '0'));
      } else {
        text += each[k];
      }
    }
    text += '\n';
  }
  return text + s.end + "done:\nret;\n}\n";
}

inline prove::Proof proof_of(const Spelled& s) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("numbers.{}", getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "k.ptx") << ptx(s);
  const std::atomic<bool> interrupted{false};
  const Specs specs({{.path = (folder / "k.gauntlet").string(),
                      .text = fmt::format("kernel k.ptx\nsize n = 1..1000\nin x:{0}[n]\n"
                                          "in w:{0}[n]{5}\nout y:{1}[{2}]\nlaunch grid=1 block=32\n"
                                          "data {3}\nresult {4}\n",
                                          s.x, s.y, s.cells, s.data, s.formula, s.w)}},
                    interrupted);
  fs::remove_all(folder);
  Case c;
  c.variant = specs.variants().front().id;
  c.form = "spec";
  c.sizes = {{"n", s.n}};
  c.data = Data::ones;
  return prove(specs, c).proof;
}

/// Proves it, or does not, as it says.
inline void is_as_spelled(const Spelled& s) {
  const auto proof = proof_of(s);
  EXPECT_EQ(proof.proved(), s.why.empty()) << prove::text(proof);
  if (!s.why.empty()) {
    ASSERT_TRUE(proof.cause);
    EXPECT_NE(proof.cause->what.find(s.why), std::string::npos) << prove::text(proof);
    return;
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(proof.functions, ", ")), s.functions);
  std::vector<std::string> assumed;
  for (const auto* word : {"finite", "no_subnormals", "no_underflow"}) {
    if (std::count(proof.assumed.begin(), proof.assumed.end(), word) != 0) assumed.push_back(word);
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(assumed, ", ")), s.assumed);
  EXPECT_EQ(std::count(proof.assumed.begin(), proof.assumed.end(), "functions"),
            s.functions.empty() ? 0 : 1);
}

inline std::string load(const std::string& type, const std::string& to,
                        const std::string& array = "x") {
  const std::string size(1, static_cast<char>('0' + std::stoi(type.substr(1)) / 8));
  return fmt::format("ld.global.{} {}, [%{}+${}];\n", type, to, array, size);
}
inline const std::string zero32 = "mov.f32 %f1, 0f00000000;\n",
                         zero64 = "mov.f64 %d1, 0d0000000000000000;\n",
                         least32 = "mov.f32 %f1, 0fFF800000;\n",
                         least64 = "mov.f64 %d1, 0dFFF0000000000000;\n",
                         put32 = "st.global.f32 [%y], %f1;\n", put64 = "st.global.f64 [%y], %d1;\n";
inline const std::string add32 = "add.f32 %f1, %f1, %f2;", add64 = "add.f64 %d1, %d1, %d2;";
inline const std::string other = "is not the formula's", function = "a function that rounds";

/// Sums and maxima into f32 or f64, of elements that come into %f2 or %d2 in some way.
inline Spelled summed32(std::string what, std::string x, std::string each, std::string why = {}) {
  return {std::move(what), std::move(x), "f32", "y[0] = sum(x)",
          zero32,          each + add32, put32, std::move(why)};
}
inline Spelled summed64(std::string what, std::string x, std::string each, std::string why = {}) {
  return {std::move(what), std::move(x), "f64", "y[0] = sum(x)",
          zero64,          each + add64, put64, std::move(why)};
}
inline Spelled greatest32(std::string what, std::string x, std::string each, std::string why = {}) {
  return {std::move(what), std::move(x),  "f32",
          "y[0] = max(x)", least32,       each + "max.f32 %f1, %f1, %f2;",
          put32,           std::move(why)};
}
/// y[i] of x[i].
inline Spelled mapped(std::string what, std::string x, std::string y, std::string formula,
                      std::string each, std::string why = {}) {
  Spelled s{std::move(what), std::move(x), std::move(y),  "y[i] = " + formula, "",
            std::move(each), "",           std::move(why)};
  s.cells = "n";
  return s;
}

}  // namespace gauntlet::spec::test
