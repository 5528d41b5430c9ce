// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Markdown as code hosts render it, with Mermaid's sequence diagrams of witnesses: for a job's
// summary, a comment, a page.
#pragma once

#include <string>
#include <vector>

#include "interface/formats/witnesses.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::formats {

/// Threads and cells as columns, stores and loads as arrows in the order of the schedule: the text
/// of a ```mermaid block, without the fence. Empty where there are no steps.
[[nodiscard]] std::string mermaid(const witness::Decision& decision);

/// A heading, the result in both schedules, the diagram and the line that replays it.
[[nodiscard]] std::string markdown(const FormWitness& witness);

/// The result in one line, a table of what is not as expected with the case that shows it, and the
/// witnesses, folded.
[[nodiscard]] std::string markdown(const properties::CheckReport& report,
                                   const std::vector<FormWitness>& witnesses);

}  // namespace gauntlet::formats
