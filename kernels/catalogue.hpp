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

/// Of CUB's algorithms, the one that a variant is. Its launches are not said by a spec.
enum class Cub : std::uint8_t {
  none,
  device,  ///< cub::DeviceReduce: CUB's host code decides on the launches, and the forms differ in
           ///< host code alone: all launch the kernels of the fixed one
  block,
  warp
};

/// A variant, and how it is launched: one of the two says that.
struct Row {
  Variant variant;
  Cub cub = Cub::none;
  std::shared_ptr<const Written> written = nullptr;  ///< where two files say it
};

/// All variants in catalogue order.
[[nodiscard]] const std::vector<Variant>& catalogue();
[[nodiscard]] const Variant* find_variant(std::string_view id);
[[nodiscard]] const Row* find_row(std::string_view id);

/// The compiled (types, operator) combinations of a form, read from the PTX entry names.
[[nodiscard]] const std::vector<Instance>& instances(std::string_view variant,
                                                     std::string_view form);

/// The 14 (input, accumulator) pairs of the catalogue.
[[nodiscard]] const std::vector<TypePair>& type_pairs();

}  // namespace gauntlet::kernels
