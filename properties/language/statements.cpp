// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "base/numbers.hpp"
#include "base/printable.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "properties/language/expression.hpp"

namespace gauntlet::spec {
namespace {

bool is_hexadecimal(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  if (is_hexadecimal(text)) {
    at = 2;
    while (at < text.size() && in_name(text[at])) ++at;
    return at;
  }
  const auto digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  digits();
  // "0..n" is a range, not the number "0."
  if (at < text.size() && text[at] == '.' && !text.substr(at).starts_with("..")) {
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      at = exponent;
      digits();
    }
  }
  return at;
}

bool is_text(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return printable(line) == line;
}

/// Fails where the line, one of `text`, is none that an editor shows.
void check_text(std::string_view text, std::string_view line, const Where& where) {
  const auto fail = [&](std::string_view what) {
    throw UsageError(fmt::format("{}:{}: {}", where.file, where.line, what));
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    fail("the file is UTF-16; save it as UTF-8");
  }
  if (is_text(line)) return;
  const auto end = line.find('\r');
  if (end != line.npos && end + 1 < line.size() && is_text(line.substr(0, end))) {
    fail("the line ends in CR alone; save the file with LF, or CR LF");
  }
  fail(fmt::format("`{}`: is no text; save the file as UTF-8, and without control characters",
                   printable(line, 40)));
}

constexpr std::array<std::string_view, 35> statement_words{
    "kernel",     "host",         "flags",   "size",      "let",     "in",     "out",
    "inout",      "scratch",      "arg",     "launch",    "require", "repeat", "result",
    "expect",     "data",         "types",   "operator",  "define",  "fix",    "without",
    "documented", "row",          "printed", "described", "ours",    "claim",  "idea",
    "contract",   "precondition", "swept",   "waits",     "tuned",   "tile",   "array"};

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t token_length(std::string_view text) {
  if (text.empty()) return 0;
  if (starts_name(text[0])) {
    std::size_t at = 1;
    while (at < text.size() && in_name(text[at])) ++at;
    return at;
  }
  if (is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1]))) {
    return number_length(text);
  }
  for (const std::string_view two : {"..", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>"}) {
    if (text.starts_with(two)) return 2;
  }
  return std::max<std::size_t>(utf8_length(text), 1);
}

Expression number_node(std::string_view text) {
  Expression e;
  const bool hexadecimal = is_hexadecimal(text);
  const std::string_view digits = text.substr(hexadecimal ? 2 : 0);
  if (const auto whole = parse_number<std::uint64_t>(digits, 0, greatest_number<std::uint64_t>,
                                                     hexadecimal ? 16 : 10)) {
    if (*whole >> 63 == 0) return make_integer(static_cast<std::int64_t>(*whole));
    e.real = static_cast<long double>(*whole);  // which holds it exactly
    e.rounded = static_cast<double>(*whole);
  } else if (hexadecimal || text.find_first_of(".eEn") == text.npos) {
    return e;
  } else {
    e.real = std::strtold(std::string(text).c_str(), nullptr);
    e.rounded = std::strtod(std::string(text).c_str(), nullptr);
  }
  e.kind = Expression::Kind::real;
  return e;
}

void Where::fail(const std::string& what) const {
  if (line == 0) throw UsageError(what.starts_with(file) ? what : file + ": " + what);
  constexpr std::size_t most = 72;
  std::string quoted = printable(statement);
  if (quoted.size() > most) quoted = quoted.substr(0, most - 3) + "...";
  throw UsageError(fmt::format("{}:{}: `{}`: {}", file, line, quoted, what));
}

const Words Reader::no_words;

Reader::Reader(std::string_view text, const Where& where, const Words& words)
    : where_(where), words_(words), rest_(text) {
  advance();
}

void Reader::advance() {
  rest_.remove_prefix(token_.size());
  while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])) != 0) {
    rest_.remove_prefix(1);
  }
  token_ = rest_.substr(0, token_length(rest_));
}

bool Reader::take(std::string_view token) {
  if (token_ != token || token.empty()) return false;
  advance();
  return true;
}

std::string Reader::quoted() {
  const auto end = rest_.find('\'', 1);
  if (end == rest_.npos) where_.fail("a quote is not closed");
  std::string text(rest_.substr(1, end - 1));
  skip(end + 1);
  return text;
}

std::string Reader::word() {
  std::string text(rest_.substr(0, rest_.find_first_of(" \t")));
  skip(text.size());
  return text;
}

void Reader::skip(std::size_t characters) {
  token_ = rest_.substr(0, characters);
  advance();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const bool quoted = text.front() == '\'';
    const std::size_t end =
        quoted ? text.find('\'', 1)
               : static_cast<std::size_t>(
                     std::find_if(text.begin(), text.end(),
                                  [](unsigned char c) { return std::isspace(c) != 0; }) -
                     text.begin());
    words.emplace_back(text.substr(quoted ? 1 : 0, quoted ? end - 1 : end));
    text.remove_prefix(std::min(text.size(), quoted && end != text.npos ? end + 1 : end));
  }
  return words;
}

std::vector<std::string> words_of(const Statement& s) {
  if (std::ranges::count(s.rest, '\'') % 2 != 0) s.where.fail("a quote is not closed; write '");
  return words_of(s.rest);
}

void unknown_statement(const Statement& s) {
  const std::string& word = s.word;
  if (word.starts_with("//") || word.starts_with("/*")) s.where.fail("a comment begins with #");
  for (const std::string_view known : {"in", "out"}) {
    if (word != std::string(known) + "put") continue;
    s.where.fail(fmt::format("unknown statement `{}`; write {}", word, known));
  }
  if (std::ranges::any_of(word, [](char c) { return (c & 0x80) != 0; })) {
    s.where.fail(
        fmt::format("`{}` is no statement: it has a character beyond ASCII, such as a "
                    "wide blank; type it anew",
                    word));
  }
  s.where.fail(unknown_word("statement", word, statement_words));
}

std::vector<Statement> statements(std::string_view text, const std::string& path) {
  std::vector<Statement> all;
  int number = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a mark of UTF-8
  const std::string_view bytes = text;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (number == 1 || !is_text(line)) check_text(bytes, line, {path, number, {}});
    line = line.substr(0, line.find('#'));
    const bool continues = !line.empty() && std::isspace(static_cast<unsigned char>(line[0])) != 0;
    line = trimmed(line);
    if (line.empty()) continue;
    if (continues && !all.empty()) {
      (all.back().where.statement += ' ') += line;
    } else {
      all.push_back({{path, number, std::string(line)}, {}, {}, {}});
    }
    all.back().lines.push_back({path, number, std::string(line)});
  }
  for (Statement& s : all) {
    const std::string& line = s.where.statement;
    const auto blank = line.find_first_of(" \t");
    s.word = line.substr(0, blank);
    if (blank != line.npos) s.rest = trimmed(std::string_view(line).substr(blank));
    std::string& first = s.lines.front().statement;
    first = trimmed(std::string_view(first).substr(s.word.size()));
  }
  return all;
}

}  // namespace gauntlet::spec
