// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A scripted device in the place of the GPU: what happens to a job stands in the job.
#pragma once

#include <string>
#include <vector>

#include "gpu/executor/wire.hpp"
#include "gpu/executor/worker.hpp"

namespace gauntlet::cuda {

/// Job::identity of a scripted job.
enum class Script : std::uint64_t {
  answer = 0,      ///< the result's one cell holds the job's n
  slow_answer,     ///< the same after 2 ms; "PID BEGIN END" goes to the file LOG.spans
  fault,           ///< the device is lost, alone or with others
  fault_together,  ///< only when other jobs run with it
  hang,
  crash,       ///< the process kills itself
  crash_once,  ///< unless it has run before
  reject,
  load,     ///< says that it loads, takes 400 ms, then answers
  wrong_id  ///< answers a question that nobody asked
};

/// A job that the scripted device takes for what `script` says.
[[nodiscard]] Job scripted(std::uint64_t n, Script script);

/// The frame of a batch of these jobs.
[[nodiscard]] Bytes batch_of(const std::vector<Job>& jobs, bool careful);

/// The n that an answer carries.
[[nodiscard]] std::uint64_t answered(const Result& result);

/// Every job that starts is noted in the file, a line "N SCRIPT". `launchers`: as Hello's.
[[nodiscard]] std::unique_ptr<Device> make_fake_device(std::string log, unsigned launchers = 1);

/// Answers every job with the sum of its elements, which are integers, in each observed cell.
[[nodiscard]] std::unique_ptr<Device> make_summing_device(unsigned launchers);

}  // namespace gauntlet::cuda
