// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The documented kernels: who publishes them, what they claim, what is wrong with them, what each
// fix is called, and what every form must show.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet::kernels {

class Written;

/// A variant, and the two files that say all of it.
struct Row {
  Variant variant;
  std::shared_ptr<const Written> written;
  /// A function of the host decides on the launches; its forms differ in host code alone.
  bool by_host = false;
};

/// All variants in catalogue order.
[[nodiscard]] const std::vector<Variant>& catalogue();
[[nodiscard]] const Variant* find_variant(std::string_view id);
[[nodiscard]] const Row* find_row(std::string_view id);

/// The compiled (types, operator) combinations of a form, sorted.
[[nodiscard]] const std::vector<Instance>& instances(std::string_view variant,
                                                     std::string_view form);

/// The 14 (input, accumulator) pairs of the catalogue.
[[nodiscard]] const std::vector<TypePair>& type_pairs();

}  // namespace gauntlet::kernels
