// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "timing/passed.hpp"

#include <fmt/format.h>

#include "text/json_words.hpp"

namespace gauntlet::timing {

Passed Passed::from_json(const nlohmann::ordered_json& document) {
  Passed passed;
  try {
    if (document.at("schema") != "gauntlet.check" || document.at("version") != 1) {
      throw PassedError("it is no gauntlet.check document of version 1");
    }
    if (document.at("executor") != "cuda") {
      throw PassedError(fmt::format("its forms ran on {}, not on a GPU; write check --on cuda",
                                    document.at("executor").get<std::string>()));
    }
    for (const auto& form : document.at("forms")) {
      passed.outcomes_[fmt::format("{}@{}", form.at("variant").get<std::string>(),
                                   form.at("form").get<std::string>())] = {
          form.at("outcome").get<std::string>(), form.at("expected").empty(),
          std::uint64_t{Whole(form.at("cases"))} != 0};
    }
  } catch (const nlohmann::json::exception& error) {
    throw PassedError(fmt::format("it is no gauntlet.check document: {}", in_words(error)));
  } catch (const JsonShapeError& error) {
    throw PassedError(fmt::format("it is no gauntlet.check document: {}", error.what()));
  }
  return passed;
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
