// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of a case under a schedule of our choice: what came out, what the schedule was, and,
// where asked for, what the threads did.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/schedules/schedule_string.hpp"
#include "machine/schedules/scheduler.hpp"
#include "machine/state/event_log.hpp"
#include "properties/case/case.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::witness {

using Schedules = std::vector<simt::LaunchSchedule>;  ///< one for each launch

/// An array of global memory, for names.
struct GlobalArray {
  std::string name;
  std::uint64_t base = 0, bytes = 0;
  std::int64_t index_base = 0;
  std::uint32_t element_bytes = 4;
};

/// What one launch did.
struct LaunchLog {
  std::shared_ptr<const simt::Module> module;
  std::string entry;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  simt::EventLog events;
  std::vector<std::size_t> choices;      ///< how many events there were before each choice
  std::vector<simt::Preemption> chosen;  ///< each choice, `gap` and `whole` not set
  std::vector<GlobalArray> arrays;
};

struct Outcome {
  bool refused = false;
  bool completed = false;
  bool judged = false;           ///< there are values to judge
  bool wrong = false;            ///< the values are not accepted; of a spec also any other finding
  bool undefined = false;        ///< an output holds what nobody defined
  bool raced = false;            ///< an unordered pair was reported that is no note
  bool only_same_value = false;  ///< unordered pairs were reported, all of them notes
  bool faulty = false;     ///< something else than races, wrong and undefined values was found
  std::string got, right;  ///< the total and its reference; "undefined"
  std::string schedule;    ///< how it was asked for
  Schedules recorded;      ///< told against the base that was asked for
  std::vector<LaunchLog> logs;
  std::vector<Finding> findings;

  [[nodiscard]] bool fails() const { return !refused && (wrong || undefined); }
  /// Nothing is wrong but what the detector says.
  [[nodiscard]] bool holds() const { return right_value() && !faulty; }
  [[nodiscard]] bool right_value() const {
    return !refused && completed && judged && !wrong && !undefined;
  }
};

/// Makes the scheduler of a launch.
using SchedulerFor = std::function<std::unique_ptr<simt::Scheduler>(std::uint32_t launch)>;

struct RunOptions {
  Schedules base = {{}};  ///< what the record is told against
  bool races = false;
  bool log = false;
};

/// Runs the case; its own schedule is not used. Throws CaseError.
[[nodiscard]] Outcome run(const Case& c, const SchedulerFor& scheduler, const RunOptions& options,
                          const properties::Subject& subject);

/// By spelling: "random:7".
[[nodiscard]] SchedulerFor by_name(std::string_view spelling);
/// By record; where `lenient`, preemptions that do not fit are left out
/// (machine/schedules/recording.hpp).
[[nodiscard]] SchedulerFor by_record(Schedules schedules, bool lenient);

[[nodiscard]] std::size_t preemptions(const Schedules& schedules);

}  // namespace gauntlet::witness
