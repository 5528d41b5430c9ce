// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/lines.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/data_folder.hpp"
#include "properties/hunt/regressions.hpp"

namespace gauntlet::witness {
namespace {

namespace fs = std::filesystem;
using properties::CaseEntry;

constexpr std::string_view instead = " instead of ", always = " always";

fs::path folder(const std::string& dir) { return dir.empty() ? default_dir() : dir; }

constexpr std::string_view fact = "! WRONG instead of RIGHT, or ! RIGHT always";

/// "4 instead of 3" or "3 always"
void read_values(const CaseEntry& entry, Line& into) {
  const auto& [text, where] = entry.facts.front();
  if (const auto at = text.find(instead); at != text.npos && at != 0) {
    into.got = text.substr(0, at);
    into.right = text.substr(at + instead.size());
  } else if (text.ends_with(always)) {
    into.got = into.right = text.substr(0, text.size() - always.size());
  }
  if (into.right.empty()) throw CaseError(fmt::format("{}: `! {}`: write {}", where, text, fact));
  if (entry.facts.size() > 1) {
    throw CaseError(fmt::format("{}: a case has one line `!`", entry.facts[1].where));
  }
}

std::string place(const Party& party) {
  return fmt::format("{}:{}", party.file.substr(party.file.rfind('/') + 1), party.line);
}

}  // namespace

std::string default_dir() { return data_folder("witnesses", GAUNTLET_WITNESSES_DIR); }

std::vector<Line> load_lines(const std::string& dir) {
  std::vector<Line> lines;
  for (CaseEntry& entry : properties::load_case_files(folder(dir), fact)) {
    Line& line = lines.emplace_back();
    read_values(entry, line);
    line.c = std::move(entry.c);
    line.shows = std::move(entry.note);
    line.where = std::move(entry.where);
  }
  return lines;
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
    case Verdict::no_case:
      return "no case was run: all that were tried are outside the contract, or have too many "
             "threads to search in";
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
  const fs::path path = folder(dir) / properties::case_file_name(variant, form);
  const auto text = file_text(witness);
  properties::write_case_file(path, text);
  return text.empty() ? std::string{} : path.string();
}

}  // namespace gauntlet::witness
