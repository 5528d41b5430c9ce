// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of a spec (docs/own_kernels.md): one grammar for sizes, conditions and results.
//
//   ceil(n / (2 * block))                        integers
//   sqrt(sum(x[r, ..] * x[r, ..]) / columns)     elements, slices, reductions, functions
//   count(x[i] > 0 for i in 0 .. n by 2)         what is not a slice is counted out
//   fold(a, b: max(a, b), 0, x)                  any other associative operator
//   OP(x), sizeof(ACC), FIX(barrier)             where a spec has types, an operator, fixes
//   0xFF, -inf, nan                              numbers of arguments and contents
//   T_IS(i32), ACC_IS(f64), OP_IS(min)           1 or 0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "base/usage_error.hpp"

namespace gauntlet::spec {

/// The place of a statement; fail throws UsageError "FILE:LINE: `statement`: what".
struct Where {
  std::string file;
  int line = 0;  ///< 0: of no spec; fail throws "FILE: what"
  std::string statement;
  [[noreturn]] void fail(const std::string& what) const;
  /// What `work` gives; what it refuses is refused of this statement.
  template <class Work>
  auto told(const Work& work) const {
    try {
      return work();
    } catch (const UsageError& error) {
      fail(error.what());
    }
  }
};

/// The reductions that an expression can name.
enum class Reduction : std::uint8_t {
  sum,
  product,
  min,
  max,
  argmin,
  argmax,
  argmin_last,
  argmax_last,
  mean,
  any,
  all,
  count,
  fold
};

/// What T, ACC, OP and FIX stand for where a spec, or a kernel's source, is read for one of its
/// forms, in one combination of its types and operator.
struct Words {
  std::optional<std::pair<Type, Type>> types;  ///< T and ACC; none where the spec has none
  Op op = Op::sum;
  std::vector<std::pair<std::string, bool>> fixes;  ///< and whether the form has it
};

/// An expression as it is read; where its program is bound (properties/language/program.cpp) the
/// names are slots.
struct Expression {
  enum class Kind : std::uint8_t {
    none,     ///< there is no expression
    integer,  ///< `integer`
    real,     ///< `real`
    name,     ///< `text`; bound it is one of the next four, or a cursor
    size,     ///< integers[slot]: a size, a definition or an index
    scalar,   ///< an argument that is no integer
    local,    ///< locals[slot]: of `where`, or fold's operands
    unit,     ///< unit roundoff of the kernel's arithmetic
    element,  ///< of array `text`, whose number is `slot`: an index a child
    slice,    ///< array `text`, for each index two children, the second none where it is no range;
              ///< bound it is a cursor
    cursor,   ///< the element of array `slot` that cursors[slot2] is at
    negation,
    logical_not,
    operation,    ///< `code`, two children
    conditional,  ///< condition, then, else
    function,     ///< `code`
    reduction     ///< see `children`
  } kind = Kind::none;
  enum class Code : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    ceil,
    log2,
    abs,
    exp,
    log,
    sqrt,
    rsqrt,
    tanh,
    pow,
    min,
    max,
    to_float,
    random
  } code = Code::add;
  Reduction reduction = Reduction::sum;
  std::optional<Type> over;  ///< OP's reduction: of nothing it is its identity of this type
  /// Bound: of sizes alone, evaluated as a checked 64-bit integer. Before that: a function that is
  /// whole where its arguments are.
  bool integral = false;
  int slot = 0, slot2 = 0;
  std::int64_t integer = 0;
  long double real = 0;
  double rounded = 0;            ///< real: the double that is nearest to what was written
  const Where* where = nullptr;  ///< bound: the statement
  /// A reduction: body, then over a variable (`text`, bound `slot`, which else is -1) begin, end,
  /// step and condition, none where there is none; then fold's operator and start. Over slices each
  /// slice gives its own element.
  std::vector<Expression> children;
  std::string text;
  std::vector<std::string> operands;  ///< names of fold's, bound locals[slot2] and the next one
  /// A slice of array `array` that a bound reduction steps through with cursor `cursor`.
  struct Slice {
    int array = 0, cursor = 0;
    std::vector<Expression> bounds = {};  ///< two for each extent: index and none, or begin and end
    bool whole = false;                   ///< every element, whatever the extents
  };
  std::vector<Slice> slices;
  /// A reduction in a loop (that over a result's cells, or another reduction) of which it does not
  /// depend: evaluated once, its value is kept under this number until ...
  int kept = -1;
  /// ... a reduction, each time it begins, forgets the values under these.
  std::vector<int> forgets;
  [[nodiscard]] bool present() const { return kind != Kind::none; }
};

/// Something holds of the expression, or of a part of it.
template <class P>
[[nodiscard]] bool any_part(const Expression& e, P&& holds) {
  const auto within = [&](const Expression& part) { return any_part(part, holds); };
  return (e.present() && holds(e)) || std::ranges::any_of(e.children, within) ||
         std::ranges::any_of(e.slices, [&](const Expression::Slice& slice) {
           return std::ranges::any_of(slice.bounds, within);
         });
}

/// Reads an expression from the front of a text, token by token.
class Reader {
 public:
  /// `where` and `words` outlive the reader.
  Reader(std::string_view text, const Where& where, const Words& words = no_words);
  [[nodiscard]] Expression expression();
  /// The next token is this one (and is taken).
  bool take(std::string_view token);
  /// What `before` says behind a semicolon is what to write.
  void expect(std::string_view token, std::string_view before);
  /// A name that is taken; fails with "WHAT is missing", likewise.
  [[nodiscard]] std::string name(std::string_view what);
  /// What is in single quotes; the next token is the first of them.
  [[nodiscard]] std::string quoted();
  /// Whatever stands up to the next blank, and is taken.
  [[nodiscard]] std::string word();
  /// The name of a type, T or ACC.
  [[nodiscard]] Type type();
  [[nodiscard]] Type type(std::string_view name) const;
  [[nodiscard]] std::string_view peek() const { return token_; }
  [[nodiscard]] bool at_end() const { return token_.empty(); }
  /// Takes so many characters.
  void skip(std::size_t characters);
  /// Fails unless all was read.
  void finish(std::string_view advice);
  /// The text that has not been read, the next token included.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  static const Words no_words;

  void advance();
  Expression conditional();
  Expression binary(int level);
  Expression unary();
  Expression primary();
  Expression call(std::string function);
  Expression reduction(Reduction which, std::optional<Type> over, Expression body);
  [[noreturn]] void unknown_function(std::string_view function, bool reduces) const;
  /// Whether the form has the fix that follows.
  bool has_fix();
  std::optional<std::int64_t> known_number(std::string_view function);
  Expression subscript(std::string array);
  Expression fold();

  const Where& where_;
  const Words& words_;
  std::string_view rest_, token_;
  int depth_ = 0;
};

[[nodiscard]] Expression make_integer(std::int64_t value);
[[nodiscard]] Expression make_name(std::string name);
[[nodiscard]] Expression make_operation(Expression::Code code, Expression left, Expression right);
/// `whole`: it is where its arguments are.
[[nodiscard]] Expression make_function(Expression::Code code, std::vector<Expression> arguments,
                                       bool whole);

/// The name stands in it. Of one that is not bound.
[[nodiscard]] bool mentions(const Expression& e, std::string_view name);

/// The operator that expressions spell so: sum, product, min, max.
[[nodiscard]] std::optional<Op> operator_named(std::string_view word);
[[nodiscard]] Op operator_named(std::string_view word, const Where& where);  // UsageError
[[nodiscard]] std::string_view spelling_of(Op op);

/// Of a name: a letter, a digit or _.
[[nodiscard]] bool in_name(char c);
[[nodiscard]] bool starts_name(char c);

// The text of a spec cut into statements: one a line, `#` begins a comment, a line that begins with
// a blank goes on from the one before. And what their expressions are made of.

struct Statement {
  Where where;
  std::string word;  ///< the first: "launch"
  std::string rest;  ///< what follows it
  /// The lines that it is made of, the first without `word`.
  std::vector<Where> lines;
};

[[nodiscard]] std::vector<Statement> statements(std::string_view text, const std::string& path);

/// Without blanks before and behind it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

[[nodiscard]] bool is_digit(char c);
/// Of the name, number or operator that a text begins with.
[[nodiscard]] std::size_t token_length(std::string_view text);
/// A number as it is written; none of a whole one beyond 64 bits.
[[nodiscard]] Expression number_node(std::string_view text);

/// Words apart by blanks; what is in single quotes is one word.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// Those behind the first word. Fails where a quote is not closed.
[[nodiscard]] std::vector<std::string> words_of(const Statement& s);

/// Fails: no statement begins with this word.
[[noreturn]] void unknown_statement(const Statement& s);

}  // namespace gauntlet::spec
