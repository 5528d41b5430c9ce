// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/scalar.hpp"
#include "base/schedule.hpp"
#include "machine/schedules/recording.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::witness {
namespace {

/// Tells the log where each choice begins.
class Marking final : public simt::Scheduler {
 public:
  Marking(simt::Scheduler& inner, LaunchLog& log) : inner_(inner), log_(log) {}
  bool choose(const simt::ResidentBlocks& residents, simt::Choice& choice) override {
    if (!inner_.choose(residents, choice)) return false;
    log_.choices.push_back(log_.events.size());
    log_.chosen.push_back({.block = residents.blocks[choice.resident]->linear,
                           .warp = choice.warp,
                           .lanes = choice.lanes});
    return true;
  }
  [[nodiscard]] bool blocks_descending() const override { return inner_.blocks_descending(); }
  [[nodiscard]] std::uint32_t resident_blocks() const override { return inner_.resident_blocks(); }
  void end() override { inner_.end(); }

 private:
  simt::Scheduler& inner_;
  LaunchLog& log_;
};

bool about_order(FindingKind kind) { return facts(kind).of_class == FindingClass::race_free; }

void note_arrays(const simt::GlobalMemory& memory, LaunchLog& log) {
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const auto& a = memory.at(k);
    log.arrays.push_back({a.name, a.base, a.bytes, a.index_base, a.element_bytes});
  }
}

void judge(const properties::Subject& subject, const Case& c, const Plan& plan,
           const Observation& seen, Outcome& outcome) {
  outcome.completed = seen.completed;
  outcome.findings = seen.findings;
  bool same_value = false;
  std::string fault;
  for (const Finding& finding : seen.findings) {
    if (about_order(finding.kind)) {
      outcome.raced |= finding.severity != Severity::note;
      same_value |= finding.kind == FindingKind::race_same_value;
    } else if (finding.kind == FindingKind::poison_output ||
               finding.kind == FindingKind::unwritten_output) {
      outcome.undefined = true;
    } else {
      if (!outcome.faulty && finding.severity != Severity::note) {
        fault = fmt::format("the finding {}", name(finding.kind));
      }
      outcome.faulty |= finding.severity != Severity::note;
    }
  }
  outcome.only_same_value = same_value && !outcome.raced;
  const Verdict verdict = subject.judge(c, plan, seen);
  outcome.wrong = !verdict.ok;
  outcome.judged = verdict.cells_judged != 0;
  // An undefined value may have been overwritten since.
  const bool shown = !outcome.undefined || !verdict.ok || verdict.got.ends_with(undefined_value);
  outcome.got = shown ? verdict.got : std::string(undefined_value);
  outcome.right = verdict.expected;
  // Where a repaired form is known, so is what else is wrong; else every finding is news.
  if (outcome.faulty && verdict.ok && !subject.repaired(c)) {
    outcome.wrong = true;
    outcome.got = fault;
    outcome.right = "none";
  }
}

}  // namespace

Outcome run(const Case& c, const SchedulerFor& scheduler, const RunOptions& options,
            const properties::Subject& subject) {
  Outcome outcome;
  Case plain = c;
  plain.schedule = "lockstep";
  const Plan plan = subject.plan(plain);
  outcome.refused = !plan.refusal.empty();
  if (outcome.refused) return outcome;

  simt::ExecutorOptions executor;
  executor.races = options.races;
  executor.step_limit = 1'000'000;
  executor.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
    const auto launch = config.launch_index;
    const auto inner = scheduler(launch);
    simt::Recording recording(*inner, simt::launch_schedule(options.base, launch));
    LaunchLog log;
    Marking marking(recording, log);
    config.scheduler = &recording;
    if (options.log) {
      log.module = state.module();
      log.entry = config.entry;
      log.grid = config.grid;
      log.block = config.block;
      log.shared_bytes = config.shared_bytes;
      note_arrays(state.memory(), log);
      config.log = &log.events;
      config.scheduler = &marking;
    }
    auto report = simt::launch(state, config);
    outcome.recorded.push_back(recording.recorded());
    if (options.log) outcome.logs.push_back(std::move(log));
    return report;
  };
  judge(subject, plain, plan, simt::make_executor(executor)->run(plain, plan), outcome);
  return outcome;
}

SchedulerFor by_name(std::string_view spelling) {
  return [name = std::string(spelling)](std::uint32_t launch) {
    return simt::make_scheduler(name, launch);
  };
}

SchedulerFor by_record(Schedules schedules, bool lenient) {
  return [schedules = std::move(schedules), lenient](std::uint32_t launch) {
    return simt::make_replay(simt::launch_schedule(schedules, launch), !lenient);
  };
}

std::size_t preemptions(const Schedules& schedules) {
  std::size_t count = 0;
  for (const auto& launch : schedules) count += launch.preemptions.size();
  return count;
}

}  // namespace gauntlet::witness
