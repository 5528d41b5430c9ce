// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the properties get variants, compiled instances and plans from. A test puts its own small
// catalogue in the place of the compiled one.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::properties {

struct Source {
  const std::vector<kernels::Variant>* variants = nullptr;
  std::function<std::vector<kernels::Instance>(std::string_view variant, std::string_view form)>
      instances;
  std::function<kernels::Plan(const Case&)> plan;  ///< as kernels::plan
};

/// The compiled kernels.
[[nodiscard]] const Source& compiled_kernels();

/// One thing to generate cases for.
struct Subject {
  std::string variant;
  std::string form;
  kernels::Instance instance;
  std::vector<std::string> schedules;  ///< drawn more often than others; may be empty
};

}  // namespace gauntlet::properties
