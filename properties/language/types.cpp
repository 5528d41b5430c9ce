// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "properties/language/copies.hpp"

namespace gauntlet::spec {
namespace {

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
