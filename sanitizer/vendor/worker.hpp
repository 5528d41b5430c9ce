// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that runs under a vendor tool: each job plainly, as a user's host code would. Buffers
// are allocations of exactly their size, inputs and initial values are copied, the kernels are
// launched, the outputs copied back and judged. Nothing else runs on the device, so that whatever a
// tool reports is about the job.
#pragma once

#include <iosfwd>

#include "properties/hunt/subject.hpp"

namespace gauntlet::sanitizer {

struct WorkerOptions {
  unsigned gpu = 0;
  /// Memory that the plan leaves undefined is filled with a pattern, by which an unwritten output
  /// is known. Off under initcheck, to which a filled cell is an initialised one.
  bool fill = true;
  /// Waits a moment after each job, so that what the tool prints of it comes before its end. Under
  /// racecheck this is how records find their job.
  bool settle = false;
};

/// Runs the jobs that `in` lists (sanitizer/vendor/transcript.hpp) and tells of each on `out`,
/// flushed. Ends with the input or with a CUDA error that nothing can run after. Returns the exit
/// code: 0, or 3 where no GPU can be used.
[[nodiscard]] int run_worker(std::istream& in, std::ostream& out, const WorkerOptions& options,
                             const properties::Subject& subject);

}  // namespace gauntlet::sanitizer
