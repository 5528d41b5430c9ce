// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Witnesses as text and JSON.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "properties/case/variant.hpp"
#include "properties/witness/trace.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::cli {

/// "lane 1"; blocks and warps are named only where that tells the steps apart.
[[nodiscard]] std::string thread_name(const witness::Step& step,
                                      const std::vector<witness::Step>& all);

/// The deciding steps as a table: step, thread, what it does, value, the value in the right run,
/// source line. Empty when there are none.
[[nodiscard]] std::string step_table(const witness::Decision& decision, const std::string& base,
                                     const Style& style);

/// A form's witness, or why there is none.
[[nodiscard]] std::string text(const witness::Witness& witness, const Variant& variant,
                               const Form& form, const Style& style);

/// What `repro --trace` adds.
[[nodiscard]] std::string text(const witness::Explained& explained, const Style& style);

/// docs/json.md describes it.
[[nodiscard]] Json to_json(const witness::Witness& witness, const Variant& variant,
                           const Form& form);

// What the threads of a race do, drawn in text.

/// A diagram: steps in the order of the schedule, a column for each thread, an arrow from one
/// access of a cell to the next one by another thread. `place`: of a step, for the last column.
[[nodiscard]] std::string interleaving(
    const std::vector<witness::Step>& steps,
    const std::function<std::string(const witness::Step&)>& place, const Style& style);

}  // namespace gauntlet::cli
