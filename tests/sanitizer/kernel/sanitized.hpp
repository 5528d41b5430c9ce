// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet sanitize` as a user runs it, with the JSON that it wrote.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

struct Sanitized {
  int code = -1;
  std::string out, err;
  Json json;
};

[[nodiscard]] inline Sanitized sanitize(const std::string& file, const Words& arguments) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "out.json";
  Words words{"sanitize", file, "--json", path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Ended ended = run(words);
  Sanitized result{ended.code, ended.out, ended.err, {}};
  if (std::filesystem::exists(path)) result.json = Json::parse(read_text(path));
  return result;
}

/// Words of a command line without quotes.
[[nodiscard]] inline Words words(const std::string& text) {
  std::istringstream stream(text);
  Words result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

[[nodiscard]] inline std::set<std::string> kinds(const Json& json) {
  std::set<std::string> result;
  for (const auto& finding : json["findings"]) result.insert(finding["kind"].get<std::string>());
  return result;
}

/// Every blank and line feed as one blank: what a wrapped sentence says.
[[nodiscard]] inline std::string unwrapped(const std::string& text) {
  std::string all;
  for (const std::string& word : words(text)) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// The path of a PTX file of these tests.
[[nodiscard]] inline std::string ptx(const std::string& name) {
  return std::string(GAUNTLET_SANITIZE_PTX) + "/" + name + ".ptx";
}
inline const std::string kernels = ptx("sanitize_kernels"), defects = ptx("sanitize_defects");

}  // namespace gauntlet::test
