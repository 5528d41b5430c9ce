// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program's expressions for one choice of sizes and one content of the arrays.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupted.hpp"
#include "properties/language/real.hpp"
#include "properties/language/spec.hpp"
#include "properties/oracle/value.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet::spec {

using gauntlet::whole;
using Wide = unsigned __int128;
inline __int128 wrapped(Wide value) { return static_cast<__int128>(value); }

/// Of a NaN no relation holds but !=.
template <class N>
[[nodiscard]] constexpr bool holds(Expression::Code relation, const N& x, const N& y) {
  switch (relation) {
    case Expression::Code::equal:
      return x == y;
    case Expression::Code::unequal:
      return x != y;
    case Expression::Code::less:
      return x < y;
    case Expression::Code::less_equal:
      return x <= y;
    case Expression::Code::greater:
      return x > y;
    default:
      return x >= y;
  }
}

/// Of reductions: no term goes through more additions than that.
using Heights = std::map<const Expression*, std::uint64_t>;

/// The elements of an array, row-major.
struct View {
  std::span<const std::byte> bytes;
  std::uint64_t count = 0, columns = 0;  ///< columns: of the last extent
  /// Of extent number `k` of so many; rows without an element are as many as one asks for.
  [[nodiscard]] std::uint64_t extent(std::size_t k, std::size_t extents) const {
    if (extents == 1) return count;
    return k == 1 ? columns : columns == 0 ? UINT64_MAX : count / columns;
  }
};

class Evaluator {
 public:
  /// `sizes` in the order of Spec::sizes. Evaluates every definition; UsageError for an overflow or
  /// a division by zero, with the sizes at which it happens.
  /// `offset`: bytes between an aligned address and where arrays begin that may begin anywhere.
  Evaluator(const Program& program, std::span<const std::uint64_t> sizes, std::uint64_t offset = 0);

  /// Of sizes alone, as a checked 64-bit integer.
  [[nodiscard]] std::int64_t integer(const Expression& b);
  /// The same where it must not be negative: an extent.
  [[nodiscard]] std::uint64_t count(const Expression& b);
  [[nodiscard]] std::uint64_t elements(std::size_t array);
  /// Those behind the last one that may be accessed as well.
  [[nodiscard]] std::uint64_t pad(std::size_t array) {
    const Expression& pad = program_.spec.arrays[array].pad;
    return pad.present() ? count(pad) : 0;
  }
  [[nodiscard]] std::int64_t& slot(int slot) { return integers_[static_cast<std::size_t>(slot)]; }

  /// The bits of a scalar argument, or of element i of a content; UsageError where its type does
  /// not hold the value, unless it `wraps`. `seed`: of random(lo, hi).
  [[nodiscard]] std::uint64_t bits(const Expression& b, Type type, std::uint64_t seed = 0,
                                   bool wraps = false);

  /// How deep the additions of a sum are, where the spec does not say: any_order takes the deepest
  /// tree, flattest the one that is least deep, so that no tree allows less; running is any_order,
  /// and means may be running ones. `heights`: known ones of sums and means, in place of any_order.
  enum class Depth : std::uint8_t { any_order, flattest, running };
  void set_depth(Depth depth, const Heights* heights = nullptr) {
    depth_ = depth;
    heights_ = heights;
  }

  /// The bounds of fast functions, whatever the spec says.
  void set_fast(bool fast) { fast_ = fast; }

  /// Divisions are products with the rounded reciprocal, `a * (1.0 / b)`.
  void set_reciprocals(bool reciprocals) { reciprocals_ = reciprocals; }

  /// Once true, what takes longer than a moment ends by Interrupted. Null: nothing does.
  void set_interrupted(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  /// What results refer to. The views must live on.
  void set_arrays(std::vector<View> views) { views_ = std::move(views); }
  /// So many elements of an array are there.
  void set_count(std::size_t array, std::uint64_t count) { views_[array].count = count; }

  /// To be called from within for_each_cell: where the result is a plain sum, product, minimum or
  /// maximum, what of it is missing or too much in `got` (properties/oracle/diagnose.hpp).
  [[nodiscard]] std::string reason(std::size_t result, Type type, std::uint64_t got,
                                   const Value& expected);

  /// Of the elements that the first result summed when it was gone through, where it is a sum of
  /// elements that are floats.
  [[nodiscard]] std::optional<SumReference> reference();

  /// Calls f(index, value, decided) for each cell that a result names, in order; `value` is what
  /// the array must hold, converted to its type's arithmetic.
  template <class F>
  void for_each_cell(std::size_t result, F&& f) {
    values_.assign(static_cast<std::size_t>(program_.kept), std::nullopt);
    walk_cells(
        result, [&](const Definition& d) { define(d); },
        [&](std::uint64_t index) {
          const Value value = cell(result);
          f(index, value, !arithmetic_.undecided());
        });
    values_.clear();
  }

 private:
  friend class Formula;  // walks the same expressions, with forms in place of values

  /// The variables of each cell that a result names stand at it. Calls define(d) where a definition
  /// is to be made anew that is no whole number, then f(index).
  template <class D, class F>
  void walk_cells(std::size_t result, D&& define, F&& f) {
    const Result& r = program_.spec.results[result];
    const std::size_t array = program_.spec.results[result].array;
    const Array& a = program_.spec.arrays[array];
    begin(result);
    if (r.only.present() && integer(r.only) == 0) return;
    const std::uint64_t columns = a.extents.size() == 2 ? count(a.extents[1]) : 1;
    const auto rows = range(r, 0, count(a.extents[0]), array);
    const auto inner = a.extents.size() == 2 ? range(r, 1, columns, array) : Range{0, 1};
    std::vector<std::vector<std::int64_t>> keys(r.definitions.size());
    std::vector<bool> known(r.definitions.size());
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
      forget(r.forgets);
      for (std::uint64_t column = inner.first; column < inner.last; ++column) {
        if (r.slots[0] >= 0) slot(r.slots[0]) = static_cast<std::int64_t>(row);
        if (r.slots.size() == 2 && r.slots[1] >= 0) {
          slot(r.slots[1]) = static_cast<std::int64_t>(column);
        }
        look();
        for (std::size_t k = 0; k < r.definitions.size(); ++k) {
          const Definition& d = r.definitions[k];
          std::vector<std::int64_t> key;
          for (const int variable : d.variables) key.push_back(slot(variable));
          if (known[k] && keys[k] == key) continue;
          known[k] = true;
          keys[k] = std::move(key);
          if (d.integral) {
            slot(d.slot) = integer(d.value);
          } else {
            define(d);
          }
        }
        f(row * columns + column);
      }
    }
  }
  struct Range {
    std::uint64_t first = 0, last = 0;
  };
  struct Cursor {
    std::uint64_t at = 0, stride = 0;
  };
  struct Steps {
    std::int64_t begin = 0, end = 0, step = 1;
  };

  void begin(std::size_t result);
  Range range(const Result& r, std::size_t k, std::uint64_t extent, std::size_t array);
  void define(const Definition& d);
  Value cell(std::size_t result);
  Value value(const Expression& b);
  Real real(const Expression& b);
  bool truth(const Expression& b);
  Value operation(const Expression& b);
  /// Of whole numbers, modulo I's width; and whether that is another number.
  template <class I>
  std::pair<I, bool> whole_operation(const Expression& b, Expression::Code code, I x, I y) const {
    using Code = Expression::Code;
    const bool divides = code == Code::divide || code == Code::remainder;
    if (divides && y == 0) fail(b, "a division by zero");
    I result = 0;
    bool overflows = false;
    if (code == Code::add) {
      overflows = __builtin_add_overflow(x, y, &result);
    } else if (code == Code::multiply) {
      overflows = __builtin_mul_overflow(x, y, &result);
    } else if (code == Code::subtract || (code == Code::divide && y == -1)) {
      overflows = __builtin_sub_overflow(divides ? 0 : x, divides ? x : y, &result);
    } else if (divides) {
      result = code == Code::divide ? x / y : y == -1 ? 0 : x % y;
    } else {
      result = holds(code, x, y) ? 1 : 0;
    }
    return {result, overflows};
  }
  Value function(const Expression& b);
  std::uint64_t random_word(const Expression& b);
  long double random_real(const Expression& b);
  Value reduction(const Expression& b);
  Value reduced(const Expression& b);
  Value mean(const Expression& b);
  Value load(int array, std::uint64_t index) const;
  /// Of an element: where it lies in its array.
  std::uint64_t index(const Expression& b);
  void tell_apart(const Real& x, const Real& y);
  [[nodiscard]] std::optional<bool> compare_literal(const Expression& b, const Value& x,
                                                    const Value& y) const;
  std::uint64_t open_slices(const Expression& b);
  /// A reduction whose terms are elements, one behind another: where they lie.
  struct Stretch {
    Type type = Type::f32;
    const std::byte* elements = nullptr;
    std::uint64_t count = 0;
  };
  std::optional<Stretch> stretch(const Expression& b);
  void sum_all(const Stretch& some);
  Steps steps_of(const Expression& b);
  template <class F>
  void for_each_term(const Expression& b, F&& f);
  /// Calls f(index) for each term of a reduction, whose variable or slices stand there.
  template <class F>
  void for_each_index(const Expression& b, F&& f) {
    forget(b.forgets);
    if (b.slot < 0) {
      const std::uint64_t length = open_slices(b);
      for (std::uint64_t k = 0; k < length; ++k) {
        look();
        f(static_cast<std::int64_t>(k));
        for (const Expression::Slice& slice : b.slices) {
          Cursor& cursor = cursors_[static_cast<std::size_t>(slice.cursor)];
          cursor.at += cursor.stride;
        }
      }
      return;
    }
    const Steps steps = steps_of(b);
    for (std::int64_t i = steps.begin; i < steps.end; i += steps.step) {
      look();
      slot(b.slot) = i;
      if (b.children[4].present() && !truth(b.children[4])) continue;
      f(i);
    }
  }
  /// At each cell and term: so many come to their end in a moment, whatever has come meanwhile.
  void look() {
    constexpr std::uint64_t a_moment = 1 << 16;
    if (++looked_ % a_moment == 0 && interrupted_ != nullptr && *interrupted_) throw Interrupted();
  }
  void forget(const std::vector<int>& kept) {
    if (values_.empty()) return;
    for (const int k : kept) values_[static_cast<std::size_t>(k)].reset();
  }
  [[noreturn]] void fail(const Expression& b, const std::string& what) const;

  const Program& program_;
  std::vector<std::int64_t> integers_;
  std::vector<Value> locals_;
  std::vector<Cursor> cursors_;
  std::vector<View> views_;
  std::vector<Real> scalars_;
  std::uint64_t seed_ = 0;  // of the content that is made, and its type
  Type type_ = Type::f64;
  // of the result that is evaluated
  Arithmetic arithmetic_{Type::f32, false};
  [[nodiscard]] std::uint64_t height_of(const Expression& b, std::int64_t terms) const;
  std::uint64_t height_ = 0;
  Depth depth_ = Depth::any_order;
  bool fast_ = false, reciprocals_ = false;
  const Heights* heights_ = nullptr;
  bool real_division_ = false;
  std::set<int> undecided_;  ///< slots of its definitions that are not decided
  struct Known {
    Value value;
    bool undecided = false;
  };
  /// By Expression::kept; empty where no cells are gone through.
  std::vector<std::optional<Known>> values_;
  const std::atomic<bool>* interrupted_ = nullptr;
  std::optional<SumOfAll> all_;
  std::uint64_t looked_ = 0;
};

/// The type whose arithmetic decides the bound of a result.
[[nodiscard]] Type arithmetic_type(const Spec& spec, const Result& result);

}  // namespace gauntlet::spec
