// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/spelling.hpp"
#include "properties/language/copies.hpp"

namespace gauntlet::spec {
namespace {

/// Where "FUNCTION(" stands from `from` on.
std::size_t find_call(std::string_view text, std::string_view function, std::size_t from = 0) {
  for (auto at = text.find(function, from); at != text.npos; at = text.find(function, at + 1)) {
    const std::string_view behind = text.substr(at + function.size());
    if (behind.starts_with('(') && (at == 0 || !in_name(text[at - 1]))) return at;
  }
  return text.npos;
}

bool asks(std::string_view condition, const Words& words) {
  constexpr std::array<std::string_view, 3> of_types{"T_IS", "ACC_IS", "OP_IS"};
  return find_call(condition, "FIX") != condition.npos ||
         (words.types && std::ranges::any_of(of_types, [&](std::string_view function) {
            return find_call(condition, function) != condition.npos;
          }));
}

bool is_true(const Expression& e, const Where& where) {
  using Code = Expression::Code;
  const auto child = [&](std::size_t k) { return is_true(e.children[k], where); };
  const bool operates = e.kind == Expression::Kind::operation;
  if (e.kind == Expression::Kind::integer) return e.integer != 0;
  if (e.kind == Expression::Kind::logical_not) return !child(0);
  if (operates && e.code == Code::logical_and) return child(0) && child(1);
  if (operates && e.code == Code::logical_or) return child(0) || child(1);
  where.fail(
      "a condition that asks for a fix or a type is of FIX(NAME), T_IS(TYPE), ACC_IS(TYPE), "
      "OP_IS(OPERATOR), 0, 1, !, && and || alone; put another condition inside it");
}

/// Decides the conditions line by line.
class Conditions {
 public:
  Conditions(const std::string& path, const Words& words,
             const std::vector<std::pair<std::string, bool>>& defined)
      : defined_(defined), words_(words) {
    where_.file = path;
  }

  std::string text(std::string_view source) {
    for_each_line(source, [&](std::string_view line) { take(line); });
    if (!open_.empty() && open_.back().decided) where_.fail("its #endif is missing");
    return std::move(text_);
  }

 private:
  /// An #if that is not closed yet.
  struct Open {
    bool decided = false;  ///< here
    bool taken = false;    ///< one of its branches was
    bool shown = true;     ///< the branch that is being read
  };

  void take(std::string_view line) {
    ++where_.line;
    where_.statement = trimmed(line);
    const auto [word, rest] = directive_of(line);
    const bool opens = word == "if" || word == "ifdef" || word == "ifndef";
    if (opens) {
      const auto known = std::ranges::find(defined_, rest, [](const auto& d) { return d.first; });
      const bool decided = word != "if" && known != defined_.end();
      open_.push_back({decided || (word == "if" && asks(rest, words_))});
      if (!open_.back().decided) return show(line);
      open_.back().shown = open_.back().taken =
          decided ? known->second == (word == "ifdef") : holds(rest);
      return;
    }
    const bool decides = !open_.empty() && open_.back().decided;
    if (word == "elif" && !decides && asks(rest, words_)) {
      where_.fail("what the spec decides stands in an #elif of an #if that is not its; nest it");
    }
    if (!decides || (word != "elif" && word != "else" && word != "endif")) {
      show(line);
      if (word == "endif" && !open_.empty()) open_.pop_back();
      return;
    }
    Open& open = open_.back();
    if (word == "endif") {
      open_.pop_back();
    } else {
      open.shown = !open.taken && (word == "else" || holds(rest));
      open.taken |= open.shown;
    }
  }

  bool holds(std::string_view condition) {
    Reader reader(condition, where_, words_);
    const Expression e = reader.expression();
    reader.finish("a condition is FIX(NAME)");
    return is_true(e, where_);
  }

  void show(std::string_view line) {
    for (const Open& open : open_) {
      if (!open.shown) return;
    }
    (text_ += line) += '\n';
  }

  const std::vector<std::pair<std::string, bool>>& defined_;
  const Words& words_;
  Where where_;
  std::string text_;
  std::vector<Open> open_;
};

}  // namespace

Directive directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line = trimmed(line.substr(1));
  std::size_t length = 0;
  while (length < line.size() && in_name(line[length])) ++length;
  const std::string_view rest = line.substr(length);
  return {line.substr(0, length), trimmed(rest.substr(0, rest.find("//")))};
}

std::vector<Asked> asked_in(std::string_view source, std::string_view function) {
  std::vector<Asked> all;
  int number = 0;
  for_each_line(source, [&](std::string_view line) {
    ++number;
    const auto [word, rest] = directive_of(line);
    if (word != "if" && word != "elif") return;
    for (auto at = find_call(rest, function); at != rest.npos;
         at = find_call(rest, function, at + 1)) {
      const std::string_view name = rest.substr(at + function.size() + 1);
      all.push_back({std::string(trimmed(name.substr(0, name.find(')')))), number,
                     std::string(trimmed(line))});
    }
  });
  return all;
}

void fail_unknown(const std::string& path, const Asked& fix,
                  const std::vector<std::string_view>& known) {
  const Where where{path, fix.line, fix.text};
  where.fail(known.empty() ? fmt::format("the spec has no fix; write fix {}: WHY there", fix.name)
                           : unknown_word("fix of the spec", fix.name, known));
}

std::string decided(std::string_view source, const std::string& path, const Words& words,
                    const std::vector<std::pair<std::string, bool>>& defined) {
  return Conditions(path, words, defined).text(source);
}

}  // namespace gauntlet::spec
