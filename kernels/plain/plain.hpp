// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a form as plain CUDA: one file that compiles by itself, of one instance, with the
// templates folded. It behaves as the form does (tests/kernels/plain_test.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"

namespace gauntlet::kernels {

struct Folded {
  std::string text;
  std::vector<std::uint32_t> lines;  ///< of NAME.cu, of each line of the text; 0: of none
};

/// Every `#if` is decided, and T, ACC, OP and IDENTITY are those of the
/// instance. `block` 0: the block size is no constant of the form.
[[nodiscard]] Folded folded(const Row& row, const Form& form, const Instance& instance,
                            std::uint32_t block);

struct PlainSource {
  std::string name;         ///< "VARIANT@FORM"
  Instance instance;        ///< that it is written for
  std::uint32_t block = 0;  ///< that it is written for; 0: any
  std::string text;         ///< begins with a comment about the form
  /// Lines of `text`, from 1, that come from a line of the kernels' sources: of "tree.cuh:20".
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> lines;

  /// Of a finding's place ("kernels/tree.cuh", 20); empty where it is in none of these files.
  [[nodiscard]] std::vector<std::uint32_t> lines_of(std::string_view file,
                                                    std::uint32_t line) const;
};

/// Nothing where there is none: what a function of the host launches, and a `block` that the kernel
/// is not compiled for or that its text does not fit. `block` 0: the one that it is written for.
[[nodiscard]] std::optional<PlainSource> plain_source(const Variant& variant, const Form& form,
                                                      std::uint32_t block = 0);

/// `main` for the source: allocates and fills what the case's plan has, launches the kernels, and
/// prints the result and what it must be. Ones as data, `n` elements, a block where any will do.
/// Throws CaseError.
[[nodiscard]] std::string plain_main(const PlainSource& source, const Case& c);

}  // namespace gauntlet::kernels
