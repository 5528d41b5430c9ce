// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/spelling.hpp"

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

using Code = Expression::Code;
using Kind = Expression::Kind;

struct Function {
  std::string_view name;
  Code code;
  bool whole;  ///< where its arguments are
  std::size_t arguments = 1, optional = 0;
};
constexpr std::size_t any_number = ~std::size_t{0} / 2;
constexpr std::array<Function, 13> functions{{{"ceil", Code::ceil, true},
                                              {"log2", Code::log2, true},
                                              {"abs", Code::abs, true},
                                              {"exp", Code::exp, false},
                                              {"log", Code::log, false},
                                              {"sqrt", Code::sqrt, false},
                                              {"rsqrt", Code::rsqrt, false},
                                              {"tanh", Code::tanh, false},
                                              {"pow", Code::pow, false, 2},
                                              {"float", Code::to_float, false},
                                              {"random", Code::random, true, 2, 1},
                                              {"min", Code::min, true, 2, any_number},
                                              {"max", Code::max, true, 2, any_number}}};

std::optional<Reduction> reduction_named(std::string_view name) {
  for (const auto& [spelling, which] : reductions) {
    if (spelling == name) return which;
  }
  return std::nullopt;
}

struct Operator {
  std::string_view token;
  Code code;
  int level;  ///< the greater, the closer it binds
};
constexpr Operator binary_operators[] = {
    {"||", Code::logical_or, 0}, {"&&", Code::logical_and, 1},   {"==", Code::equal, 2},
    {"!=", Code::unequal, 2},    {"<", Code::less, 3},           {"<=", Code::less_equal, 3},
    {">", Code::greater, 3},     {">=", Code::greater_equal, 3}, {"+", Code::add, 4},
    {"-", Code::subtract, 4},    {"*", Code::multiply, 5},       {"/", Code::divide, 5},
    {"%", Code::remainder, 5}};
constexpr int levels = 6;

Expression made(Kind kind, std::vector<Expression> children, std::string text = {}) {
  Expression e;
  e.kind = kind;
  e.children = std::move(children);
  e.text = std::move(text);
  return e;
}

/// Of these, in order; a braced list would copy them.
template <class... E>
std::vector<Expression> list_of(E... each) {
  std::vector<Expression> all;
  (all.push_back(std::move(each)), ...);
  return all;
}

constexpr bool is_bitwise(std::string_view token) {
  constexpr std::array<std::string_view, 6> operators{"&", "|", "^", "~", "<<", ">>"};
  return std::ranges::find(operators, token) != operators.end();
}

/// What a spec has for a spelling of C, Python or mathematics, behind "; "; empty for any other.
std::string_view advised(std::string_view token) {
  if (token == ":") return "; a range is lo .. hi";
  if (token == ";") return "; a statement ends with its line";
  if (token == ".") return "; the size of a block is block, the number of blocks is blocks";
  if (token == "*") return "; a power is pow(a, b)";
  if (token == "^") return "; a power is pow(a, b), and there are no bitwise operators";
  if (is_bitwise(token)) return "; there are no bitwise operators";
  return token == "and" ? "; write &&" : token == "or" ? "; write ||" : "";
}

/// The same of a function.
std::string_view advised_for(std::string_view function) {
  if (function == "range") return "; write `for i in 0 .. n`";
  if (function == "dim3") return "; write extents with commas, grid=4,2";
  return {};
}

}  // namespace

void Reader::expect(std::string_view token, std::string_view before) {
  if (take(token)) return;
  if (at_end()) where_.fail(fmt::format("`{}` is missing before {}", token, before));
  const bool closes = token == ")" || token == "]";
  const bool operand = starts_name(token_[0]) || is_digit(token_[0]) || token_[0] == '(';
  const std::string_view advice = before.substr(std::min(before.find(';'), before.size()));
  where_.fail(fmt::format("`{}`{} is missing before `{}`{}", token,
                          closes && operand ? ", a comma or an operator" : "", token_,
                          closes || is_bitwise(token_) ? advised(token_) : advice));
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
    condition = made(Kind::conditional,
                     list_of(std::move(condition), std::move(then), std::move(otherwise)));
  }
  --depth_;
  return condition;
}

Expression Reader::binary(int level) {
  if (level == levels) return unary();
  Expression left = binary(level + 1);
  while (true) {
    const auto op = std::ranges::find_if(
        binary_operators, [&](const Operator& o) { return o.level == level && o.token == token_; });
    if (op == std::end(binary_operators)) return left;
    advance();
    left = make_operation(op->code, std::move(left), binary(level + 1));
  }
}

Expression Reader::unary() {
  const bool negation = token_ == "-";
  if (!negation && token_ != "!") return primary();
  advance();
  if (++depth_ > 100) where_.fail("the expression is nested more than 100 deep; use `let`");
  Expression operand = unary();
  --depth_;
  return made(negation ? Kind::negation : Kind::logical_not, list_of(std::move(operand)));
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
    if (!read.present()) where_.fail(fmt::format("`{}` does not fit into 64 bits", token_));
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
  return make_name(std::move(word));
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
  std::vector<Expression> arguments = list_of(conditional());
  const auto known = std::ranges::find(functions, function, &Function::name);
  // min(a, b) is of two numbers, min(x) of an array.
  if (which && token_ != ",") return reduction(*which, over, std::move(arguments.front()));
  while (take(",")) arguments.push_back(conditional());
  expect(")", "the end");
  if (known == functions.end()) unknown_function(function, which.has_value());
  if (arguments.size() < known->arguments ||
      arguments.size() > known->arguments + known->optional) {
    where_.fail(fmt::format("{} takes {} argument{}, not {}", function, known->arguments,
                            known->arguments == 1 ? "" : "s", arguments.size()));
  }
  return make_function(known->code, std::move(arguments), known->whole);
}

void Reader::unknown_function(std::string_view function, bool reduces) const {
  if (reduces) {
    where_.fail(fmt::format("{0} takes one argument; write {0}(x[lo .. hi])", function));
  }
  constexpr std::size_t telling = 4;  // of shorter names one is a letter from the next
  std::vector<std::string_view> names;
  for (const Function& known : functions) names.push_back(known.name);
  for (const auto& [reduction, which] : reductions) {
    if (std::ranges::count(names, reduction) == 0) names.push_back(reduction);
  }
  if (function.size() >= telling) where_.fail(unknown_word("function", function, names));
  where_.fail(
      fmt::format("unknown function `{}`; write one of {}", function, fmt::join(names, ", ")));
}

Expression Reader::reduction(Reduction which, std::optional<Type> over, Expression body) {
  Expression e = made(Kind::reduction, list_of(std::move(body)));
  e.reduction = which;
  e.over = over;
  e.children.resize(5);
  if (take("for")) {
    e.text = name("a variable behind `for`");
    if (!take("in")) where_.fail("`in` is missing; write `for i in 0 .. n`");
    e.children[1] = conditional();
    expect("..", "the end of the range");
    e.children[2] = conditional();
    e.children[3] = take("by") ? conditional() : make_integer(1);
    if (take("if")) e.children[4] = conditional();
  }
  expect(")", "the end");
  return e;
}

Expression Reader::subscript(std::string array) {
  expect("[", "an index");
  std::vector<Expression> bounds;
  bool slice = false;
  do {
    Expression begin = token_ == ".." ? Expression{} : conditional();
    Expression end;
    if (take("..")) {
      slice = true;
      if (token_ != "]" && token_ != ",") end = conditional();
      if (!begin.present()) begin = make_integer(0);
      // An end that is left out is the extent.
      if (!end.present()) end = make_name("..");
    }
    bounds.push_back(std::move(begin));
    bounds.push_back(std::move(end));
  } while (take(","));
  expect("]", "the end");
  if (slice) return made(Kind::slice, std::move(bounds), std::move(array));
  std::erase_if(bounds, [](const Expression& bound) { return !bound.present(); });
  return made(Kind::element, std::move(bounds), std::move(array));
}

Expression Reader::fold() {
  constexpr std::string_view advice = "write fold(a, b: a + b, START, x)";
  const auto told = [&](std::string_view what) { return fmt::format("{}; {}", what, advice); };
  std::vector<std::string> operands{name(told("the first operand's name"))};
  expect(",", told("the second operand's name"));
  operands.push_back(name(told("the second operand's name")));
  expect(":", told("the operator"));
  Expression op = conditional();
  expect(",", told("the start value"));
  Expression start = conditional();
  expect(",", told("the array"));
  Expression e =
      made(Kind::reduction, list_of(conditional(), Expression{}, Expression{}, Expression{},
                                    Expression{}, std::move(op), std::move(start)));
  e.reduction = Reduction::fold;
  e.operands = std::move(operands);
  expect(")", "the end");
  return e;
}

bool mentions(const Expression& e, std::string_view name) {
  return any_part(
      e, [&](const Expression& part) { return part.kind == Kind::name && part.text == name; });
}

Expression make_name(std::string name) { return made(Kind::name, {}, std::move(name)); }

Expression make_integer(std::int64_t value) {
  Expression e = made(Kind::integer, {});
  e.integer = value;
  return e;
}

Expression make_operation(Code code, Expression left, Expression right) {
  Expression e = made(Kind::operation, list_of(std::move(left), std::move(right)));
  e.code = code;
  return e;
}

Expression make_function(Code code, std::vector<Expression> arguments, bool whole) {
  Expression e = made(Kind::function, std::move(arguments));
  e.code = code;
  e.integral = whole;
  return e;
}

}  // namespace gauntlet::spec
