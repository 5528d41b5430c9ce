// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/schedule.hpp"
#include "properties/case/case_text.hpp"
#include "sanitizer/kernel/told.hpp"
#include "sanitizer/session/report.hpp"

namespace gauntlet::cli {
namespace {

using sanitize::first_values;

constexpr std::size_t cells_in_text = 8, cells_in_json = 1024;

std::string values(const Replay& replay) {
  std::string text;
  for (const auto& buffer : replay.run.observation.buffers) {
    std::string line =
        fmt::format("{} = {}", buffer.name, fmt::join(first_values(buffer, cells_in_text), ", "));
    if (buffer.defined.size() > cells_in_text) {
      line += fmt::format(", ... ({} cells)", buffer.defined.size());
    }
    text += labelled("observed", line);
  }
  const Verdict& verdict = replay.run.verdict;
  if (!verdict.got.empty() && replay.run.plan.takes_input) {
    text += labelled("total", verdict.got);
    text +=
        labelled("reference", verdict.expected + (verdict.exact ? " (exact)" : " (rounded once)"));
  }
  if (const auto& reference = verdict.reference; reference && !verdict.expected.empty()) {
    text += labelled("kahan", fmt::format("{}, {:.2g} of its bound from the exact sum",
                                          reference->kahan, reference->kahan_distance()));
  }
  return text;
}

std::string conclusion(const Replay& replay, const Style& style) {
  const auto shows = replay.shows();
  const auto& expected = replay.form->expected;
  if (shows.empty()) {
    return style.good("nothing found") +
           (expected.empty() ? ""
                             : fmt::format("; other cases of this form show {}", spell(expected)));
  }
  if (expected.empty()) return style.bad(spell(shows));
  const bool foreseen = std::includes(expected.begin(), expected.end(), shows.begin(), shows.end());
  return style.bad(spell(shows)) + (foreseen
                                        ? std::string(": expected of this form")
                                        : fmt::format(": unexpected; {} expects {}",
                                                      replay.variant->told_by(), spell(expected)));
}

}  // namespace

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

std::string text(const Replay& replay, const Style& style) {
  std::string text = style.bold("case") + "\n";
  text += fmt::format("    {}\n", wrap(short_line(replay.run.c), 4, 4));
  for (const auto& missing : replay.form->missing) {
    for (const auto& defect : replay.variant->defects) {
      if (defect.fix == missing) {
        text += labelled("lacks", fmt::format("{}: {}", defect.fix, defect.what));
      }
    }
  }
  if (replay.run.refused()) {
    return text + labelled("verdict", "refused before launch: " + replay.run.plan.refusal);
  }
  text += values(replay);
  text += sanitize::told_printed(replay.run.observation.printed, style);
  if (!replay.run.findings.empty()) text += style.bold("findings") + "\n";
  text += sanitize::told(replay.run.findings, style);
  const auto related = replay.related();
  if (!related.empty()) text += style.bold("properties broken by related cases") + "\n";
  for (const auto& broken : related) {
    text += fmt::format("    {}: {}\n", broken.property,
                        wrap(short_line(broken.c), 8, 6 + broken.property.size()));
    text += sanitize::told(std::vector{broken.finding}, style);
  }
  return text + labelled("verdict", conclusion(replay, style));
}

Json to_json(const Replay& replay) {
  const Observation& seen = replay.run.observation;
  Json json = json_head("repro");
  json["executor"] = replay.executor;
  json["case"] = replay.run.c;
  json["refused"] = replay.run.plan.refusal;
  if (replay.run.refused()) return json;
  Json buffers = Json::array(), held = Json::array();
  for (const auto& buffer : seen.buffers) {
    buffers.push_back(Json{{"name", buffer.name},
                           {"type", buffer.type},
                           {"cells", buffer.defined.size()},
                           {"values", first_values(buffer, cells_in_json)}});
  }
  for (const auto* property : replay.examination.held) held.push_back(property->name);
  json.update(Json{{"completed", seen.completed},
                   {"buffers", buffers},
                   {"total", replay.run.verdict.got},
                   {"reference", replay.run.verdict.expected},
                   {"exact", replay.run.verdict.exact},
                   {"kahan", replay.run.verdict.reference},
                   {"findings", replay.run.findings},
                   {"held", held},
                   {"broken", replay.examination.broken},
                   {"shows", replay.shows()},
                   {"expected", replay.form->expected},
                   {"counters", seen.counters},
                   {"schedule", seen.schedule}});
  if (!seen.printed.empty()) json["printed"] = seen.printed;
  return json;
}

}  // namespace gauntlet::cli
