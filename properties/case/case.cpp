// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/schedule.hpp"
#include "base/spelling.hpp"

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 10> keys{"n",      "block", "grid",     "data",   "seed",
                                                "offset", "tail",  "schedule", "blocks", "map"};
constexpr std::string_view shape =
    "a case reads VARIANT@FORM IN->ACC OP KEY=VALUE ..., such as `sequential@fixed f32->f32 sum "
    "n=97 block=64`";

constexpr std::string_view blanks = " \t\r\n";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(blanks, at);
    words.push_back(line.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
  }
  return words;
}

bool identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

template <class T>
T number(std::string_view key, std::string_view text, T least, T most) {
  const auto value = parse_number<T>(text, least, most);
  if (!value || (text.size() > 1 && text.front() == '0')) {
    throw CaseError(fmt::format("{}={}: {} must be a whole number from {} to {}, in decimal digits",
                                key, text, key, least, most));
  }
  return *value;
}

template <class T>
T number(std::string_view key, std::string_view text) {
  return number<T>(key, text, T{0}, std::numeric_limits<T>::max());
}

template <Named E>
E word(std::string_view what, std::string_view text) {
  if (const auto value = parse<E>(text)) return *value;
  throw CaseError(unknown_word(what, text, enum_names<E>));
}

/// "did you mean `fixed`, or " of a near miss.
std::string slip(std::string_view form) {
  const std::string_view known[] = {"documented", "fixed"};
  const std::string_view meant = nearest(form, known);
  return edit_distance(form, meant) <= 2 ? fmt::format("did you mean `{}`? or ", meant) : "";
}

/// Throws CaseError for what is the name of no form.
void parse_form(std::string_view form, Case& c) {
  c.form = form;
  if (form == "documented" || form == "fixed") return;
  if (form.starts_with("fixed-")) {  // a fix, or several: fixed-NAME-NAME
    std::size_t begin = 6, end = 0;
    bool names = true;
    for (; names && end != std::string_view::npos; begin = end + 1) {
      end = form.find('-', begin);
      names = identifier(form.substr(begin, end - begin));
    }
    if (names) return;
  }
  throw CaseError(fmt::format(
      "`{}` is not a form; {}write documented, fixed or fixed-NAME with the name of a fix", form,
      slip(form)));
}

void parse_variant(std::string_view text, Case& c) {
  const std::size_t at = text.find('@');
  c.variant = text.substr(0, at);
  if (!identifier(c.variant)) {
    throw CaseError(fmt::format("`{}` is not a variant: lower-case letters, digits and _ only; {}",
                                text, shape));
  }
  if (at != std::string_view::npos) parse_form(text.substr(at + 1), c);
}

void parse_types(std::string_view text, Case& c) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) {
    throw CaseError(
        fmt::format("`{}` does not name two types; write IN->ACC, such as f32->f32", text));
  }
  c.in = word<Type>("type", text.substr(0, arrow));
  c.acc = word<Type>("type", text.substr(arrow + 2));
}

void parse_blocks(std::string_view text, Case& c) {
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) {
    throw CaseError(fmt::format("blocks={}: write blocks=FIRST+COUNT, such as blocks=3+1", text));
  }
  c.first_block = number<std::uint32_t>("blocks", text.substr(0, plus));
  c.block_count = number<std::uint32_t>("blocks", text.substr(plus + 1), 1, ~0U - c.first_block);
}

bool takes_number(Map map) {
  return map == Map::scale || map == Map::take || map == Map::drop || map == Map::pad;
}

void parse_map(std::string_view text, Case& c) {
  const std::size_t colon = text.find(':');
  const bool has_number = colon != std::string_view::npos;
  c.map = word<Map>("map", text.substr(0, colon));
  if (has_number != takes_number(c.map)) {
    throw CaseError(fmt::format("map={}: {} takes {} number; write map={}{}", text, name(c.map),
                                has_number ? "no" : "a", name(c.map), has_number ? "" : ":K"));
  }
  if (!has_number) return;
  std::string_view digits = text.substr(colon + 1);
  const bool minus = digits.starts_with('-');
  if (minus && c.map == Map::scale) digits.remove_prefix(1);
  const auto magnitude = number<std::uint64_t>("map", digits, 0, std::uint64_t{1} << 62);
  c.map_by = minus ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

/// What only the whole line can tell.
void check(const Case& c) {
  if (c.map == Map::scale && !is_float(c.in) &&
      (c.map_by < 0 || c.map_by >= static_cast<std::int64_t>(8 * size_of(c.in)))) {
    throw CaseError(fmt::format("map=scale:{}: for {} the power of two must be from 0 to {}",
                                c.map_by, name(c.in), 8 * size_of(c.in) - 1));
  }
  if (c.map == Map::scale && (c.map_by < -4096 || c.map_by > 4096)) {
    throw CaseError(
        fmt::format("map=scale:{}: the power of two must be from -4096 to 4096", c.map_by));
  }
  if (c.map == Map::pad && static_cast<std::uint64_t>(c.map_by) > c.n) {
    throw CaseError(fmt::format("map=pad:{}: at most n={} elements can be padding", c.map_by, c.n));
  }
}

void parse_pair(std::string_view key, std::string_view value, Case& c) {
  if (key == "n") c.n = number<std::uint64_t>(key, value);
  if (key == "block") c.block = number<std::uint32_t>(key, value, 1, 1024);
  if (key == "grid") c.grid = number<std::uint32_t>(key, value);
  if (key == "data") c.data = word<Data>("data", value);
  if (key == "seed") c.seed = number<std::uint64_t>(key, value);
  if (key == "offset") {
    c.offset = number<std::uint32_t>(key, value, 0, is_spec(c.variant) ? 255 : 15);
  }
  if (key == "tail") c.tail = word<Tail>("tail", value);
  if (key == "schedule") c.schedule = to_string(parse_schedule(value));
  if (key == "blocks") parse_blocks(value, c);
  if (key == "map") parse_map(value, c);
}

/// Calls f(key, value) for each word. `write`: what is said of one that is not KEY=VALUE.
template <class F>
void for_each_pair(std::span<const std::string_view> words, std::string_view write, F&& f) {
  std::vector<std::string_view> seen;
  for (const std::string_view text : words) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (equals == std::string_view::npos) {
      throw CaseError(fmt::format("`{}` is not KEY=VALUE; {}", text, write));
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      throw CaseError(fmt::format("{}= is written twice; write it once", key));
    }
    seen.push_back(key);
    f(key, text.substr(equals + 1));
  }
}

/// What is between the quotation marks that a line begins with; the line loses it.
std::string take_quoted(std::string_view& line) {
  std::string text;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"') {
      line.remove_prefix(i + 1);
      return text;
    }
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    text += line[i];
  }
  throw CaseError(fmt::format("`{}`: the quotation mark is not closed", line));
}

/// The form behind a spec's path, which the line loses; empty where it begins with none.
std::string take_form(std::string_view& line) {
  if (!line.starts_with('@')) return {};
  const std::string form(line.substr(1, line.find_first_of(blanks) - 1));
  line.remove_prefix(form.size() + 1);
  return form;
}

/// The spec of the line, which loses it.
std::optional<NamedSpec> take_spec(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  if (line.starts_with('"')) {
    std::string_view rest = line;
    std::string path = take_quoted(rest);
    if (!path.ends_with(spec_ending)) return std::nullopt;
    line = rest;
    return NamedSpec{std::move(path), take_form(line)};
  }
  for (auto at = line.find(spec_ending); at != line.npos; at = line.find(spec_ending, at + 1)) {
    const std::size_t end = at + spec_ending.size();
    if (end != line.size() && line[end] != '@' && blanks.find(line[end]) == blanks.npos) continue;
    std::string path(line.substr(0, end));
    line.remove_prefix(end);
    return NamedSpec{std::move(path), take_form(line)};
  }
  return std::nullopt;
}

bool has_own_sizes(const Case& c) {
  const Case plain;
  return c.sizes.empty() && (c.n != 0 || c.block != plain.block || c.grid != 0);
}

/// Of a spec: what every case has. Its other words are sizes that it declares.
bool of_any_case(std::string_view key, std::string_view value) {
  constexpr std::array<std::string_view, 4> always{"data", "seed", "offset", "schedule"};
  return std::ranges::find(always, key) != always.end() || (key == "tail" && parse<Tail>(value)) ||
         (key == "blocks" && value.find('+') != value.npos) ||
         (key == "map" && !parse_number<std::uint64_t>(value));
}

}  // namespace

std::string to_string(const Case& c) {
  const Case plain;
  const bool spec = is_spec(c.variant), own = !spec || has_own_sizes(c);
  std::string line = spec ? spec_word(c.variant) : c.variant;
  if (!spec || c.form != only_form) line += '@' + c.form;
  if (!spec || c.in != plain.in || c.acc != plain.acc || c.op != plain.op) {
    line += fmt::format(" {}->{} {}", name(c.in), name(c.acc), name(c.op));
  }
  for (const NamedSize& size : c.sizes) line += fmt::format(" {}={}", size.name, size.value);
  if (own) line += fmt::format(" n={} block={} grid={}", c.n, c.block, c.grid);
  line += fmt::format(" data={} seed={} offset={}", name(c.data), c.seed, c.offset);
  if (own) line += fmt::format(" tail={}", name(c.tail));
  line += fmt::format(" schedule={}", c.schedule);
  if (own && c.block_count != 0) line += fmt::format(" blocks={}+{}", c.first_block, c.block_count);
  if (own && c.map != Map::none) line += fmt::format(" map={}", name(c.map));
  if (own && takes_number(c.map)) line += fmt::format(":{}", c.map_by);
  return line;
}

Case with_own_sizes(Case c) {
  const auto moved = std::erase_if(c.sizes, [&](const NamedSize& size) {
    const std::string value = std::to_string(size.value);
    const bool own = size.name == "n" || size.name == "block" || size.name == "grid";
    if (own) parse_pair(size.name, value, c);
    return own;
  });
  if (moved != 0) check(c);
  return c;
}

std::string shape_line(const Case& c) {
  if (!is_spec(c.variant)) return to_string(c);
  if (has_own_sizes(c)) return fmt::format("n={} block={} grid={}", c.n, c.block, c.grid);
  std::string sizes;
  for (const NamedSize& size : c.sizes) {
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", size.name, size.value);
  }
  return sizes;
}

std::string spec_word(const std::string& path) {
  if (path.find_first_of(" \"\\") == path.npos) return path;
  std::string word = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return word + '"';
}

std::optional<std::string> spec_of(std::string_view line) {
  auto spec = take_spec(line);
  return spec ? std::optional(std::move(spec->path)) : std::nullopt;
}

Case parse_case(std::string_view line) {
  std::string_view rest = line;
  auto spec = take_spec(rest);
  const std::vector<std::string_view> words = words_of(rest);
  if (!spec && words.size() < 3) {
    throw CaseError(fmt::format("`{}` is too short; {}", line, shape));
  }
  Case c;
  c.grid = 0;
  std::size_t leading = 0;
  if (spec) {
    c.variant = std::move(spec->path);
    c.form = only_form;
    if (!spec->form.empty()) parse_form(spec->form, c);
  } else {
    parse_variant(words[leading++], c);
  }
  if (!spec || (!words.empty() && words[0].find("->") != std::string_view::npos)) {
    if (words.size() < 2) throw CaseError(fmt::format("`{}`: an operator is missing", words[0]));
    parse_types(words[leading++], c);
    c.op = word<Op>("operator", words[leading++]);
  }
  const std::string_view write =
      spec ? "write the spec's sizes, data, seed, offset and schedule, such as n=33" : shape;
  for_each_pair(std::span(words).subspan(leading), write,
                [&](std::string_view key, std::string_view value) {
                  if (spec && !of_any_case(key, value)) {
                    c.sizes.push_back({std::string(key), number<std::uint64_t>(key, value)});
                  } else if (std::ranges::find(keys, key) == keys.end()) {
                    throw CaseError(unknown_word("key", key, keys));
                  } else {
                    parse_pair(key, value, c);
                  }
                });
  if (!spec) check(c);
  return c;
}

}  // namespace gauntlet
