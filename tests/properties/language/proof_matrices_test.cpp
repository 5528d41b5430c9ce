// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices by tensor cores, beside each the nearest that is another one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/os/temporary_folder.hpp"
#include "properties/language/proof.hpp"
#include "properties/language/source.hpp"
#include "properties/prove/equal.hpp"

namespace gauntlet::spec {
namespace {

using prove::Verdict;

const std::string by_rows = "y[r, c] = sum(x[r, k] * w[k, c] for k in 0 .. 16 * steps)",
                  by_columns = "y[r, c] = sum(x[r, ..] * w[c, ..])";

/// A spec of a kernel of matrices.cu whose x has 16 rows.
struct Product {
  std::string kernel, result = by_rows, y = "f32", numbers = "f16";
  int columns = 16, step = 16;

  [[nodiscard]] std::string text() const {
    const std::string w = result.starts_with(by_columns)
                              ? fmt::format("{}, {} * steps", columns, step)
                              : fmt::format("{} * steps, {}", step, columns);
    return fmt::format(
        "kernel matrices.ptx '{}'\nsize steps = 2\nin x:{}[16, {} * steps] align 32\n"
        "in w:{}[{}] align 32\nout y:{}[16, {}] align 32\narg length:i32 = {} * steps\n"
        "launch grid=1 block={}\nresult {}\n",
        kernel, numbers, step, numbers, w, y, columns, step, kernel.starts_with("plain") ? 256 : 32,
        result);
  }
};

class Products : public ::testing::Test {
 protected:
  std::string path_of(const Product& p) {
    namespace fs = std::filesystem;
    fs::copy_file(GAUNTLET_SPEC_PTX "/matrices.ptx", folder_.path() / "matrices.ptx",
                  fs::copy_options::overwrite_existing);
    const fs::path path = folder_.path() / fmt::format("product_{}.gauntlet", ++count_);
    std::ofstream(path) << p.text();
    return path.string();
  }
  prove::Proof proof_of(const Product& p) {
    const std::string path = path_of(p);
    const Specs specs({path}, interrupted_);
    return prove(specs, case_of(specs, path)).proof;
  }
  std::string why(const Product& p) {
    const auto found = proof_of(p);
    if (found.proved()) return "proved";
    return found.verdict == Verdict::refuted ? "refuted" : found.cause->what;
  }
  prove::Equality equality(const Product& a, const Product& b) {
    const std::string x = path_of(a), y = path_of(b);
    const Specs one({x}, interrupted_), other({y}, interrupted_);
    return prove::equal({one, case_of(one, x)}, {other, case_of(other, y)});
  }

 private:
  static Case case_of(const Specs& specs, const std::string& path) {
    Case c = draw(specs.loaded(path), 1, 50);
    c.schedule = "lockstep";
    return specs.completed(c);
  }

  const std::atomic<bool> interrupted_{false};
  os::TemporaryFolder folder_;
  int count_ = 0;
};

TEST_F(Products, are_sums_of_products_with_a_bound_for_what_tensor_cores_round) {
  const auto found = proof_of({.kernel = "tile_product<true>"});
  ASSERT_TRUE(found.proved()) << prove::text(found);
  EXPECT_EQ(found.cells, 256U);
  EXPECT_EQ(found.depth.most, 3 * 31U);  // three for each product but the first
  for (const char* name : {"tensor_cores", "no_subnormals", "no_overflow"}) {
    EXPECT_EQ(std::ranges::count(found.assumed, name), 1) << name;
  }
  EXPECT_EQ(why({.kernel = "mma_product<true>", .result = by_columns, .columns = 8, .step = 8}),
            "proved");
}

TEST_F(Products, that_are_nearly_those_of_the_formula_are_not_proved) {
  for (const char* kernel : {"tile_product<false>", "tile_defect<2>", "tile_defect<3>",
                             "tile_defect<4>", "tile_defect<5>"}) {
    EXPECT_NE(why({.kernel = kernel}), "proved") << kernel;
  }
  EXPECT_NE(why({.kernel = "mma_product<false>", .result = by_columns, .columns = 8, .step = 8}),
            "proved");
  const std::string kernel = "tile_product<true>";
  EXPECT_NE(why({.kernel = kernel, .result = by_columns}), "proved");
  EXPECT_NE(why({.kernel = kernel, .result = by_rows + " + x[r, c]"}), "proved");
  EXPECT_NE(why({.kernel = kernel, .result = "y[r, c] = sum(x[r, k] * w[k, c] for k in 0 .. 31)"}),
            "proved");
}

TEST_F(Products, of_bytes_are_exact) {
  const Product bytes{"byte_product<true>", by_columns, "i32", "i8"};
  const auto found = proof_of(bytes);
  ASSERT_TRUE(found.proved()) << prove::text(found);
  EXPECT_EQ(std::ranges::count(found.assumed, "tensor_cores"), 0);
  EXPECT_NE(why({"byte_product<false>", by_columns, "i32", "i8"}), "proved");
}

TEST_F(Products, that_are_added_in_half_precision_are_not_those_of_single) {
  const Product halves{"half_product<0>", by_rows, "f16"};
  Product in_single = halves;
  in_single.result += " accumulate f32";
  EXPECT_NE(why(in_single).find("rounded to 11 bits"), std::string::npos) << why(in_single);
  EXPECT_EQ(why(halves), "proved");  // in the output's type
  EXPECT_NE(why({"half_product<3>", by_rows, "f16"}), "proved");
}

TEST_F(Products, by_tensor_cores_equal_those_of_single_elements_as_reals_and_never_bit_for_bit) {
  const Product tiles{.kernel = "tile_product<true>"}, plain{.kernel = "plain_product<true>"};
  const auto reals = equality(tiles, plain);
  EXPECT_EQ(reals.verdict, prove::Equal::as_reals);
  EXPECT_EQ(reals.roundings_a, 3 * 32U);  // nothing vanishes, not even a zero that is begun with
  EXPECT_EQ(std::ranges::count(reals.assumed, "tensor_cores"), 1);
  EXPECT_EQ(equality(tiles, tiles).verdict, prove::Equal::as_reals);
  for (const char* kernel : {"plain_product<false>", "tile_defect<2>", "tile_defect<3>"}) {
    const auto other = equality(tiles, {.kernel = kernel});
    EXPECT_TRUE(other.verdict != prove::Equal::as_reals && other.verdict != prove::Equal::bitwise)
        << kernel;
  }
}

}  // namespace
}  // namespace gauntlet::spec
