// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The walls of the house. The table "Folders" of docs/design.md says which folder may include
// which: every #include of the product keeps to it, every arrow of it is needed, and there is no
// circle.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

using Arrows = std::map<std::string, std::set<std::string>>;

const fs::path root = GAUNTLET_SOURCE_DIR;

/// Rows "| `folder` | `other` `other` | words |"; a dash where nothing is included.
Arrows allowed(std::istream& page) {
  static const std::regex row(R"(^\| `([a-z]+)` \|([^|]*)\|.*)"), name("`([a-z]+)`");
  Arrows all;
  std::string line;
  while (std::getline(page, line) && line != "## Folders") {
  }
  while (std::getline(page, line) && !line.starts_with("## ")) {
    std::smatch m;
    if (!std::regex_match(line, m, row)) continue;
    const std::string others = m[2];
    auto& to = all[m[1]];
    for (std::sregex_iterator at(others.begin(), others.end(), name), end; at != end; ++at) {
      to.insert((*at)[1]);
    }
  }
  return all;
}

Arrows allowed_here() {
  std::ifstream page(root / "docs" / "design.md");
  return allowed(page);
}

/// The folders that a file of `from` includes by "folder/...", itself left out.
std::set<std::string> included(std::istream& file, const std::string& from, const Arrows& rooms) {
  static const std::regex include(R"re(^\s*#\s*include "([a-z]+)/.*)re");
  std::set<std::string> all;
  for (std::string line; std::getline(file, line);) {
    std::smatch m;
    if (std::regex_match(line, m, include) && m[1] != from && rooms.contains(m[1])) {
      all.insert(m[1]);
    }
  }
  return all;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh", ".h"};
  return kinds.contains(path.extension().string());
}

/// Every arrow of the product, with a file that has it.
std::map<std::pair<std::string, std::string>, std::string> arrows_of(const Arrows& rooms) {
  std::map<std::pair<std::string, std::string>, std::string> all;
  for (const auto& [room, may] : rooms) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      if (!is_source(entry.path())) continue;
      std::ifstream file(entry.path());
      for (const auto& to : included(file, room, rooms)) {
        all.emplace(std::pair(room, to), fs::relative(entry.path(), root).string());
      }
    }
  }
  return all;
}

/// A folder on a way from `from` back to it; empty: there is none.
std::string on_a_circle(const Arrows& arrows) {
  Arrows left = arrows;
  for (bool gone = true; gone;) {
    gone = false;
    for (auto at = left.begin(); at != left.end();) {
      const bool leaf = std::ranges::none_of(
          at->second, [&](const std::string& to) { return left.contains(to); });
      gone |= leaf;
      at = leaf ? left.erase(at) : std::next(at);
    }
  }
  return left.empty() ? "" : left.begin()->first;
}

TEST(Walls, every_include_is_an_allowed_arrow) {
  const auto rooms = allowed_here();
  for (const auto& [arrow, file] : arrows_of(rooms)) {
    EXPECT_TRUE(rooms.at(arrow.first).contains(arrow.second))
        << file << " includes " << arrow.second << "/, which docs/design.md does not allow "
        << arrow.first << "/";
  }
}

TEST(Walls, every_allowed_arrow_is_needed) {
  const auto rooms = allowed_here();
  const auto used = arrows_of(rooms);
  for (const auto& [room, may] : rooms) {
    for (const auto& to : may) {
      EXPECT_TRUE(used.contains({room, to})) << "no file of " << room << "/ includes " << to << "/";
    }
  }
}

TEST(Walls, every_folder_of_code_is_in_the_table) {
  static const std::set<std::string> outside{"tests", "examples", "benchmarks", "build"};
  const auto rooms = allowed_here();
  for (const auto& entry : fs::directory_iterator(root)) {
    const auto name = entry.path().filename().string();
    if (!entry.is_directory() || outside.contains(name) || name.starts_with(".")) continue;
    bool code = false;
    for (const auto& file : fs::recursive_directory_iterator(entry)) code |= is_source(file.path());
    EXPECT_EQ(code && name != "docs" && name != "cmake", rooms.contains(name)) << name;
  }
}

TEST(Walls, no_folder_is_on_a_circle) { EXPECT_EQ(on_a_circle(allowed_here()), ""); }

TEST(Walls, a_circle_of_three_is_seen_and_a_diamond_is_none) {
  EXPECT_EQ(on_a_circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"a"}}}), "a");
  EXPECT_EQ(on_a_circle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}), "");
}

TEST(Walls, an_arrow_is_an_include_of_another_folder_of_the_table) {
  const Arrows rooms{{"core", {}}, {"os", {}}, {"text", {}}};
  std::istringstream file(
      "#include \"core/case.hpp\"\n  # include \"os/file.hpp\"\n#include <text/a.hpp>\n"
      "// #include \"text/a.hpp\"\n#include \"near.hpp\"\n#include \"other/a.hpp\"\n");
  EXPECT_EQ(included(file, "core", rooms), std::set<std::string>{"os"});
}

TEST(Walls, the_table_is_read_row_by_row) {
  std::istringstream page(
      "| `no` | `rows` | before |\n## Folders\n| folder | may |\n| --- | --- |\n"
      "| `core` | - | words of `os` |\n| `os` | `core` `text` | |\n## Next\n| `a` | `b` | c |\n");
  EXPECT_EQ(allowed(page), (Arrows{{"core", {}}, {"os", {"core", "text"}}}));
}

}  // namespace
}  // namespace gauntlet
