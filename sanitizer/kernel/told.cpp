// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/told.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/os/file.hpp"
#include "base/text/text.hpp"

namespace gauntlet::sanitize {
namespace {

std::string thread(const Party& party) {
  const Dim3& b = party.block;
  const std::string block =
      b.y == 0 && b.z == 0 ? fmt::format("{}", b.x) : fmt::format("({},{},{})", b.x, b.y, b.z);
  return fmt::format("block {} warp {} lane {}{}", block, party.warp, party.lane,
                     party.value.empty() ? "" : ", value " + party.value);
}

/// "write by " of the two parties: the finding's own, the other one.
std::pair<std::string_view, std::string_view> verbs(FindingKind kind) {
  switch (kind) {
    case FindingKind::race_read_write:
      return {"write by ", "read by "};
    case FindingKind::race_write_read:
    case FindingKind::race_read_only:
      return {"read by ", "write by "};
    case FindingKind::race_write_write:
    case FindingKind::race_same_value:
      return {"write by ", "write by "};
    default:
      if (facts(kind).of_class == FindingClass::defined_values) return {"used by ", "comes from "};
      return {"by ", "by "};
  }
}

/// A place in the source with the lines that its marks name; where they cannot be read the labels
/// alone.
void add_place(std::vector<std::string>& text, const std::string& file, std::vector<Mark> marks,
               const SourceTexts& texts) {
  const std::uint32_t line = marks.front().line;
  if (!file.empty() || line != 0) {
    text.push_back(line == 0 ? "  at " + file : fmt::format("  at {}:{}", file, line));
  }
  const auto shown = excerpt(file, marks, columns, texts);
  text.insert(text.end(), shown.begin(), shown.end());
  if (!shown.empty()) return;
  for (const Mark& mark : marks) {
    const std::string where =
        marks.size() == 1 || mark.line == 0 ? "" : fmt::format(" at :{}", mark.line);
    text.push_back("  " + mark.label + where);
  }
}

using Line = std::pair<std::string, std::uint32_t>;

bool ordered_by_one_thing(const Finding& finding) {
  return is_race(finding.kind) && finding.kind != FindingKind::race_read_only && finding.other;
}

/// How near the parties are to each other: what order is missing follows from it.
int distance(const Finding& finding) {
  if (finding.at.block != finding.other->block) return 2;
  return finding.at.warp != finding.other->warp ? 1 : 0;
}

class Components {
 public:
  explicit Components(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The smaller number stays: the first finding stands for its component.
  void join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::string told(const Cause& cause, const Style& style, const SourceTexts& texts) {
  const Finding& f = cause.shown();
  std::vector<std::string> text;
  const bool many = cause.findings.size() > 1;
  std::string head = fmt::format("{}: {}", name(f.severity), name(f.kind));
  if (!f.array.empty()) head += fmt::format(" {}[{}]", f.array, f.index);
  if (f.size != 0) head += ", " + counted(f.size, "byte");
  if (cause.count > 1) head += fmt::format(" ({} times)", cause.count);
  text.push_back(without_controls(head));
  if (!f.detail.empty()) text.push_back("  " + without_controls(f.detail));
  if (!f.kernel.empty() || !f.at.file.empty()) {
    const auto [own, others] = verbs(f.kind);
    const bool of_host = facts(f.kind).of_class == FindingClass::host_calls;
    std::vector<Mark> marks{
        {f.at.line, of_host ? "by " + f.kernel : std::string(own) + thread(f.at)}};
    const bool one_file = f.other && f.other->file == f.at.file;
    if (one_file) marks.push_back({f.other->line, std::string(others) + thread(*f.other)});
    add_place(text, f.at.file, std::move(marks), texts);
    if (f.other && !one_file) {
      add_place(text, f.other->file, {{f.other->line, std::string(others) + thread(*f.other)}},
                texts);
    }
  }
  if (many) {
    const std::string lines = cause.other_lines(), kinds = cause.other_kinds();
    text.push_back(fmt::format("  {} {}{}{}{}{}; --json lists them", cause.findings.size(),
                               f.other ? "pairs of lines lack the same order" : "barriers in all",
                               kinds.empty() ? "" : ", also ", kinds,
                               lines.empty()   ? ""
                               : kinds.empty() ? ", also at "
                                               : ", and at ",
                               lines));
  }
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::string& line = text[k];
    const bool quoted = line.find(" | ") != line.npos;  // source, fitted already
    const auto own = std::min(line.find_first_not_of(' '), line.size());
    std::string shown = quoted ? line : line.substr(0, own) + wrap(line, own + 2, own);
    const auto colon = shown.find(':');
    if (k == 0 && f.severity != Severity::note) {
      shown = style.bad(shown.substr(0, colon)) + shown.substr(colon);
    }
    result += shown + "\n";
  }
  return result;
}

std::string told(const std::vector<Finding>& findings, const Style& style,
                 const SourceTexts& texts) {
  std::vector<const Finding*> all;
  std::set<std::string_view> kernels;
  for (const Finding& finding : findings) {
    all.push_back(&finding);
    if (!finding.kernel.empty()) kernels.insert(finding.kernel);
  }
  std::string text;
  for (const Cause& cause : causes(all)) {
    std::string one = told(cause, style, texts);
    const std::string& kernel = cause.shown().kernel;
    if (kernels.size() > 1 && !kernel.empty()) {
      one.insert(one.find('\n') + 1, "  in " + wrap(without_controls(kernel), 4, 5) + "\n");
    }
    text += one;
  }
  return text;
}

std::string told_printed(const std::string& printed, const Style& style) {
  if (printed.empty()) return {};
  std::string text = style.bold("printed by the kernel") + "\n";
  std::istringstream lines(without_controls(printed));
  for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
  return text;
}

std::string verdict(const std::vector<Cause>& causes) {
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const auto count = static_cast<std::size_t>(std::ranges::count(
        causes, severity, [](const Cause& cause) { return cause.shown().severity; }));
    if (count == 0) continue;
    if (severity == Severity::note && text.empty()) text = "clean";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", counted(count, name(severity)));
  }
  return text.empty() ? "clean" : text;
}

std::string Cause::other_kinds() const {
  std::set<FindingKind> kinds;
  for (const Finding* finding : findings) kinds.insert(finding->kind);
  kinds.erase(shown().kind);
  std::vector<std::string_view> words;
  for (const FindingKind kind : kinds) words.push_back(name(kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string Cause::other_lines() const {
  std::set<std::uint32_t> lines;
  for (const Finding* finding : findings) {
    const auto insert = [&](const Party& party) {
      if (party.file == shown().at.file && party.line != 0) lines.insert(party.line);
    };
    insert(finding->at);
    if (finding->other) insert(*finding->other);
  }
  lines.erase(shown().at.line);
  if (shown().other) lines.erase(shown().other->line);
  std::vector<std::string> words;
  for (auto it = lines.begin(); it != lines.end();) {
    const std::uint32_t first = *it;
    std::uint32_t last = first;
    while (++it != lines.end() && *it == last + 1) ++last;
    if (last == first + 1) {
      words.push_back(fmt::format("{}", first));
      words.push_back(fmt::format("{}", last));
    } else {
      words.push_back(last == first ? fmt::format("{}", first)
                                    : fmt::format("{} to {}", first, last));
    }
  }
  if (words.size() < 2) return words.empty() ? std::string{} : words.front();
  const std::string end = words.back();
  words.pop_back();
  return fmt::format("{} and {}", fmt::join(words, ", "), end);
}

std::vector<Cause> causes(const std::vector<const Finding*>& findings) {
  Components components(findings.size());
  // The first finding at a line of a kernel, array and distance.
  std::map<std::tuple<std::string, std::string, int, Line>, std::size_t> first;
  // The first barrier of a kernel that so many threads never reach.
  std::map<std::pair<std::string, std::string>, std::size_t> barrier;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = *findings[i];
    if (f.kind == FindingKind::partial_barrier) {
      components.join(barrier.try_emplace({f.kernel, f.detail}, i).first->second, i);
    }
    if (!ordered_by_one_thing(f)) continue;
    for (const Party* party : {&f.at, &*f.other}) {
      const auto [it, fresh] =
          first.try_emplace({f.kernel, f.array, distance(f), {party->file, party->line}}, i);
      if (!fresh) components.join(it->second, i);
    }
  }
  std::map<std::size_t, Cause> by_first;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Cause& cause = by_first[components.of(i)];
    cause.findings.push_back(findings[i]);
    cause.count += findings[i]->count;
  }
  std::vector<Cause> all;
  for (auto& [unused, cause] : by_first) all.push_back(std::move(cause));
  std::ranges::stable_sort(all, std::greater{},
                           [](const Cause& cause) { return cause.shown().severity; });
  return all;
}

namespace {

constexpr std::size_t tab_width = 8;
/// Lines that a long line of the source takes at most.
constexpr std::size_t most_parts = 5;

/// The wanted lines; nothing where one of them is missing.
std::optional<std::map<std::uint32_t, std::string>> read_lines(const std::string& name,
                                                               const std::vector<Mark>& marks,
                                                               const SourceTexts& texts) {
  const auto text = texts.find(name);
  const auto content = text != texts.end() ? std::optional(text->second) : os::read_file(name);
  if (!content) return std::nullopt;
  std::istringstream file(*content);
  std::map<std::uint32_t, std::string> lines;
  for (const Mark& mark : marks) lines.try_emplace(mark.line);
  std::uint32_t number = 1;
  auto next = lines.begin();
  for (std::string line; next != lines.end() && std::getline(file, line); ++number) {
    if (number != next->first) continue;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    next->second = without_controls(line);
    // What was a tab is a tab still in `line`: as wide as in a terminal.
    std::string wide;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\t') {
        wide += next->second[i];
      } else {
        wide.append(tab_width - wide.size() % tab_width, ' ');
      }
    }
    next->second = wide;
    ++next;
  }
  if (next != lines.end()) return std::nullopt;
  return lines;
}

std::size_t first_character(const std::string& line) {
  const auto at = line.find_first_not_of(' ');
  return at == line.npos ? 0 : at;
}

}  // namespace

std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                 std::size_t columns, const SourceTexts& texts) {
  const bool placed =
      !marks.empty() && std::ranges::all_of(marks, [](const Mark& m) { return m.line != 0; });
  const auto lines = placed ? read_lines(file, marks, texts) : std::nullopt;
  if (!lines) return {};
  std::ranges::stable_sort(marks, {}, &Mark::line);
  const std::size_t digits = fmt::formatted_size("{}", lines->rbegin()->first);
  std::size_t common = columns;  // blanks before every shown line
  for (const auto& [number, text] : *lines) common = std::min(common, first_character(text));

  std::vector<std::string> shown;
  const std::size_t margin = 2 + digits + 3;
  const std::size_t room = columns - margin;
  for (auto mark = marks.begin(); mark != marks.end();) {
    const std::uint32_t line = mark->line;
    std::string text = lines->at(line).substr(common);
    const std::size_t caret = first_character(text);
    if (text.size() >= room) {
      text = std::string(caret, ' ') + wrap(text, caret + 4, caret, room);
    }
    std::istringstream parts(text);
    std::string number = fmt::format("{}", line), part;
    for (std::size_t count = 0; std::getline(parts, part); ++count, number.clear()) {
      if (count == most_parts) part = std::string(caret + 4, ' ') + "...";
      if (part.size() > room) part = part.substr(0, room - 3) + "...";  // one long word
      shown.push_back(fmt::format("  {:>{}} | {}", number, digits, part));
      if (count == most_parts) break;
    }
    for (; mark != marks.end() && mark->line == line; ++mark) {
      // A label that would hang far to the right goes below its caret instead.
      const std::size_t indent = std::min(caret, room / 2);
      const std::string blank = fmt::format("  {:>{}} | ", "", digits);
      std::istringstream label(std::string(indent, ' ') +
                               wrap("^ " + mark->label, indent + 2, indent, room));
      for (std::string part; std::getline(label, part);) shown.push_back(blank + part);
    }
  }
  return shown;
}

}  // namespace gauntlet::sanitize
