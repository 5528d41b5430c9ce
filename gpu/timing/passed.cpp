// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/passed.hpp"

#include <fmt/format.h>

#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::timing {

Passed Passed::from_json(const Json& document) {
  const auto report =
      read_document(document, "check", gauntlet::from_json<properties::CheckReport>);
  if (report.executor != "cuda") {
    throw JsonShapeError(
        fmt::format("its forms ran on {}, not on a GPU; write check --on cuda", report.executor));
  }
  return from_report(report);
}

Passed Passed::read(const std::string& option, const std::string& path) {
  try {
    return from_json(read_json(option, path));
  } catch (const JsonShapeError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, path, error.what()));
  }
}

Passed Passed::from_report(const properties::CheckReport& report) {
  Passed passed;
  for (const properties::FormReport& form : report.forms) {
    passed.outcomes_[form.variant + "@" + form.form] = {std::string(name(form.outcome)),
                                                        form.expected.empty(), form.cases != 0};
  }
  return passed;
}

std::string Passed::refusal(std::string_view variant, std::string_view form) const {
  const std::string key = fmt::format("{}@{}", variant, form);
  const auto found = outcomes_.find(key);
  if (found == outcomes_.end()) return key + " did not pass (it was not checked)";
  if (found->second.word != "as expected") {
    return fmt::format("{} did not pass ({})", key, found->second.word);
  }
  if (!found->second.must_hold) return key + " did not pass (it is a defective form)";
  if (!found->second.cases) return key + " did not pass (no case ran)";
  return {};
}

}  // namespace gauntlet::timing
