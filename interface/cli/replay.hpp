// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One case run and judged, as `gauntlet repro` prints it.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/property.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::cli {

struct Replay {
  std::string executor;
  const Variant* variant = nullptr;
  const Form* form = nullptr;
  properties::Run run;                  ///< the case itself, grid filled in
  properties::Examination examination;  ///< of its properties; empty when they were not asked for

  /// What is broken in runs related to the case, not already shown by the case itself.
  [[nodiscard]] std::vector<properties::Broken> related() const;
  /// Kinds and arrays of everything found, sorted, each once.
  [[nodiscard]] std::vector<Expected> shows() const;
};

/// Runs the case and, unless `alone`, the related cases of all properties. Throws CaseError.
[[nodiscard]] Replay replay(Executor& executor, const properties::Subject& subject, const Case& c,
                            bool alone);

[[nodiscard]] std::string text(const Replay& replay, const Style& style);

/// docs/json.md describes it.
[[nodiscard]] Json to_json(const Replay& replay);

}  // namespace gauntlet::cli
