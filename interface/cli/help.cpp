// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/data_folder.hpp"
#include "base/finding_kinds.hpp"
#include "base/os/file.hpp"
#include "base/spelling.hpp"
#include "base/text/markdown.hpp"
#include "base/usage_error.hpp"

namespace gauntlet::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view spec_page = "own_kernels";

fs::path folder() { return data_folder("docs", GAUNTLET_DOCS_DIR); }

std::vector<std::string> pages() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder(), failed)) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<Section> kinds() {
  auto sections = sections_of(page("findings"));
  std::erase_if(sections, [](const Section& section) { return section.level != 2; });
  return sections;
}

std::string topics() {
  std::string text = "gauntlet help COMMAND shows a command's options, gauntlet help TOPIC\n\n";
  text += fmt::format("  {:<20}  {}\n", "spec", "the language of specs, K.gauntlet");
  for (const std::string& name : pages()) {
    const auto sections = sections_of(page(name));
    const std::string title = sections.empty() ? "" : sections.front().heading;
    text += fmt::format("  {:<20}  {}\n", name + ".md", wrap(title, 24, 24));
  }
  text += "\nand of a finding\n\n";
  std::string names;
  for (const Section& kind : kinds()) names += (names.empty() ? "" : ", ") + kind.heading;
  return text + "  " + wrap(names, 2, 2) + "\n";
}

}  // namespace

std::string document(const std::string& file) {
  auto text = os::read_file((folder() / file).string());
  if (!text) {
    throw UsageError(fmt::format("{} cannot be read; cmake --install puts docs beside the program",
                                 (folder() / file).string()));
  }
  return *std::move(text);
}

std::string page(const std::string& name) { return document(name + ".md"); }

bool has_page(const std::string& name) {
  std::error_code failed;
  return fs::is_regular_file(folder() / (name + ".md"), failed);
}

std::string topic(const std::string& word, const Style& style) {
  if (word == "topics") return topics();
  std::string name = word.starts_with("docs/") ? word.substr(5) : word;
  if (name.ends_with(".md")) name.resize(name.size() - 3);
  if (name == "spec") name = spec_page;
  const bool plain_name = name.find('/') == name.npos && name.find('.') == name.npos;
  if (plain_name && has_page(name)) return terminal_text(page(name), style);
  std::vector<std::string> known = pages();
  for (Section& kind : kinds()) {
    if (kind.heading != word) {
      known.push_back(kind.heading);
      continue;
    }
    const auto* row = std::ranges::find(finding_facts, word, &FindingFacts::name);
    const std::string what = row == finding_facts.end()
                                 ? ""
                                 : fmt::format(": {}", row->what);  // host code's have no row
    return fmt::format("{}{}\n\n{}", style.bold(word), what, terminal_text(kind.body, style));
  }
  known.insert(known.end(), {"spec", "topics"});
  const std::vector<std::string_view> words(known.begin(), known.end());
  throw UsageError(unknown_word("topic", word, words, "gauntlet help topics shows all"));
}

}  // namespace gauntlet::cli
