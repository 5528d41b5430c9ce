// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The final pass: times, on a GPU, the forms whose correctness is shown.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gpu/timing/configurations.hpp"
#include "gpu/timing/report/report.hpp"
#include "properties/case/executor.hpp"

namespace gauntlet::timing {

struct PassOptions {
  Request request;
  unsigned repetitions = 0;
  std::string passed_file;  ///< for the report
  /// Told before each configuration.
  std::function<void(std::size_t done, std::size_t total, const std::string& what)> progress;
  /// Told of everything that was asked for and is not timed.
  std::function<void(const NotTimed&)> note;
  const std::atomic<bool>* cancel = nullptr;
};

struct PassResult {
  Report report;
  /// False: a form that must hold was refused or gave a wrong result, the device was lost, or no
  /// form was timed.
  bool as_expected = true;
};

/// "not timed at f32 2^20: WHY", for people.
[[nodiscard]] std::string line_of(const NotTimed& what);

/// On GPU 0 of those that are visible. Throws cuda::Unavailable where there is none.
[[nodiscard]] PassResult run_pass(const PassOptions& options, const Passed& passed);

/// Slots for reductions of that many bytes when `memory` bytes may be used: enough to read a GiB,
/// at most 64, two where there is room. 0: not even one fits.
[[nodiscard]] unsigned slots_for(Type in, std::uint64_t n, std::uint64_t memory);

// What the documents say of cost and accuracy that no launch time shows (statement 19).
/// Host time of getting and giving back the partials of document D's launch (10240 floats) in each
/// call, and of finding a static array instead.
[[nodiscard]] std::vector<HostCost> allocation_costs(unsigned repetitions);

/// Sums of 10^8 real f32 elements, by kernels in which a thread adds many of them and by kernels in
/// which it adds one and the blocks' values meet in an atomic: five seeds each. `cancelled` is
/// asked before each.
[[nodiscard]] std::vector<Accuracy> accuracies(Executor& gpu,
                                               const std::function<bool()>& cancelled);

}  // namespace gauntlet::timing
