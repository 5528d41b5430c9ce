// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// An Executor turns a Case into an Observation. It judges nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/finding.hpp"

namespace gauntlet {

/// What a run cost, summed over its launches. Zero where an executor cannot count.
struct Counters {
  std::uint64_t launches = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;  ///< completed block barriers
  std::uint64_t atomics = 0;   ///< thread-level
  bool operator==(const Counters&) const = default;
};
constexpr auto fields(const Counters*) {
  return std::tuple{field("launches", &Counters::launches),
                    field("warp_instructions", &Counters::warp_instructions),
                    field("thread_instructions", &Counters::thread_instructions),
                    field("divergent_branches", &Counters::divergent_branches),
                    field("barriers", &Counters::barriers),
                    field("atomics", &Counters::atomics)};
}

/// The content of one observed buffer after the run (kernels/plan.hpp says which are observed and
/// what each cell covers).
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
};

class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Runs the case. Throws CaseError when the variant, form, types or operator have no kernel, or
  /// when the case needs more memory than there is.
  /// Safe to call from several threads at once.
  [[nodiscard]] virtual Observation run(const Case& c) = 0;
  /// The same CaseErrors before anything runs, for a list of cases that comes from outside.
  virtual void check_memory(const Case&) const {}
  /// False: it only sees the consequences of undefined behaviour, if there are any. Then what the
  /// catalogue expects of a form may stay unseen, or show as something else.
  [[nodiscard]] virtual bool sees_everything() const { return true; }
};

}  // namespace gauntlet
