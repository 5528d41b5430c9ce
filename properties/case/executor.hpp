// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// An Executor follows the plan of a Case and gives an Observation. It plans and judges nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/counters.hpp"
#include "base/finding.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

/// The content of one observed buffer after the run (properties/case/plan.hpp says which are
/// observed and what each cell covers).
struct ObservedBuffer {
  std::string name;              ///< "out", "partials"
  Type type = Type::f32;         ///< the accumulator type
  std::vector<std::byte> bytes;  ///< cells * size_of(type)
  std::vector<bool> defined;     ///< per cell: written with a defined value
};

struct Observation {
  std::string refused;     ///< the launch contract's reason; then nothing ran and all else is empty
  bool completed = false;  ///< every launch ran to its end
  std::vector<ObservedBuffer> buffers;
  std::vector<Finding> findings;  ///< in a deterministic order
  Counters counters;
  std::string schedule;  ///< what replays this run (the case's schedule, or a longer string)
  std::string printed;   ///< by printf of the kernels, where the executor was asked to keep it
  /// The first finding that is no note; null where there is none.
  [[nodiscard]] const Finding* first_error() const {
    const auto found = std::ranges::find_if(
        findings, [](const Finding& f) { return f.severity != Severity::note; });
    return found == findings.end() ? nullptr : &*found;
  }
};

class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Runs the plan of the case: data, tail, schedule and window are the case's, all else is the
  /// plan's. Throws CaseError where the plan names a kernel that there is not, or where the case
  /// needs more memory than there is. Safe to call from several threads at once.
  [[nodiscard]] virtual Observation run(const Case& c, const Plan& plan) = 0;
  /// The same CaseError of memory before anything runs, for cases that come from outside.
  virtual void check_memory(const Case&, const Plan&) const {}
  /// False: it only sees the consequences of undefined behaviour, if there are any. Then what the
  /// catalogue expects of a form may stay unseen, or show as something else.
  [[nodiscard]] virtual bool sees_everything() const { return true; }
};

}  // namespace gauntlet
