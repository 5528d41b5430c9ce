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

#include <cstddef>
#include <cstdint>
#include <memory>
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

struct Node;
using Expression = std::shared_ptr<const Node>;

struct Node {
  enum class Kind : std::uint8_t {
    integer,      ///< `integer`
    real,         ///< `real`
    name,         ///< `text`
    negation,     ///< one child
    logical_not,  ///< one child
    binary,       ///< `text` is the operator, two children
    conditional,  ///< condition, then, else
    call,         ///< `text` is the function
    element,      ///< array `text`, an index a child
    slice,        ///< array `text`, for each index two children, the second null where it is no
                  ///< range; both null: the whole extent
    reduction     ///< see below
  } kind = Kind::integer;
  std::int64_t integer = 0;
  long double real = 0;
  double rounded = 0;  ///< real: the double that is nearest to what was written
  std::string text;
  std::vector<Expression> children;
  // A reduction of children[0] over variable `text` from children[1] to children[2] (not
  // included) in steps of children[3], where children[4] is not null only where that is true.
  // Over slices children[1] and [2] are null, and each slice gives its own element. fold: `text2`
  // and `text3` are the two operands' names, children[5] the operator, children[6] the start.
  Reduction reduction = Reduction::sum;
  std::string text2, text3;
  std::optional<Type> over;  ///< OP's: its identity of this type is what it is of nothing
};

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
  /// Whether the form has the fix that follows.
  bool has_fix();
  std::optional<std::int64_t> known_number(std::string_view function);
  Expression reduction(Reduction which);
  Expression subscript(std::string array);
  Expression fold();

  const Where& where_;
  const Words& words_;
  std::string_view rest_, token_;
  int depth_ = 0;
};

[[nodiscard]] Expression make_node(Node::Kind kind, std::vector<Expression> children,
                                   std::string text = {});
[[nodiscard]] Expression make_integer(std::int64_t value);

/// Of a name: a letter, a digit or _.
[[nodiscard]] bool in_name(char c);

/// Calls f(node) for the node and everything below it.
template <class F>
void visit(const Expression& e, F&& f) {
  if (e == nullptr) return;
  f(*e);
  for (const Expression& child : e->children) visit(child, f);
}

}  // namespace gauntlet::spec
