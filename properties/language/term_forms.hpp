// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel computed as forms. Sums, products, minima and maxima are taken for a reduction
// where a formula has the same one; all else is a function of the elements and reductions in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/symbolic/terms.hpp"
#include "properties/language/forms.hpp"
#include "properties/language/term_numbers.hpp"

namespace gauntlet::spec {

/// Elements of an array that is data.
struct DataArray {
  std::string name;
  Type type = Type::f32;
  std::uint64_t first = 0;  ///< number of its first element
  std::uint64_t count = 0;
};

/// How a reduction was computed, over all threads that computed it.
struct Computed {
  std::uint64_t height = 0;  ///< operations between it and its deepest part, at most
  bool whole = true;         ///< of whole numbers, none of which can be rounded
};

class TermForms {
 public:
  using TermId = simt::symbolic::TermId;

  /// `forms` has the reductions of the formulas, and gets those of the kernel's elements and
  /// functions.
  TermForms(const simt::symbolic::Terms& terms, Forms& forms, const std::vector<DataArray>& arrays)
      : terms_(terms), forms_(forms), arrays_(arrays), numbers_(terms) {}

  /// Looks at all terms below these. Where one hinders a proof, why and the term.
  struct Problem {
    std::string what;
    TermId term = 0;
  };
  /// What a cell of `type` holds.
  struct Root {
    TermId term = 0;
    Type type = Type::f32;
  };
  [[nodiscard]] std::optional<Problem> read(const std::vector<Root>& roots);

  /// Of a term that was read; of term 0, constant. What is rounded once, to the cell's type, is
  /// that of what it was before.
  [[nodiscard]] FormId form(TermId term) const;
  [[nodiscard]] FormId form(const Root& root) const;
  /// Bits of significand that everything below a cell was rounded to at least, but for that
  /// rounding. 64: nothing was rounded. 0: something needs upper bits that a whole number has lost.
  [[nodiscard]] int bits(const Root& root) const;
  /// A number for the operations that make a term of its elements and reductions, wherever these
  /// lie. 0: too deep.
  [[nodiscard]] std::uint64_t shape(TermId term) const;
  [[nodiscard]] const std::map<FormId, Computed>& computed() const { return computed_; }
  /// The instructions of functions.
  [[nodiscard]] const std::set<std::string>& functions() const { return functions_; }
  /// A comparison, minimum or maximum within a function that is of one element or reduction alone,
  /// and the term that this is. One for each way of making them.
  struct Turn {
    TermId term = 0;
    TermId of = 0;
    Type type = Type::f32;  ///< of what it is of
  };
  [[nodiscard]] std::vector<Turn> turns() const;
  /// A comparison within a function of one element or reduction that may come out in another way
  /// where halving does not find it: neither that number nor what grows or falls with it, on either
  /// side of 0, is compared with a constant. 0: there is none.
  [[nodiscard]] TermId hidden_turn() const;
  /// Whether a minimum or maximum of floats begins with a value that changes nothing where no part
  /// is infinite or NaN.
  [[nodiscard]] bool begins_finite() const { return begins_finite_; }
  /// The parts of a cell that is a sum, product, minimum or maximum by `op`; of another one it.
  [[nodiscard]] Parts parts_of(const Root& root, Op op) const;

 private:
  enum class Mark : std::uint8_t { none, inner, needed };
  struct Chain {
    Op op = Op::sum;
    Type type = Type::f64;  ///< as Forms::reduction has it
    Type as = Type::f64;    ///< of the operation
    TermId a = 0, b = 0;
    bool negative = false;  ///< b is taken away
    int bits = 64;          ///< that its result is rounded to; 64: it is not
  };
  struct Operand {
    TermId base = 0;
    int bits = 64;      ///< of conversions between two operations; -1: of another format
    bool more = false;  ///< of the same chain
  };
  struct Part {
    TermId term = 0;
    FormId form = 0;
    std::uint64_t times = 0, depth = 0;
    bool negative = false;
    bool foreign = false;  ///< of another format than the operation's
    Type as = Type::f64;   ///< of the operation that takes it
  };
  struct Region {
    std::vector<Part> parts;
    std::uint64_t height = 0;
    int bits = 64;
  };

  [[nodiscard]] std::optional<Chain> chain(TermId t) const;
  [[nodiscard]] Operand operand(TermId t, const Chain& of, bool negative) const;
  [[nodiscard]] Region region(TermId top) const;
  bool drop_start(const Chain& of, Region& r) const;
  [[nodiscard]] std::optional<Range> range_of(const Chain& of, const Region& r) const;
  FormId make(TermId t, std::optional<Problem>& problem);
  [[nodiscard]] std::uint64_t number_of(FormId atom) const;
  [[nodiscard]] TermId find(FormId atom, TermId within) const;
  /// How a value follows the one number that it is made of.
  enum class Way : std::uint8_t {
    any,
    from_zero,  ///< grows or falls on either side of 0
    steady,     ///< grows or falls
    through_0,  ///< the same, and is 0 at 0
    itself
  };
  [[nodiscard]] Way way(TermId id) const;
  [[nodiscard]] std::optional<std::uint64_t> walk(TermId t, const std::vector<FormId>& atoms,
                                                  std::map<TermId, std::uint64_t>& known,
                                                  int depth) const;

  const simt::symbolic::Terms& terms_;
  Forms& forms_;
  const std::vector<DataArray>& arrays_;
  std::vector<Mark> mark_;
  std::vector<FormId> form_;
  std::vector<std::uint8_t> bits_;  ///< Region::bits of all below a term that is needed
  TermNumbers numbers_;
  mutable std::vector<std::uint64_t> times_;
  mutable std::vector<std::uint32_t> depth_;
  std::map<FormId, Computed> computed_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, std::pair<std::uint64_t, TermId>>
      shapes_;  ///< of the parts of each reduction of the formulas
  std::set<std::string> functions_;
  bool begins_finite_ = false;
};

}  // namespace gauntlet::spec
