// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the values of a run, and how that is found out: the cells of each observed
// array are gone through, each beside what it should hold, whoever says what that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "properties/case/executor.hpp"
#include "properties/oracle/reference.hpp"
#include "properties/oracle/value.hpp"

namespace gauntlet {

// Compensated summation: the reference that the documents' readers know. Right up to about 2u
// relative to sum|x|, which is not enough when the sum is far smaller than that (kahan_wrong in the
// tests); the exact accumulator audits it.

/// Kahan 1965. `Real` is float or double; no contraction, no reassociation.
template <class Real>
class Kahan {
 public:
  void add(Real x) {
    const Real y = x - lost_;
    const Real t = sum_ + y;
    lost_ = (t - sum_) - y;
    sum_ = t;
  }
  [[nodiscard]] Real value() const { return sum_; }

 private:
  Real sum_ = 0, lost_ = 0;
};

/// Kahan's own bound on |error| for n terms in precision u: (2u + O(n u^2)) * sum|x|, the constant
/// of the second term taken generously.
[[nodiscard]] inline double kahan_bound(std::uint64_t n, double unit, double sum_of_magnitudes) {
  return (2 * unit + 8 * static_cast<double>(n) * unit * unit) * sum_of_magnitudes;
}

/// The two references of a float sum over all judged elements: Kahan's sum in double, and the exact
/// accumulator that audits it.
struct SumReference {
  double kahan = 0;
  double exact = 0;  ///< the exact sum, rounded once to double
  double sum_of_magnitudes = 0;
  double kahan_bound = 0;      ///< Kahan's own error bound
  double kahan_error = 0;      ///< |kahan - the exact sum|; 0 where one of them is not finite
  bool kahan_in_bound = true;  ///< false would be a defect of one of the two
  /// How far Kahan's sum lies from the exact one, in units of its own bound: at most 1.
  [[nodiscard]] double kahan_distance() const {
    return kahan_error == 0 ? 0 : kahan_error / kahan_bound;
  }
  // As text, which may say inf and nan.
  [[nodiscard]] std::string kahan_text() const;
  [[nodiscard]] std::string exact_text() const;
};
constexpr auto fields(const SumReference*) {
  using S = SumReference;
  return std::tuple{derived("value", &S::kahan_text),        derived("exact", &S::exact_text),
                    field("error", &S::kahan_error),         field("bound", &S::kahan_bound),
                    derived("distance", &S::kahan_distance), field("in_bound", &S::kahan_in_bound)};
}

/// All elements of a sum, and what Kahan's sum makes of them in their order.
struct SumOfAll {
  Type in, acc;
  SliceReference whole{in, acc, Op::sum};
  Kahan<double> kahan{};
  void add_to_kahan(const std::byte* elements, std::uint64_t count);
  [[nodiscard]] SumReference reference() const;  ///< `whole` is finished
};

struct Verdict {
  bool ok = true;                  ///< no judged cell is wrong
  std::vector<Finding> findings;   ///< wrong_result, one per array, on its first wrong cell
  std::uint64_t cells_judged = 0;  ///< 0: nothing ran to its end, or nothing can be said
  std::uint64_t cells_wrong = 0;
  bool exact = true;  ///< every judged cell had to have exactly the reference's bits
  /// A cell, the first wrong one if there is any; of specs with `tile` the total: all cells of the
  /// first buffer combined. "" if none. Where a cell is undefined, so is `got`, and `expected` what
  /// it should have been.
  std::string got, expected;
  std::optional<SumReference> reference;  ///< float sums that one thread judges
};

/// The cells of one observed array, judged one by one in any order: the first wrong one becomes the
/// finding. Several threads have one each.
class Judged {
 public:
  /// `first`: number of cell 0.
  Judged(const ObservedBuffer& buffer, Type type, std::uint64_t first = 0)
      : buffer_(buffer), type_(type), first_(first) {}

  struct Cell {
    std::uint64_t index = 0, bits = 0;
    bool defined = true;
    Value expected{};
  };

  [[nodiscard]] std::uint64_t bits(std::uint64_t cell) const {
    return load_bits(type_, buffer_.bytes.data() + cell * size_of(type_));
  }
  /// As `accepts` has it; of an undefined cell nothing is said, it is the executor's finding.
  /// Returns the cell where it is the first wrong one so far.
  const Cell* judge(std::uint64_t cell, const Value& expected) {
    const bool right = !buffer_.defined[cell] || accepts(type_, bits(cell), expected);
    return judge(cell, right, to_real(expected).error == 0, [&] { return expected; });
  }
  /// `exact`: it has to have these very bits.
  template <class Expected>
  const Cell* judge(std::uint64_t cell, bool right, bool exact, Expected&& expected) {
    const bool defined = buffer_.defined[cell];
    judged_ += defined;
    exact_ = exact_ && exact;
    wrong_ += !right;
    const bool first = right ? !shown_ || (wrong_ == 0 && shown_->defined && !defined)
                             : wrong_ == 1 || cell < shown_->index;
    if (first) shown_ = Cell{cell, bits(cell), defined, expected()};
    return first && !right ? &*shown_ : nullptr;
  }
  void merge(const Judged& other);

  [[nodiscard]] std::uint64_t judged() const { return judged_; }
  /// The first wrong one; null where all are right.
  [[nodiscard]] const Cell* wrong() const { return wrong_ != 0 ? &*shown_ : nullptr; }

  /// Adds what was found to the verdict; `more` stands behind what is wrong.
  void tell(Verdict& verdict, const std::string& more = {}) const;

 private:
  [[nodiscard]] std::string text(const Cell& cell) const;

  const ObservedBuffer& buffer_;
  Type type_;
  std::uint64_t first_, judged_ = 0, wrong_ = 0;
  bool exact_ = true;
  std::optional<Cell>
      shown_;  ///< the first wrong one, else the first undefined one, else the first
};

}  // namespace gauntlet
