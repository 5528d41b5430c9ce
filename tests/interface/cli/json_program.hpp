// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A verb of the built program, as a user runs it, with the JSON that it wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {

struct EndedWithJson : Ended {
  nlohmann::json json;  ///< what --json wrote; null where nothing was
};

/// `words` begin with the verb.
[[nodiscard]] inline EndedWithJson run_with_json(std::vector<std::string> words,
                                                 const std::vector<std::string>& environment = {}) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "out.json").string();
  words.insert(words.begin() + 1, {"--json", path});
  EndedWithJson ended{run(words, environment), {}};
  const std::string text = read_text(path);
  if (!text.empty()) ended.json = nlohmann::json::parse(text);
  return ended;
}

/// Words of a command line without quotes.
[[nodiscard]] inline std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

/// Every blank and line feed as one blank: what a wrapped sentence says. Where it was wrapped
/// depends on how long the checkout's path is.
[[nodiscard]] inline std::string unwrapped(const std::string& text) {
  std::string all;
  for (const std::string& word : words(text)) all += (all.empty() ? "" : " ") + word;
  return all;
}

}  // namespace gauntlet::test
