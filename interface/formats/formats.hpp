// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results in the formats of other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"
#include "interface/formats/alerts.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/witness/steps.hpp"
#include "properties/witness/trace.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::formats {

/// SARIF 2.1.0, which editors and code hosts show at the lines of the source (OASIS, Static
/// Analysis Results Interchange Format, sections 3.13 to 3.51): the one writer for every verb. A
/// log of one run of `gauntlet VERB`: a rule for each kind of finding and of mistake, a result for
/// each alert. Paths are the alerts' own: relative to the current folder, or absolute.
[[nodiscard]] Json sarif(std::string_view verb, const std::vector<Alert>& alerts);

/// JUnit's XML, which test reports of CI systems read (the common subset: testsuites, testsuite,
/// testcase, failure, error, skipped). A suite for each variant (a spec: its file), a test for each
/// form. A form that is not as expected is a failure, whose text has what is missing or extra and
/// the case lines; one that was not finished is skipped. No times: the file depends on the options
/// only.
[[nodiscard]] std::string junit(const properties::CheckReport& report);

/// A sequence diagram as Mermaid reads it. Threads and cells as columns, stores and loads as arrows
/// in the order of the schedule: the text of a ```mermaid block, without the fence. Empty where
/// there are no steps.
[[nodiscard]] std::string mermaid(const witness::Decision& decision);

/// Markdown as code hosts render it: a heading, the result in both schedules, the diagram and the
/// line that replays it.
[[nodiscard]] std::string markdown(const witness::Witness& witness);

/// The result in one line, a table of what is not as expected with the case that shows it, and the
/// witnesses, folded.
[[nodiscard]] std::string markdown(const properties::CheckReport& report,
                                   const std::vector<witness::Witness>& witnesses);

/// Trace events, the JSON that Perfetto and chrome://tracing open (the Trace Event Format:
/// complete, flow and metadata events). A process for each block of each launch, a thread for each
/// thread, a slice of one microsecond for each step of the schedule, so that time is the number of
/// the step; an arrow from each store to the loads of its value by other threads.
[[nodiscard]] Json trace_events(const witness::Trace& trace);

/// Of each form with a race: the committed one, replayed (a form of the catalogue), or one that is
/// searched for (a spec's kernel). Forms without a schedule that makes the result wrong are left
/// out.
[[nodiscard]] std::vector<witness::Witness> witnesses(const properties::CheckReport& report,
                                                      const properties::Subject& subject);

}  // namespace gauntlet::formats
