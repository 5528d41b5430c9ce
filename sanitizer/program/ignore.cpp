// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {
namespace {

using Text = std::string_view;

std::vector<Text> kinds() {
  std::vector<Text> all{"*"};
  for (const auto name : names(static_cast<const FindingKind*>(nullptr))) all.push_back(name);
  for (const auto name : names(static_cast<const MistakeKind*>(nullptr))) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  }
  return all;
}

/// The next word of a line; "..." may have blanks. Throws UsageError for an open quote.
std::string next_word(Text& rest) {
  std::string word;
  bool quoted = false;
  for (; !rest.empty() && (quoted || (rest[0] != ' ' && rest[0] != '\t')); rest.remove_prefix(1)) {
    if (rest[0] == '"') {
      quoted = !quoted;
    } else {
      word += rest[0];
    }
  }
  if (quoted) throw UsageError("a quote that is not closed");
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return word;
}

/// "main.cu:41" or "main.cu".
void take_place(Ignored& one, const std::string& place) {
  one.file = place;
  const auto colon = place.rfind(':');
  if (colon == place.npos) return;
  const auto line = parse_number<std::uint32_t>(Text(place).substr(colon + 1));
  if (!line || *line == 0) throw UsageError("at=" + place + ": write at=FILE:LINE");
  one.file = place.substr(0, colon);
  one.line = *line;
}

Ignored parse_line(Text text) {
  static const std::vector<Text> known = kinds();
  Ignored one;
  one.kind = next_word(text);
  if (std::ranges::find(known, one.kind) == known.end()) {
    throw UsageError(unknown_word("kind of finding", one.kind, known, "* for any"));
  }
  while (!text.empty()) {
    const std::string word = next_word(text);
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (key != "kernel" && key != "at" && key != "function") {
      const std::vector<Text> keys{"kernel", "at", "function"};
      throw UsageError(unknown_word("part", key, keys));
    }
    if (value.empty()) throw UsageError(fmt::format("{0}: write {0}=VALUE", key));
    if (key == "kernel") one.kernel = value;
    if (key == "function") one.function = value;
    if (key == "at") take_place(one, value);
  }
  if (one.kind == "*" && one.kernel.empty() && one.file.empty() && one.function.empty()) {
    throw UsageError("* alone would leave out everything: write kernel=, at= or function= too");
  }
  return one;
}

bool matches(const std::string& pattern, const std::string& text) {
  return pattern == text || fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool names_it(const std::string& pattern, const std::string& signature) {
  return matches(pattern, signature) || matches(pattern, ptx::short_name(signature)) ||
         matches(pattern, ptx::qualified_name(signature)) ||
         matches(pattern, ptx::bare_name(signature));
}

bool is_file(const std::string& pattern, const std::string& file) {
  if (matches(pattern, file)) return true;
  for (auto slash = file.find('/'); slash != file.npos; slash = file.find('/', slash + 1)) {
    if (matches(pattern, file.substr(slash + 1))) return true;
  }
  return false;
}

/// What a finding offers to be known by.
struct Subject {
  Text kind;
  std::vector<std::string> kernels;
  std::vector<std::pair<std::string, std::uint32_t>> places;
  std::vector<std::string> functions;
};

void add(Subject& subject, const std::vector<Frame>& stack) {
  for (const Frame& frame : stack) {
    if (frame.line != 0) subject.places.emplace_back(frame.file, frame.line);
    subject.functions.push_back(frame.function);
  }
}

bool fits(const Ignored& one, const Subject& subject) {
  const auto any = [](const auto& all, const auto& is) { return std::ranges::any_of(all, is); };
  const auto here = [&](const auto& place) {
    return is_file(one.file, place.first) && (one.line == 0 || one.line == place.second);
  };
  return (one.kind == "*" || one.kind == subject.kind) &&
         (one.kernel.empty() ||
          any(subject.kernels, [&](const auto& name) { return names_it(one.kernel, name); })) &&
         (one.file.empty() || any(subject.places, here)) &&
         (one.function.empty() ||
          any(subject.functions, [&](const auto& name) { return names_it(one.function, name); }));
}

/// Of a call; empty: no launch.
std::string launched(const std::string& call) {
  std::string kernel = kernel_of(call);
  return kernel == call ? "" : kernel;
}

std::string part(Text key, const std::string& value) {
  const char* const quote = value.find_first_of(" \t") == value.npos ? "" : "\"";
  return fmt::format(" {}={}{}{}", key, quote, value, quote);
}
std::string place(const std::string& file, std::uint32_t line) {
  return part("at", fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line));
}

}  // namespace

std::vector<Ignored> parse_ignored(std::string_view text, std::string_view name) {
  std::vector<Ignored> all;
  std::istringstream lines{std::string(text)};
  std::string whole;
  for (std::size_t number = 1; std::getline(lines, whole); ++number) {
    Text line = whole;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line[0] == '#') continue;
    try {
      all.push_back(parse_line(line));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return all;
}

bool fits(const Ignored& one, const KernelFinding& finding) {
  const Finding& f = finding.finding;
  Subject subject{name(f.kind), {f.kernel}, {}, {}};
  subject.places.emplace_back(f.at.file, f.at.line);
  if (f.other) subject.places.emplace_back(f.other->file, f.other->line);
  add(subject, finding.stack);
  return fits(one, subject);
}

bool fits(const Ignored& one, const Mistake& mistake) {
  Subject subject{name(mistake.kind), {}, {}, {mistake.call}};
  for (const std::string& call : {mistake.call, mistake.other_call.value_or("")}) {
    if (const std::string kernel = launched(call); !kernel.empty()) {
      subject.kernels.push_back(kernel);
    }
  }
  add(subject, mistake.stack);
  return fits(one, subject);
}

std::string ignore_line(const KernelFinding& finding) {
  const Finding& f = finding.finding;
  std::string line = std::string(name(f.kind)) + part("kernel", ptx::qualified_name(f.kernel));
  if (f.at.line != 0) line += place(f.at.file, f.at.line);
  return line;
}

std::string ignore_line(const Mistake& mistake) {
  std::string line(name(mistake.kind));
  const std::string kernel = launched(mistake.call);
  if (!kernel.empty()) line += part("kernel", ptx::qualified_name(kernel));
  if (!mistake.stack.empty() && mistake.stack.front().line != 0) {
    return line + place(mistake.stack.front().file, mistake.stack.front().line);
  }
  if (!kernel.empty()) return line;
  return line + part("function", mistake.stack.empty()
                                     ? mistake.call
                                     : ptx::qualified_name(mistake.stack.front().function));
}

}  // namespace gauntlet::runtime
