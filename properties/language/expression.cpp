// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/spelling.hpp"
#include "properties/language/statements.hpp"
#include "properties/language/types.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::array<std::pair<std::string_view, Reduction>, 13> reductions{
    {{"sum", Reduction::sum},
     {"product", Reduction::product},
     {"min", Reduction::min},
     {"max", Reduction::max},
     {"argmin", Reduction::argmin},
     {"argmax", Reduction::argmax},
     {"argmin_last", Reduction::argmin_last},
     {"argmax_last", Reduction::argmax_last},
     {"mean", Reduction::mean},
     {"any", Reduction::any},
     {"all", Reduction::all},
     {"count", Reduction::count},
     {"fold", Reduction::fold}}};

struct Function {
  std::string_view name;
  std::size_t arguments, optional = 0;
};
constexpr std::array<Function, 11> functions{{{"ceil", 1},
                                              {"log2", 1},
                                              {"abs", 1},
                                              {"exp", 1},
                                              {"log", 1},
                                              {"sqrt", 1},
                                              {"rsqrt", 1},
                                              {"tanh", 1},
                                              {"pow", 2},
                                              {"float", 1},
                                              {"random", 2, 1}}};

std::optional<Reduction> reduction_named(std::string_view name) {
  for (const auto& [spelling, which] : reductions) {
    if (spelling == name) return which;
  }
  return std::nullopt;
}

constexpr std::array<std::array<std::string_view, 4>, 6> levels{
    {{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}};

/// What a spec has for a spelling of C, Python or mathematics, behind "; "; empty for any other.
std::string_view advised(std::string_view token) {
  if (token == ":") return "; a range is lo .. hi";
  if (token == ";") return "; a statement ends with its line";
  if (token == ".") return "; the size of a block is block, the number of blocks is blocks";
  if (token == "^" || token == "*") return "; a power is pow(a, b)";
  return token == "and" ? "; write &&" : token == "or" ? "; write ||" : "";
}

/// The same of a function.
std::string_view advised_for(std::string_view function) {
  if (function == "range") return "; write `for i in 0 .. n`";
  if (function == "dim3") return "; write extents with commas, grid=4,2";
  return {};
}

}  // namespace

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

void Reader::expect(std::string_view token, std::string_view before) {
  if (take(token)) return;
  if (at_end()) where_.fail(fmt::format("`{}` is missing before {}", token, before));
  const bool closes = token == ")" || token == "]";
  const bool operand = starts_name(token_[0]) || is_digit(token_[0]) || token_[0] == '(';
  const std::string_view advice = before.substr(std::min(before.find(';'), before.size()));
  where_.fail(fmt::format("`{}`{} is missing before `{}`{}", token,
                          closes && operand ? ", a comma or an operator" : "", token_,
                          closes ? advised(token_) : advice));
}

std::string Reader::name(std::string_view what) {
  if (at_end() || !starts_name(token_[0])) {
    const std::string_view named = what.substr(0, what.find(';'));
    where_.fail(fmt::format("{} is missing{}{}", named,
                            at_end() ? std::string{} : fmt::format(" before `{}`", token_),
                            what.substr(named.size())));
  }
  std::string name(token_);
  advance();
  return name;
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

Type Reader::type() { return type(name("the type")); }

Type Reader::type(std::string_view word) const {
  const bool of_input = word == "T";
  if (of_input || word == "ACC") {
    if (!words_.types) where_.fail(fmt::format("{} needs a statement: types f32->f32", word));
    return of_input ? words_.types->first : words_.types->second;
  }
  if (const auto type = gauntlet::parse<Type>(word)) return *type;
  std::vector<std::string_view> known(enum_names<Type>.begin(), enum_names<Type>.end());
  known.emplace_back("ptr");
  where_.fail(unknown_type(word, known));
}

bool Reader::has_fix() {
  const std::string fix = name("the fix");
  std::vector<std::string_view> known;
  for (const auto& [other, has] : words_.fixes) {
    if (other == fix) return has;
    known.push_back(other);
  }
  if (known.empty()) {
    where_.fail(fmt::format("FIX({}): the spec has no fix; write fix {}: WHY", fix, fix));
  }
  where_.fail(unknown_word("fix", fix, known));
}

void Reader::finish(std::string_view advice) {
  if (at_end()) return;
  const std::string_view ours = peek() == "=" ? "; == compares" : advised(token_);
  where_.fail(fmt::format("`{}` is not understood here{}{}", rest_, ours.empty() ? "; " : ours,
                          ours.empty() ? advice : ""));
}

Expression Reader::expression() { return conditional(); }

Expression Reader::conditional() {
  if (++depth_ > 100) where_.fail("the expression is nested more than 100 deep; use `let`");
  Expression condition = binary(0);
  if (take("?")) {
    Expression then = conditional();
    expect(":", "the end");
    Expression otherwise = conditional();
    condition = make_node(Node::Kind::conditional,
                          {std::move(condition), std::move(then), std::move(otherwise)});
  }
  --depth_;
  return condition;
}

Expression Reader::binary(int level) {
  if (level == static_cast<int>(levels.size())) return unary();
  Expression left = binary(level + 1);
  while (true) {
    std::string_view found;
    for (const std::string_view op : levels[static_cast<std::size_t>(level)]) {
      if (!op.empty() && op == token_) found = op;
    }
    if (found.empty()) return left;
    advance();
    Expression right = binary(level + 1);
    left = make_node(Node::Kind::binary, {std::move(left), std::move(right)}, std::string(found));
  }
}

Expression Reader::unary() {
  const bool negation = token_ == "-";
  if (!negation && token_ != "!") return primary();
  advance();
  if (++depth_ > 100) where_.fail("the expression is nested more than 100 deep; use `let`");
  Expression operand = unary();
  --depth_;
  return make_node(negation ? Node::Kind::negation : Node::Kind::logical_not, {std::move(operand)});
}

Expression Reader::primary() {
  if (take("(")) {
    Expression inner = conditional();
    expect(")", "the end");
    return inner;
  }
  if (at_end()) where_.fail("an expression is missing at the end");
  if (is_digit(token_[0]) || (token_[0] == '.' && token_.size() > 1 && token_ != "..")) {
    const std::string_view number = token_;
    Expression read = number_node(number);
    if (read == nullptr) where_.fail(fmt::format("`{}` does not fit into 64 bits", token_));
    advance();
    if (token_ == "f" && std::isspace(static_cast<unsigned char>(rest_.data()[-1])) == 0) {
      where_.fail(fmt::format("`{0}f`: a number has no suffix; write {0}", number));
    }
    return read;
  }
  if (!starts_name(token_[0])) {
    where_.fail(fmt::format("`{}` begins no expression{}", token_, advised(token_)));
  }
  std::string word(token_);
  advance();
  if (token_ == "(") return call(std::move(word));
  if (token_ == "[") return subscript(std::move(word));
  if (word == "inf" || word == "nan") return number_node(word);
  return make_node(Node::Kind::name, {}, std::move(word));
}

/// What the words alone decide, behind the "(": sizeof(T), FIX(barrier), T_IS(i32).
std::optional<std::int64_t> Reader::known_number(std::string_view function) {
  if (function == "sizeof") return static_cast<std::int64_t>(size_of(type()));
  if (function == "FIX") return has_fix() ? 1 : 0;
  const bool of_operator = function == "OP_IS";
  if (!of_operator && function != "T_IS" && function != "ACC_IS") return std::nullopt;
  if (!words_.types) where_.fail(fmt::format("{} needs a statement: types f32->f32", function));
  if (!of_operator) {
    return type() == (function == "T_IS" ? words_.types->first : words_.types->second) ? 1 : 0;
  }
  return operator_named(name("the operator"), where_) == words_.op ? 1 : 0;
}

Expression Reader::call(std::string function) {
  expect("(", "its arguments");
  if (const auto known = known_number(function)) {
    expect(")", "the end");
    return make_integer(*known);
  }
  std::optional<Type> over;
  if (function == "OP") {
    if (!words_.types) where_.fail("OP needs statements: types f32->f32, and operator sum");
    function = std::string(spelling_of(words_.op));
    over = words_.types->second;
  }
  const auto which = reduction_named(function);
  if (which == Reduction::fold) return fold();
  if (token_ == ")") {
    where_.fail(fmt::format("{} is of nothing; write {}({})", function, function,
                            which ? "x[lo .. hi]" : "EXPRESSION"));
  }
  if (const auto advice = advised_for(function); !advice.empty()) {
    where_.fail(fmt::format("unknown function `{}`{}", function, advice));
  }
  std::vector<Expression> arguments{conditional()};
  // min(a, b) is of two numbers, min(x) of an array.
  const bool two = which == Reduction::min || which == Reduction::max;
  if (which && !(two && token_ == ",")) {
    if (which == Reduction::min || which == Reduction::max || token_ != ",") {
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::reduction;
      node->reduction = *which;
      node->over = over;
      node->children = {arguments[0], nullptr, nullptr, nullptr, nullptr};
      if (take("for")) {
        node->text = name("a variable behind `for`");
        if (!take("in")) where_.fail("`in` is missing; write `for i in 0 .. n`");
        node->children[1] = conditional();
        expect("..", "the end of the range");
        node->children[2] = conditional();
        node->children[3] = take("by") ? conditional() : make_integer(1);
        if (take("if")) node->children[4] = conditional();
      }
      expect(")", "the end");
      return node;
    }
  }
  while (take(",")) arguments.push_back(conditional());
  expect(")", "the end");
  if (two) return make_node(Node::Kind::call, std::move(arguments), std::move(function));
  std::vector<std::string_view> names;
  for (const Function& known : functions) {
    names.push_back(known.name);
    if (known.name != function) continue;
    if (arguments.size() < known.arguments || arguments.size() > known.arguments + known.optional) {
      where_.fail(fmt::format("{} takes {} argument{}, not {}", function, known.arguments,
                              known.arguments == 1 ? "" : "s", arguments.size()));
    }
    return make_node(Node::Kind::call, std::move(arguments), std::move(function));
  }
  for (const auto& known : reductions) names.push_back(known.first);
  where_.fail(which
                  ? fmt::format("{} takes one argument; write {}(x[lo .. hi])", function, function)
                  : unknown_word("function", function, names));
}

Expression Reader::subscript(std::string array) {
  expect("[", "an index");
  std::vector<Expression> bounds;
  bool slice = false;
  do {
    Expression begin = token_ == ".." ? nullptr : conditional();
    Expression end;
    if (take("..")) {
      slice = true;
      if (token_ != "]" && token_ != ",") end = conditional();
      if (begin == nullptr) begin = make_integer(0);
      // An end that is left out is the extent.
      if (end == nullptr) end = make_node(Node::Kind::name, {}, "..");
    }
    bounds.push_back(std::move(begin));
    bounds.push_back(std::move(end));
  } while (take(","));
  expect("]", "the end");
  if (slice) return make_node(Node::Kind::slice, std::move(bounds), std::move(array));
  std::vector<Expression> indices;
  for (std::size_t k = 0; k < bounds.size(); k += 2) indices.push_back(bounds[k]);
  return make_node(Node::Kind::element, std::move(indices), std::move(array));
}

Expression Reader::fold() {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::reduction;
  node->reduction = Reduction::fold;
  node->text2 = name("the first operand's name; write fold(a, b: a + b, START, x)");
  expect(",", "the second operand's name; write fold(a, b: a + b, START, x)");
  node->text3 = name("the second operand's name; write fold(a, b: a + b, START, x)");
  expect(":", "the operator; write fold(a, b: a + b, START, x)");
  Expression op = conditional();
  expect(",", "the start value; write fold(a, b: a + b, START, x)");
  Expression start = conditional();
  expect(",", "the array; write fold(a, b: a + b, START, x)");
  node->children = {conditional(), nullptr,       nullptr,         nullptr,
                    nullptr,       std::move(op), std::move(start)};
  expect(")", "the end");
  return node;
}

}  // namespace gauntlet::spec
