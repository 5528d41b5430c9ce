// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel is compiled for: the forms that its fixes make, types and operators.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/case_error.hpp"
#include "base/numbers.hpp"
#include "base/schedule.hpp"
#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/parser.hpp"

namespace gauntlet::spec {
namespace {

/// "shows race_write_read warps, poison_output y" without its first word, cut at the commas.
std::vector<std::vector<std::string>> items_of(std::string_view text, const Where& where) {
  std::vector<std::vector<std::string>> items;
  while (true) {
    const auto comma = text.find(',');
    items.push_back(words_of(text.substr(0, comma)));
    if (items.back().empty()) where.fail("a comma stands between two findings or schedules");
    if (comma == text.npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::vector<Expected> findings_of(std::string_view text, const Where& where) {
  std::vector<Expected> findings;
  for (const auto& words : items_of(text, where)) {
    const auto kind = parse<FindingKind>(words[0]);
    if (!kind) where.fail(unknown_word("finding", words[0], enum_names<FindingKind>));
    if (words.size() > 2) {
      where.fail(
          fmt::format("`{}`: a comma is missing before it; write FINDING ARRAY, ...", words[2]));
    }
    findings.push_back({*kind, words.size() > 1 ? words[1] : ""});
  }
  std::ranges::sort(findings);
  return findings;
}

std::vector<std::string> schedules_of(std::string_view text, const Where& where) {
  std::vector<std::string> schedules;
  for (const auto& words : items_of(text, where)) {
    if (words.size() > 1) where.fail(fmt::format("`{}`: a comma is missing before it", words[1]));
    try {
      schedules.push_back(to_string(parse_schedule(words[0])));
    } catch (const CaseError& error) {
      where.fail(error.what());
    }
  }
  return schedules;
}

/// A line below the statement's first: its first word, and what follows.
struct Line {
  std::string word;
  std::string_view rest;
  explicit Line(const Where& where) {
    const std::string& text = where.statement;
    word = text.substr(0, text.find_first_of(" \t"));
    rest = std::string_view(text).substr(word.size());
  }
};

/// The name of a fix, as FIX(NAME) and case lines have it.
void check_name(const std::string& fix, const Where& where) {
  const bool good = !fix.empty() && std::ranges::all_of(fix, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (good) return;
  where.fail(fmt::format(
      "`{}` cannot name a fix: lower-case letters, digits and _; write fix NAME: WHY", fix));
}

void require_known(const std::string& fix, const FixesEntry& fixes, const Where& where) {
  std::vector<std::string_view> known;
  for (const auto& defect : fixes.defects) known.push_back(defect.fix);
  if (std::ranges::count(known, fix) != 0) return;
  where.fail(known.empty() ? fmt::format("there is no fix {}; write fix {}: WHY", fix, fix)
                           : unknown_word("fix", fix, known));
}

/// What stands before the colon of the first line, and behind it.
std::pair<std::string_view, std::string_view> at_colon(const Where& line, std::string_view advice) {
  const std::string_view text = line.statement;
  const auto colon = text.find(':');
  if (colon == text.npos) line.fail(fmt::format("a colon is missing; write {}", advice));
  return {text.substr(0, colon), text.substr(colon + 1)};
}

void fix(const Statement& s, FixesEntry& fixes) {
  constexpr std::string_view advice = "fix NAME: WHY";
  const Where& first = s.lines.front();
  const auto [name, why] = at_colon(first, advice);
  const auto names = words_of(name);
  DefectEntry defect;
  defect.fix = names.size() == 1 ? names[0] : std::string(name);
  check_name(defect.fix, s.where);
  if (std::ranges::count(fixes.defects, defect.fix, &DefectEntry::fix) != 0) {
    s.where.fail(fmt::format("fix {} is declared twice", defect.fix));
  }
  const auto add = [&](std::string_view words) {
    for (const std::string& word : words_of(words)) {
      defect.what += (defect.what.empty() ? "" : " ") + word;
    }
  };
  add(why);
  bool shows_nothing = false;
  bool clauses = false;  // a line that begins with no such word goes on from the reason
  for (std::size_t k = 1; k < s.lines.size(); ++k) {
    const Where& where = s.lines[k];
    const Line line(where);
    const bool clause = line.word == "shows" || line.word == "rare" || line.word == "schedules";
    if (!clause && clauses) {
      static constexpr std::string_view known[] = {"shows", "rare", "schedules"};
      where.fail(unknown_word("part of a fix", line.word, known));
    }
    clauses |= clause;
    if (line.word == "shows" && words_of(line.rest) == std::vector<std::string>{"nothing"}) {
      shows_nothing = true;
    } else if (line.word == "shows") {
      const auto shows = findings_of(line.rest, where);
      defect.shows.insert(defect.shows.end(), shows.begin(), shows.end());
    } else if (line.word == "rare") {
      defect.rare = findings_of(line.rest, where);
    } else if (line.word == "schedules") {
      defect.schedules = schedules_of(line.rest, where);
    } else {
      add(where.statement);
    }
  }
  if (defect.what.empty()) s.where.fail(fmt::format("why is it needed? write {}", advice));
  if (defect.shows.empty() && !shows_nothing) {
    s.where.fail(
        "what does the kernel show without it? write below `  shows FINDING ARRAY`, which gauntlet "
        "check finds, or `  shows nothing`");
  }
  if (!defect.shows.empty() && shows_nothing) s.where.fail("it shows something, or nothing");
  fixes.defects.push_back(std::move(defect));
}

void without(const Statement& s, FixesEntry& fixes) {
  constexpr std::string_view advice = "without NAME NAME: shows FINDING ARRAY";
  const auto [names, clause] = at_colon(s.lines.front(), advice);
  WithoutEntry entry;
  entry.fixes = words_of(names);
  if (entry.fixes.size() < 2) {
    s.where.fail("two fixes or more; what shows without one stands below its `fix`");
  }
  for (const std::string& name : entry.fixes) require_known(name, fixes, s.where);
  std::vector<Where> lines = s.lines;
  lines.front().statement = clause;
  for (Where& where : lines) {
    while (where.statement.starts_with(' ')) where.statement.erase(0, 1);
    if (where.statement.empty()) continue;
    const Line line(where);
    if (line.word == "shows") {
      const auto shows = findings_of(line.rest, s.where);
      entry.shows.insert(entry.shows.end(), shows.begin(), shows.end());
    } else if (line.word == "schedules") {
      entry.schedules = schedules_of(line.rest, s.where);
    } else {
      static constexpr std::string_view known[] = {"shows", "schedules"};
      s.where.fail(unknown_word("part of `without`", line.word, known));
    }
  }
  if (entry.shows.empty()) s.where.fail(fmt::format("what does it show? write {}", advice));
  fixes.without.push_back(std::move(entry));
}

void documented(const Statement& s, Spec& spec) {
  FixesEntry& fixes = spec.fixes;
  fixes.documented = true;
  for (const Where& where : s.lines) {
    if (where.statement.empty()) continue;
    const Line line(where);
    if (fixes.defects.empty() && (line.word == "hides" || line.word == "rare")) {
      where.fail("there is no fix; write fix NAME: WHY");
    }
    if (line.word == "has") {
      fixes.documented_has = words_of(line.rest);
      for (const std::string& name : fixes.documented_has) require_known(name, fixes, where);
    } else if (line.word == "hides") {
      fixes.documented_hides = findings_of(line.rest, where);
    } else if (line.word == "rare") {
      fixes.documented_rare = findings_of(line.rest, where);
    } else if (line.word == "types") {
      spec.documented_types = pairs_of(line.rest, where);
    } else if (line.word == "operator") {
      for (const std::string& word : words_of(line.rest)) {
        spec.documented_operators.push_back(operator_named(word, where));
      }
    } else if (line.word == "define") {
      spec.constants.push_back(constant_of(line.rest, where));
      spec.constants.back().documented = true;
      if (spec.constants.back().values.empty()) where.fail("write define B = 32,64,128");
    } else if (line.word == "blocks") {
      for (const std::string& word : words_of(line.rest)) {
        const auto block = parse_number<std::uint32_t>(word, 1, 1024);
        if (!block) where.fail(fmt::format("`{}` is no block size; write blocks 128 256", word));
        spec.about.documented_blocks.push_back(*block);
      }
    } else if (line.word == "grid") {
      const auto words = words_of(line.rest);
      const auto grid =
          parse_number<std::uint32_t>(words.size() == 1 ? words[0] : "", 1, 0x7fffffff);
      if (!grid) where.fail("write grid 10240, the number of blocks that the document launches");
      spec.about.documented_grid = *grid;
    } else {
      static constexpr std::string_view known[] = {"has",      "hides",  "rare",   "types",
                                                   "operator", "define", "blocks", "grid"};
      where.fail(unknown_word("part of `documented`", line.word, known));
    }
  }
}

// The types and operators that a spec's kernel is compiled for (docs/own_kernels.md):
//
//   types    f32->f32 f16->f32
//   operator sum max
//
// or a line for each group of types that has the same operators:
//
//   types
//     f32->f32 i32->i32: sum min max
//     f16->f32: sum

/// The operators as results spell them.
constexpr std::pair<std::string_view, Op> operator_words[] = {
    {"sum", Op::sum}, {"product", Op::product}, {"min", Op::minimum}, {"max", Op::maximum}};

void add(const TypePair& pair, const Where& where, Spec& spec) {
  if (std::ranges::count(spec.types, pair) != 0) {
    where.fail(fmt::format("{}->{} is named twice", name(pair.in), name(pair.acc)));
  }
  spec.types.push_back(pair);
}

/// "f32->f32 f64->f64: sum min".
void group(const Where& line, Spec& spec) {
  const std::string_view text = line.statement;
  const auto colon = text.find(':');
  const auto pairs = pairs_of(text.substr(0, colon), line);
  const auto operators =
      colon == text.npos ? std::vector<std::string>{} : words_of(text.substr(colon + 1));
  if (pairs.empty() || operators.empty()) {
    line.fail("a group is a line of types and operators; write f32->f32 f64->f64: sum min");
  }
  for (const TypePair& pair : pairs) {
    add(pair, line, spec);
    for (const std::string& word : operators) {
      const Instance one{pair.in, pair.acc, operator_named(word, line)};
      if (std::ranges::count(spec.combinations, one) != 0) {
        line.fail(fmt::format("{} is named twice", word));
      }
      spec.combinations.push_back(one);
    }
  }
}

void types(const Statement& s, Spec& spec) {
  if (!spec.types.empty()) s.where.fail("a spec has one such statement; name all types in it");
  if (s.rest.find(':') != s.rest.npos) {
    for (const Where& line : s.lines) {
      if (!line.statement.empty()) group(line, spec);
    }
    return;
  }
  for (const TypePair& pair : pairs_of(s.rest, s.where)) add(pair, s.where, spec);
  if (spec.types.empty()) s.where.fail("the types are missing; write types f32->f32 f16->f32");
}

void operators(const Statement& s, Spec& spec) {
  if (!spec.operators.empty()) {
    s.where.fail("a spec has one such statement; name all operators in it");
  }
  if (!spec.combinations.empty()) s.where.fail("the groups of `types` name the operators");
  for (const std::string& word : words_of(s.rest)) {
    const Op op = operator_named(word, s.where);
    if (std::ranges::count(spec.operators, op) != 0) {
      s.where.fail(fmt::format("{} is named twice", word));
    }
    spec.operators.push_back(op);
  }
  if (spec.operators.empty()) s.where.fail("write sum, product, min or max");
}

}  // namespace

bool take_fix(const Statement& statement, FixesEntry& fixes) {
  if (statement.word != "fix") return false;
  fix(statement, fixes);
  return true;
}

bool take_several_fixes(const Statement& statement, Spec& spec) {
  if (statement.word == "without") {
    without(statement, spec.fixes);
  } else if (statement.word == "documented") {
    documented(statement, spec);
  } else {
    return false;
  }
  return true;
}

bool take_types(const Statement& statement, Spec& spec) {
  if (statement.word == "types") {
    types(statement, spec);
  } else if (statement.word == "operator") {
    operators(statement, spec);
  } else {
    return false;
  }
  return true;
}

std::optional<Op> operator_named(std::string_view word) {
  for (const auto& [spelling, op] : operator_words) {
    if (word == spelling) return op;
  }
  return std::nullopt;
}

Op operator_named(std::string_view word, const Where& where) {
  if (const auto op = operator_named(word)) return *op;
  where.fail(fmt::format("`{}` is no operator; write sum, product, min or max", word));
}

std::string_view spelling_of(Op op) {
  return std::ranges::find(operator_words, op, [](const auto& word) { return word.second; })->first;
}

}  // namespace gauntlet::spec
