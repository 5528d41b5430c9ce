// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/prove_sweeps.hpp"

#include "interface/cli/flags.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/select.hpp"
#include "properties/prove/sweep.hpp"

namespace gauntlet::cli {

int prove_sweeps(const ProveSweeps& asked, const std::string& json) {
  Output output(json, "shapes");
  const auto& interrupted = output.watch("this is what was tried until then");
  const Subjects subjects(asked.what, interrupted, read_flags(asked.flags), "prove");
  subjects.tell_stale_cases(output);
  prove::SweepOptions how;
  how.jobs = asked.jobs;
  how.going_on = [&] { return !interrupted.load(); };
  how.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t cases,
                     const std::string& form) { output.progress.update(done, all, cases, form); };
  const auto sweeps =
      prove::sweep(subjects.subject(), properties::select(subjects.subject(), subjects.selectors),
                   prove::parse_shapes(asked.n, asked.blocks, asked.types), asked.cases, how);
  std::string text;
  bool expected = true, tried = false;
  for (const auto& swept : sweeps) {
    text += prove::text(swept);
    expected = expected && swept.as_expected();
    tried = tried || swept.cases > swept.refused || swept.every_n;
  }
  if (!tried && !interrupted && expected) {
    expected = false;
    text += labelled("untested",
                     "no shape was tried: the launch contracts refuse all, or a form "
                     "with a defect has no known counterexample");
  }
  Json document = json_head("prove");
  document["forms"] = sweeps;
  return output.finish(text, document, expected);
}

}  // namespace gauntlet::cli
