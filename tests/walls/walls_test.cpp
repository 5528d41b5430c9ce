// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The walls of the house. The table "Folders" of docs/design.md says which folder may include
// which: every #include of the product keeps to it, every arrow of it is needed, and there is no
// circle. CONTRIBUTING.md names the same folders.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

using Arrows = std::map<std::string, std::set<std::string>>;

const fs::path root = GAUNTLET_SOURCE_DIR;

/// Rows "| `folder` | `other` `other` | words |"; a dash where nothing is included. A folder of the
/// table may stand in another one, to which it then does not belong.
Arrows allowed(std::istream& page) {
  static const std::regex row(R"(^\| `([a-z/]+)` \|([^|]*)\|.*)"), name("`([a-z/]+)`");
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

/// The innermost folder of the table that a path is in; empty: in none.
std::string room_of(std::string path, const Arrows& rooms) {
  while (!path.empty() && !rooms.contains(path)) {
    path.resize(path.find('/') != std::string::npos ? path.rfind('/') : 0);
  }
  return path;
}

/// The folders that a file of `from` includes by "folder/...", itself left out.
std::set<std::string> included(std::istream& file, const std::string& from, const Arrows& rooms) {
  static const std::regex include(R"re(^\s*#\s*include "([a-z_/]+/)[^/"]+".*)re");
  std::set<std::string> all;
  for (std::string line; std::getline(file, line);) {
    std::smatch m;
    if (!std::regex_match(line, m, include)) continue;
    const auto to = room_of(m[1].str(), rooms);
    if (!to.empty() && to != from) all.insert(to);
  }
  return all;
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> kinds{".cpp", ".hpp", ".cu", ".cuh", ".h"};
  return kinds.contains(path.extension().string());
}

/// Every source file of the product, by its path from the root.
std::vector<std::string> sources() {
  static const std::set<std::string> outside{"tests", "examples", "docs", "ci", "build"};
  std::vector<std::string> all;
  for (const auto& folder : fs::directory_iterator(root)) {
    const auto name = folder.path().filename().string();
    if (!folder.is_directory() || outside.contains(name) || name.starts_with(".")) continue;
    for (const auto& file : fs::recursive_directory_iterator(folder)) {
      if (is_source(file.path())) all.push_back(fs::relative(file.path(), root).generic_string());
    }
  }
  return all;
}

/// Every arrow of the product, with a file that has it.
std::map<std::pair<std::string, std::string>, std::string> arrows_of(const Arrows& rooms) {
  std::map<std::pair<std::string, std::string>, std::string> all;
  for (const auto& path : sources()) {
    const auto room = room_of(path, rooms);
    std::ifstream file(root / path);
    for (const auto& to : included(file, room, rooms)) all.emplace(std::pair(room, to), path);
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
    const auto room = rooms.find(arrow.first);
    EXPECT_TRUE(room != rooms.end() && room->second.contains(arrow.second))
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

TEST(Walls, every_source_file_is_in_a_folder_of_the_table) {
  const auto rooms = allowed_here();
  for (const auto& path : sources()) {
    EXPECT_NE(room_of(path, rooms), "") << path;
  }
}

/// What stands in backquotes between "The product stands in" and the full stop.
std::set<std::string> rooms_of(const std::string& page) {
  static const std::regex sentence(R"(The product stands in ([^.]*)\.)"), name("`([a-z]+)`");
  std::smatch m;
  std::set<std::string> all;
  if (!std::regex_search(page, m, sentence)) return all;
  const std::string list = m[1];
  for (std::sregex_iterator at(list.begin(), list.end(), name), end; at != end; ++at) {
    all.insert((*at)[1]);
  }
  return all;
}

TEST(Walls, contributing_names_the_folders_of_the_table) {
  std::ifstream file(root / "CONTRIBUTING.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> of_table;
  for (const auto& [room, may] : allowed_here()) of_table.insert(room.substr(0, room.find('/')));
  EXPECT_EQ(rooms_of(page), of_table);
}

TEST(Walls, a_stranger_finds_twelve_folders_at_most) {
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    const auto name = entry.path().filename().string();
    folders += entry.is_directory() && name != "build" && !name.starts_with(".") ? 1 : 0;
  }
  EXPECT_LE(folders, 12);
}

TEST(Walls, no_folder_is_on_a_circle) { EXPECT_EQ(on_a_circle(allowed_here()), ""); }

TEST(Walls, a_circle_of_three_is_seen_and_a_diamond_is_none) {
  EXPECT_EQ(on_a_circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"a"}}}), "a");
  EXPECT_EQ(on_a_circle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}), "");
}

TEST(Walls, an_arrow_is_an_include_of_another_folder_of_the_table) {
  const Arrows rooms{{"base", {}}, {"base/os", {}}, {"base/text", {}}, {"cli", {}}};
  std::istringstream file(
      "#include \"base/case.hpp\"\n  # include \"base/os/file.hpp\"\n#include <cli/a.hpp>\n"
      "// #include \"base/text/a.hpp\"\n#include \"near.hpp\"\n#include \"other/a.hpp\"\n");
  EXPECT_EQ(included(file, "base", rooms), std::set<std::string>{"base/os"});
  std::istringstream inner("#include \"base/os/linux/a.hpp\"\n#include \"base/types.hpp\"\n");
  EXPECT_EQ(included(inner, "base/os", rooms), std::set<std::string>{"base"});
}

TEST(Walls, the_table_is_read_row_by_row) {
  std::istringstream page(
      "| `no` | `rows` | before |\n## Folders\n| folder | may |\n| --- | --- |\n"
      "| `base` | - | words of `os` |\n| `os/a` | `base` `text` | |\n## Next\n| `a` | `b` | c |\n");
  EXPECT_EQ(allowed(page), (Arrows{{"base", {}}, {"os/a", {"base", "text"}}}));
}

}  // namespace
}  // namespace gauntlet
