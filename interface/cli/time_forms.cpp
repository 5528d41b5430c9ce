// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/time_forms.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/text/interrupt.hpp"
#include "gpu/timing/device.hpp"
#include "gpu/timing/report/lists.hpp"
#include "gpu/timing/report/markdown.hpp"
#include "interface/cli/executors.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::cli {
namespace {

/// By running the properties of every form that must hold.
timing::Passed check_first(const timing::Request& request, const std::atomic<bool>& interrupted) {
  const auto gpu = make_executor("cuda", interrupted, "timing needs one");
  properties::CheckOptions check = timing::check_before(request);
  check.jobs = default_jobs(*gpu);
  check.cancel = &interrupted;
  if (check.selectors.empty()) return timing::Passed::from_report({});
  to_standard_error(fmt::format("checking {} first\n", counted(check.selectors.size(), "form")));
  return timing::Passed::from_report(
      properties::run_check(*gpu, check, kernels::compiled_kernels()));
}

}  // namespace

int time_forms(TimeForms options, Output& output) {
  timing::PassOptions& pass = options.pass;
  timing::fill_lists(pass.request, options.sizes, options.types);
  (void)timing::selected_forms(pass.request);  // a wrong name ends it here
  require_writable("--markdown", options.markdown);
  const auto& interrupted = output.watch("this is what was measured until then");
  pass.cancel = &interrupted;
  pass.passed_file = std::filesystem::path(options.passed).filename().string();
  pass.note = [&](const timing::NotTimed& what) { output.remark(timing::line_of(what)); };
  pass.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    output.progress.update(done, total, 0, what);
  };
  std::optional<timing::Passed> passed;
  if (!options.passed.empty()) passed = timing::Passed::read("--passed", options.passed);
  (void)timing::device_facts(0);  // before anything that takes time
  if (!passed) passed = check_first(pass.request, interrupted);
  if (interrupted) {
    output.remark("gauntlet: interrupted before anything was measured");
    return exit_interrupted();
  }
  const timing::PassResult result = timing::run_pass(pass, *passed);
  const std::string page = timing::markdown(result.report);
  write_page("--markdown", options.markdown, page);
  return output.finish(options.markdown.empty() ? page : timing::goals_text(result.report),
                       timing::text_of(signed_by(maker(), timing::to_json(result.report))),
                       result.as_expected);
}

}  // namespace gauntlet::cli
