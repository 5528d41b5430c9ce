// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/replay.hpp"

#include <algorithm>

#include "base/schedule.hpp"

namespace gauntlet::cli {

std::vector<properties::Broken> Replay::related() const {
  std::vector<properties::Broken> result;
  for (const auto& broken : examination.broken) {
    const bool shown = broken.c == run.c && std::find(run.findings.begin(), run.findings.end(),
                                                      broken.finding) != run.findings.end();
    if (!shown) result.push_back(broken);
  }
  return result;
}

std::vector<Expected> Replay::shows() const {
  std::vector<Finding> all = run.findings;
  for (const auto& broken : examination.broken) all.push_back(broken.finding);
  return properties::kinds_of(all);
}

Replay replay(Executor& executor, const properties::Subject& subject, const Case& c, bool alone) {
  Replay result;
  result.executor = executor.name();
  properties::Trial trial(executor, subject, c);  // knows every variant and form that it accepts
  result.variant = subject.find(c.variant);
  if (result.variant != nullptr) result.form = result.variant->form(c.form);
  if (result.form == nullptr) throw CaseError(c.variant + "@" + c.form + ": not in the catalogue");
  // A recorded schedule fits this case alone.
  const bool recorded = parse_schedule(c.schedule).kind == Schedule::Kind::replay;
  if (!alone && !recorded) result.examination = properties::examine(trial);
  result.run = trial.base();
  return result;
}

}  // namespace gauntlet::cli
