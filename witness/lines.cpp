// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "witness/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/data_folder.hpp"

namespace gauntlet::witness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view instead = " instead of ", always = " always";

fs::path folder(const std::string& dir) { return dir.empty() ? default_dir() : dir; }

/// "! 4 instead of 3" or "! 3 always"
void read_values(std::string_view line, const std::string& where, Line& into) {
  if (line.starts_with("! ")) {
    const auto text = line.substr(2);
    if (const auto at = text.find(instead); at != text.npos && at != 0) {
      into.got = text.substr(0, at);
      into.right = text.substr(at + instead.size());
    } else if (text.ends_with(always)) {
      into.got = into.right = text.substr(0, text.size() - always.size());
    }
  }
  if (into.right.empty()) {
    throw CaseError(
        fmt::format("{}: `{}`: write ! WRONG instead of RIGHT, or ! RIGHT always", where, line));
  }
}

std::string place(const Party& party) {
  return fmt::format("{}:{}", party.file.substr(party.file.rfind('/') + 1), party.line);
}

}  // namespace

std::string default_dir() { return data_folder("witnesses", GAUNTLET_WITNESSES_DIR); }

std::vector<Line> parse_lines(std::string_view text, const std::string& file_name) {
  std::vector<Line> lines;
  std::string comment;
  std::istringstream in{std::string(text)};
  std::string line;
  const auto complete = [&] {
    if (lines.empty() || !lines.back().right.empty()) return;
    throw CaseError(
        fmt::format("{}: no line `! WRONG instead of RIGHT` below the case", lines.back().where));
  };
  for (int number = 1; std::getline(in, line); ++number) {
    const auto where = fmt::format("{}:{}", file_name, number);
    if (line.empty()) continue;
    if (line[0] == '#') {
      comment = line.substr(std::min<std::size_t>(2, line.size()));
    } else if (line[0] == '!') {
      if (lines.empty()) throw CaseError(where + ": values before any case line");
      read_values(line, where, lines.back());
    } else {
      complete();
      try {
        lines.push_back({parse_case(line), comment, {}, {}, where});
      } catch (const CaseError& error) {
        throw CaseError(fmt::format("{}: {}", where, error.what()));
      }
    }
  }
  complete();
  return lines;
}

std::vector<Line> load_lines(const std::string& dir) {
  std::vector<fs::path> paths;
  if (!fs::exists(folder(dir))) return {};
  for (const auto& entry : fs::directory_iterator(folder(dir))) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Line> all;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw CaseError(fmt::format("{}: cannot be read", path.string()));
    for (auto& line : parse_lines(text.str(), path.filename().string())) {
      all.push_back(std::move(line));
    }
  }
  return all;
}

std::string shows(const Witness& witness) {
  using Verdict = Witness::Verdict;
  const auto race = [&] {
    const auto& f = witness.race;
    const auto other = f.other ? place(*f.other) + " and " : std::string{};
    return fmt::format("{} on {} ({}{})", name(f.kind), f.array, other, place(f.at));
  };
  switch (witness.verdict) {
    case Verdict::found: {
      const auto words = in_words(witness.decision);
      if (words.empty()) return fmt::format("right under {}, wrong under this", witness.base);
      const Step &first = witness.decision.steps[0], &second = witness.decision.steps[1];
      const auto from = fmt::format("{}:{}", first.file, first.line);
      const auto to = fmt::format("{}:{}", second.file, second.line);
      return fmt::format("{} ({})", words, from == to ? from : from + ", " + to);
    }
    case Verdict::always_wrong:
      return fmt::format("every schedule tried gives a wrong value, whatever the order; {}",
                         race());
    case Verdict::never_wrong:
      return fmt::format("no schedule within {} tries changes the result; {}", witness.tries,
                         race());
    case Verdict::same_value:
      return fmt::format("all write the same value: no schedule changes the result; {}", race());
    case Verdict::no_race:
      break;
  }
  return "no race in the cases tried";
}

std::string file_text(const Witness& witness) {
  using Verdict = Witness::Verdict;
  if (witness.verdict == Verdict::no_race) return {};
  const bool wrong = witness.verdict == Verdict::found || witness.verdict == Verdict::always_wrong;
  return fmt::format("# {}\n{}\n! {}\n", shows(witness), to_string(witness.c),
                     wrong ? fmt::format("{}{}{}", witness.got, instead, witness.right)
                           : fmt::format("{}{}", witness.right, always));
}

std::string write_lines(const Witness& witness, std::string_view variant, std::string_view form,
                        const std::string& dir) {
  const fs::path path = folder(dir) / fmt::format("{}@{}.txt", variant, form);
  const auto text = file_text(witness);
  if (text.empty()) {
    fs::remove(path);
    return {};
  }
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
  return path.string();
}

}  // namespace gauntlet::witness
