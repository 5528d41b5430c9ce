// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an H100 (compute-sanitizer 2025.3.1) has shown something other than the rule says.
#include <vector>

#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

constexpr std::string_view early_return =
    "Threads past n return before the barrier. CUDA asks that a whole block reaches a barrier, and "
    "the SIMT machine holds a kernel to that; on this hardware threads that have exited count as "
    "arrived, and synccheck follows the hardware. The machine is right about the contract, "
    "synccheck about what happens here.";

constexpr std::string_view racing_branch =
    "The barrier is missed by threads that return because of a value which they read too early. In "
    "the runs under synccheck all threads of a block took the same branch, or those that left had "
    "exited and counted as arrived. The SIMT machine is right: another order of the same lanes "
    "breaks the barrier. The cause is a race in shared memory, which racecheck reports.";

constexpr std::string_view stopped_first =
    "Both are right. The block takes undefined cells of the input's tail into its partial result, "
    "and initcheck reports each such read. The SIMT machine follows the value until it matters, "
    "and ends this form's second launch at its overrun of the partials, before the value reaches "
    "the output.";

}  // namespace

std::span<const Exception> exceptions() {
  static const std::vector<Exception> all{
      {"redux", "documented", Tool::synccheck, {}, early_return},
      {"redux", "fixed-early_exit", Tool::synccheck, {}, early_return},
      {"single_pass_ticket", "documented", Tool::synccheck, {}, racing_branch},
      {"single_pass_ticket", "fixed-block_barrier", Tool::synccheck, {}, racing_branch},
      {"vector_batch", "documented", Tool::initcheck, {Symptom::uninitialised}, stopped_first},
      {"vector_batch",
       "fixed-bounds_check",
       Tool::initcheck,
       {Symptom::uninitialised},
       stopped_first},
  };
  return all;
}

}  // namespace gauntlet::sanitizer
