// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet sanitize` as a user runs it, with the JSON that it wrote.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/interface/cli/json_program.hpp"

namespace gauntlet::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

using Sanitized = EndedWithJson;

[[nodiscard]] inline Sanitized sanitize(const std::string& file, const Words& arguments) {
  Words words{"sanitize", file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_with_json(words);
}

[[nodiscard]] inline std::set<std::string> kinds(const Json& json) {
  std::set<std::string> result;
  for (const auto& finding : json["findings"]) result.insert(finding["kind"].get<std::string>());
  return result;
}

/// The path of a PTX file of these tests.
[[nodiscard]] inline std::string ptx(const std::string& name) {
  return std::string(GAUNTLET_SANITIZE_PTX) + "/" + name + ".ptx";
}
inline const std::string kernels = ptx("sanitize_kernels"), defects = ptx("sanitize_defects");

}  // namespace gauntlet::test
