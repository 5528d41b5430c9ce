// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec with every name looked up, made once and evaluated for each case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/language/spec.hpp"

namespace gauntlet::spec {

/// An expression whose names are slots.
struct Bound {
  enum class Kind : std::uint8_t {
    integer,
    real,
    size,     ///< integers[slot]: a size, a definition or an index
    scalar,   ///< an argument that is no integer
    local,    ///< locals[slot]: of `where`, or fold's operands
    unit,     ///< unit roundoff of the kernel's arithmetic
    element,  ///< of array `slot`
    cursor,   ///< the element of array `slot` that cursors[slot2] is at
    negation,
    logical_not,
    operation,  ///< `code`
    conditional,
    function,  ///< `code`
    reduction
  } kind = Kind::integer;
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
  std::optional<Type> over;  ///< as Node's
  bool integral = false;     ///< of sizes alone: evaluated as a checked 64-bit integer
  int slot = 0, slot2 = 0;
  std::int64_t integer = 0;
  long double real = 0;
  double rounded = 0;  ///< as Node's
  const Where* where = nullptr;
  /// A reduction: body, then begin, end, step, condition where `slot` >= 0 (the variable), and
  /// fold's operator and start. An absent one is an empty Bound of kind integer with where null.
  std::vector<Bound> children;
  /// A slice of array `array` that a reduction steps through with cursor `cursor`.
  struct Slice {
    int array = 0, cursor = 0;
    std::vector<Bound> bounds;  ///< two for each extent: index and absent, or begin and end
    bool whole = false;         ///< every element, whatever the extents
  };
  std::vector<Slice> slices;
  /// A reduction in a loop (that over a result's cells, or another reduction) of which it does not
  /// depend: evaluated once, its value is kept under this number until ...
  int kept = -1;
  /// ... a reduction, each time it begins, forgets the values under these.
  std::vector<int> forgets;
  [[nodiscard]] bool present() const { return where != nullptr; }
};

/// Something holds of the expression, or of a part of it.
template <class P>
[[nodiscard]] bool any_part(const Bound& b, P&& holds) {
  const auto within = [&](const Bound& part) { return any_part(part, holds); };
  return holds(b) || std::ranges::any_of(b.children, within) ||
         std::ranges::any_of(b.slices, [&](const Bound::Slice& slice) {
           return std::ranges::any_of(slice.bounds, within);
         });
}

/// It hangs on a definition behind `where` that is no whole number.
[[nodiscard]] inline bool has_local(const Bound& b) {
  return any_part(b, [](const Bound& part) { return part.kind == Bound::Kind::local; });
}

struct BoundDefinition {
  std::string name;
  int slot = 0;
  bool integral = false;
  Bound value;
  std::vector<int> variables;  ///< slots of the result's variables that it hangs on
};

struct BoundResult {
  std::vector<Bound> cell;     ///< absent where the index is a variable
  std::vector<int> variables;  ///< their slots, -1 where the index is an expression
  Bound value, height, within, only;
  std::vector<BoundDefinition> definitions;
  std::vector<int> forgets;  ///< as Bound's, each time another row begins
};

struct BoundArray {
  std::vector<Bound> extents;
  Bound content, pad, pad_content;
  std::vector<Bound> list;
};

struct BoundLaunch {
  std::vector<Bound> grid, block;
  Bound shared, only;
};

struct Program {
  Spec spec;
  int integers = 0, locals = 0, cursors = 0, kept = 0, index_slot = 0;
  int block_slot = 0, grid_slot = 0, offset_slot = 0;
  std::vector<BoundDefinition> definitions;  ///< `let`, grid, block, blocks; in an order in which
                                             ///< each needs earlier ones only
  std::vector<BoundArray> arrays;
  std::vector<Bound> scalars;
  std::vector<std::vector<Bound>> members;  ///< of each of them
  std::vector<BoundLaunch> launches;
  std::vector<Bound> requirements;
  std::vector<BoundResult> results;
  Bound by_within;  ///< absent where there is none

  Program() = default;
  Program(const Program&) = delete;  // Bound::where points into spec
  Program& operator=(const Program&) = delete;
};

/// Looks up every name. Throws UsageError ("FILE:LINE: ..."), also for names that need each other.
void bind(Program& program, Spec spec);

}  // namespace gauntlet::spec
