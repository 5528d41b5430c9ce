// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms of several runs in one table, so that equal ones have one number: as bits, where the same
// operations are made of the same operands; as reals, where sums, products, minima, maxima and
// functions are the same ones, in any order and of any precision. Of integers the latter is a ring
// modulo 2^width, in which nothing is rounded.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "machine/symbolic/terms.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/coefficients.hpp"

namespace gauntlet::prove {

using NormalId = std::uint32_t;

/// Thrown for choices that depend on one another in too many ways.
struct TooManyChoices : TooLarge {};

class NormalForms {
 public:
  /// Products of sums are multiplied out up to so many terms; beyond they are kept as they are.
  explicit NormalForms(std::size_t most_expanded = std::size_t{1} << 16)
      : most_expanded_(most_expanded) {}

  NormalForms(const NormalForms&) = delete;
  NormalForms& operator=(const NormalForms&) = delete;

  /// How a sum, product, minimum or maximum was computed, over all that computed it.
  struct Computed {
    std::uint64_t height = 0;  ///< operations between it and its deepest part, at most
    bool whole = true;         ///< of whole numbers, none of which can be rounded
    bool of_rounded = false;   ///< some part is an element that was rounded before
    std::uint64_t names = 0;   ///< of operations that end it: bits, by place in `chains`
  };
  /// What a run's cells are.
  struct Forms {
    std::vector<NormalId> bits, reals;  ///< by cell
    std::vector<int> precision;  ///< by cell: bits of significand that all below it was rounded to
                                 ///< at least, but for the rounding to the cell's type. 64: all
    std::unordered_map<std::uint64_t, Computed> reductions;  ///< by the keys of their parts
    std::vector<std::string> chains;                         ///< operations that they are of
    bool finite = false;  ///< a minimum or maximum begins with what hides an infinity or a NaN
    std::uint64_t roundings = 0;       ///< of the deepest operand of any cell, at most
    Type narrowest = Type::f64;        ///< of what is rounded
    bool floats = false;               ///< floating-point numbers are computed with
    bool functions = false;            ///< beside sums, products, minima and maxima
    bool narrows = false;              ///< a float is rounded to a narrower format
    bool matrices = false;             ///< floats are summed by tensor cores
    std::set<std::string> operations;  ///< of functions: their instructions
    std::set<std::string> comparisons;
    /// Why there are none, and the term in words.
    std::string problem, term;
    bool too_large = false;         ///< that is why
    bool too_many_choices = false;  ///< some that hang on one another are not followed
  };
  /// Of all cells that a run left. Without `bits`, Forms::bits is empty, and what a cell was
  /// rounded to last is not counted.
  [[nodiscard]] Forms of(const simt::symbolic::Terms& terms, const std::vector<SeenCell>& cells,
                         bool bits = true);

  /// A number for a part of a sum, so often; the sum's key is the sum of these. Equal sums have
  /// other keys where they are not of the same parts: x - m + y - m, and x + y - 2 m.
  [[nodiscard]] std::uint64_t part_key(unsigned ring, NormalId part, __int128 times);
  /// The key of a product, minimum or maximum.
  [[nodiscard]] static std::uint64_t whole_key(Op op, NormalId id);

  /// A sum, product, minimum or maximum of elements, or an element: these, and how often each
  /// comes. None of what is something else, or has an element not so many times.
  struct Plain {
    Op op = Op::sum;
    std::map<std::uint64_t, std::uint64_t> elements;
  };
  [[nodiscard]] std::optional<Plain> plain(NormalId id) const;

  /// A hash of all that is in the table.
  [[nodiscard]] std::uint64_t digest() const;

  /// Both are polynomials, minima or maxima of elements, and not the same: then some data tell them
  /// apart. What the first has more or less often, "x[3] 2 times, not once"; empty: not known to
  /// differ. `names`: of the arrays, by the number of their first element.
  using Names = std::map<std::uint64_t, std::string>;
  [[nodiscard]] std::string difference(NormalId a, NormalId b, const Names& names) const;

  // As reals, or in an integer ring; TooLarge.
  [[nodiscard]] NormalId element(std::uint64_t number, Type type);
  [[nodiscard]] NormalId constant(unsigned ring, const Coefficient& c);
  [[nodiscard]] std::optional<Type> element_type(NormalId id) const {
    return is(id, Tag::leaf) ? std::optional(static_cast<Type>(keys_[id][2])) : std::nullopt;
  }
  /// A constant of a program: of floats the nearest of log2(e) and ln(2) stand for these.
  [[nodiscard]] NormalId constant(Type type, std::uint64_t bits);
  /// The same of what a formula is multiplied by: the float nearest to 1 / k stands for that, as a
  /// division by k is compiled.
  [[nodiscard]] NormalId factor(Type type, std::uint64_t bits);
  // Whole numbers of real form (normal_whole.cpp); TooLarge.
  /// Between which bounds it lies; none: it is no whole number, or not followed.
  [[nodiscard]] std::optional<Range> range(NormalId id);
  /// x / d, d from 1 on, rounded down; with any other d than 0, rounded towards 0.
  [[nodiscard]] NormalId floored(NormalId x, __int128 d);
  [[nodiscard]] NormalId truncated(NormalId x, __int128 d);
  /// What its last bits are as a number.
  [[nodiscard]] NormalId in_bits(NormalId x, unsigned bits, bool is_signed);
  /// Also of reals.
  [[nodiscard]] NormalId magnitude(NormalId x);
  /// In an integer ring.
  [[nodiscard]] NormalId in_ring(unsigned ring, NormalId id);
  [[nodiscard]] NormalId sum(unsigned ring,
                             const std::vector<std::pair<NormalId, Coefficient>>& parts);
  /// Of powers. Sums are multiplied out where that is not too long.
  [[nodiscard]] NormalId product(unsigned ring, const std::map<NormalId, std::uint64_t>& factors);
  [[nodiscard]] NormalId reciprocal(NormalId x);
  [[nodiscard]] NormalId quotient(NormalId x, NormalId y);
  /// Of one part that part.
  [[nodiscard]] NormalId extremum(Op op, const std::vector<NormalId>& parts);
  /// The value of an integer constant; its sign, if a constant is an infinity, else 0.
  [[nodiscard]] std::optional<std::int64_t> whole_number(Type type, NormalId id) const;
  [[nodiscard]] int infinite(NormalId id) const;
  // Choices (normal_diagrams.cpp); TooManyChoices.
  [[nodiscard]] NormalId truth(bool value);
  /// How two numbers compare, of which none is NaN: a truth value. What is no whole number is
  /// compared as it is written. Any but the relations that hold of a NaN, too.
  [[nodiscard]] NormalId compared(simt::Relation relation, NormalId a, NormalId b);
  /// x where the truth value is true, else y.
  [[nodiscard]] NormalId chosen(NormalId condition, NormalId x, NormalId y);
  /// A sum or product that is rounded on its way, as it is written: of these parts so many times,
  /// in any order. Two of these are no others for being equal as reals.
  [[nodiscard]] NormalId written(bool sum, const std::vector<std::pair<NormalId, __int128>>& parts);
  /// A float that stands for a number, which is compared with another one that has no error: either
  /// of them may be what a kernel has. `exactly`: as itself, too.
  void let_stand(NormalId nearest, double number, bool exactly);
  [[nodiscard]] bool stands_for(NormalId nearest, double number) const;
  [[nodiscard]] NormalId negation(NormalId condition) {
    return chosen(condition, truth(false), truth(true));
  }
  /// Of truth values: by and, or, xor.
  [[nodiscard]] NormalId joined(simt::Opcode by, NormalId a, NormalId b);
  [[nodiscard]] NormalId chosen_number(unsigned ring, NormalId condition, NormalId x, NormalId y);
  /// A number that no elements decide.
  [[nodiscard]] bool is_constant(NormalId id) const;
  /// Made of elements and constants by choices alone: nothing is rounded.
  [[nodiscard]] bool is_exact(NormalId id) const;
  /// A number that no elements decide, or one that is chosen of such.
  [[nodiscard]] bool is_settled(NormalId id) const;
  /// A function of one element of eight bits, by the number of the table of its 256 values.
  [[nodiscard]] NormalId tabulated(unsigned ring, std::uint64_t element, std::size_t table);
  /// The number of a table, modulo 2^ring; of whole numbers with a sign in the real one.
  [[nodiscard]] std::size_t table(unsigned ring, std::vector<std::uint64_t> values);
  /// Numbers, each of a place; equal ones may have one.
  using Places = std::set<std::pair<NormalId, std::uint64_t>>;
  /// Where the least or greatest of elements is, as 32 bits: of equal ones the last or first place.
  [[nodiscard]] NormalId place(Op op, bool last, Type type, const Places& all);
  /// The same taken apart; none where it is no place.
  struct Place {
    Op op = Op::maximum;
    bool last = false;
    Type type = Type::f32;
    Places all;
  };
  [[nodiscard]] std::optional<Place> place(NormalId id) const;
  /// The parts of a minimum or maximum of elements, an element itself; empty: it is neither.
  [[nodiscard]] std::set<NormalId> elements_of(NormalId id, Op op, Type type) const;
  [[nodiscard]] NormalId function(const std::string& name, const std::vector<std::uint64_t>& of);
  /// 2^x, where c x for the least bits of log2(e), beside x log2(e), is taken for nothing: the
  /// float that stands for log2(e) lacks them.
  [[nodiscard]] NormalId power_of_two(NormalId x);
  /// By base e.
  [[nodiscard]] NormalId exponential(NormalId x);
  [[nodiscard]] NormalId logarithm(NormalId x);

 private:
  friend class TermReader;
  enum class Tag : std::uint64_t {
    bits,      ///< a term as it is
    leaf,      ///< element
    constant,  ///< of a type
    monomial,  ///< atoms and powers
    polynomial,
    extremum,
    place,
    table,
    choice,  ///< a condition, what is chosen where it holds, and where not
    function,
    taken_as  ///< bits, as a number of another type
  };
  using Key = std::vector<std::uint64_t>;
  using View = std::span<const std::uint64_t>;
  using Polynomial = std::vector<std::pair<NormalId, Coefficient>>;  ///< by monomial, ascending

  [[nodiscard]] NormalId intern(View key);
  static constexpr std::uint64_t tag(Tag t) { return static_cast<std::uint64_t>(t); }
  [[nodiscard]] NormalId intern(std::initializer_list<std::uint64_t> key) {
    return intern(View(key.begin(), key.size()));
  }
  /// Of no factors: 1.
  [[nodiscard]] NormalId no_factors() { return intern({tag(Tag::monomial)}); }
  View kept(View key);
  /// A step into choices that hang on one another. TooManyChoices: there were too many, or it is
  /// too deep for the stack.
  class Step {
   public:
    explicit Step(NormalForms& forms);
    ~Step() { --forms_.deep_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    NormalForms& forms_;
  };
  /// Makes what is not known of a form, and before that of those it may choose, however deep.
  template <class Known, class Make>
  void make_parts_first(NormalId id, Known&& known, Make&& make) const {
    if (known(id)) return;
    for (std::vector<NormalId> open{id}; !open.empty();) {
      const NormalId next = open.back();
      const std::size_t before = open.size();
      const bool made = known(next);
      for (std::size_t k = 2; !made && is(next, Tag::choice) && k < 4; ++k) {
        const auto part = static_cast<NormalId>(keys_[next][k]);
        if (!known(part)) open.push_back(part);
      }
      if (open.size() != before) continue;
      if (!made) make(next);
      open.pop_back();
    }
  }
  [[nodiscard]] NormalId word(const std::string& text);
  [[nodiscard]] std::optional<Range> range_of(NormalId id);
  [[nodiscard]] NormalId in_ring_again(unsigned ring, NormalId id);
  [[nodiscard]] std::optional<Range> range_of(const Polynomial& p);
  [[nodiscard]] NormalId floor_again(NormalId x, __int128 d);
  struct Merged {
    NormalId numerator = 0;
    __int128 divisor = 1;
    NormalId more = 0;
  };
  [[nodiscard]] std::optional<Merged> over_one(const Polynomial& p, __int128 modulus);
  [[nodiscard]] NormalId below_zero(NormalId x);
  [[nodiscard]] std::optional<NormalId> of_extremum(const Polynomial& p);
  [[nodiscard]] NormalId asked_first(NormalId id);
  [[nodiscard]] NormalId given(NormalId id, NormalId condition, bool holds);
  template <class F>
  [[nodiscard]] NormalId on_both_sides(NormalId id, NormalId condition, F&& f);
  /// A condition that asks whether a whole number is less than a limit.
  struct Limit {
    NormalId number = 0;
    __int128 limit = 0;
  };
  [[nodiscard]] std::optional<Limit> limit_of(NormalId condition) const;
  [[nodiscard]] bool is_turned(NormalId id) const;
  [[nodiscard]] bool is_asked_before(NormalId a, NormalId b) const;
  [[nodiscard]] std::optional<bool> answered(NormalId asked, NormalId condition, bool holds) const;
  [[nodiscard]] NormalId less(bool equality, NormalId a, NormalId b);
  [[nodiscard]] NormalId decided(NormalId condition) {
    return choice(condition, truth(true), truth(false));
  }
  [[nodiscard]] NormalId where(NormalId x, NormalId condition, bool holds) const;
  [[nodiscard]] NormalId choice(NormalId condition, NormalId x, NormalId y);
  [[nodiscard]] NormalId chosen(NormalId condition, NormalId x, NormalId y,
                                std::map<std::array<NormalId, 3>, NormalId>& known);
  [[nodiscard]] NormalId polynomial(unsigned ring, const Polynomial& p);
  /// Of any number its own polynomial.
  [[nodiscard]] Polynomial read(unsigned ring, NormalId id);
  static constexpr std::size_t coefficient_words = 6;  ///< of a monomial and its coefficient
  [[nodiscard]] static Polynomial read(View key);
  using Parts = std::span<const std::pair<NormalId, Coefficient>>;
  [[nodiscard]] Polynomial total(unsigned ring, Parts parts);
  [[nodiscard]] Polynomial multiplied(unsigned ring, const Polynomial& a, const Polynomial& b);
  [[nodiscard]] NormalId joined(NormalId x, NormalId y);
  [[nodiscard]] bool is(NormalId id, Tag tag) const;
  /// TooLarge once it was too much.
  void work(std::size_t terms);
  /// Of `ex2`, its operand.
  [[nodiscard]] std::optional<NormalId> exponent(NormalId id);
  [[nodiscard]] std::optional<NormalId> as_product(const Polynomial& exponent);
  /// What the exponents of all terms of a sum of powers of 2 have in common.
  [[nodiscard]] Polynomial common_exponent(const Polynomial& p);
  [[nodiscard]] bool never_negative(NormalId id);
  [[nodiscard]] bool is_positive(NormalId id);
  [[nodiscard]] std::optional<NormalId> order_chosen(NormalId id);
  void join_settled(Op op, std::set<NormalId>& parts);
  using Elements = std::map<NormalId, Coefficient>;
  [[nodiscard]] std::optional<Elements> of_elements(NormalId id) const;

  /// Of a condition, beside less (0) and equal (1).
  static constexpr std::uint64_t below_a_limit = 2;
  /// Of a minimum or maximum that is compared: each one then is.
  static constexpr std::size_t most_parts = 8;
  /// Of all diagrams together.
  static constexpr std::size_t most_chosen = std::size_t{1} << 19;
  const std::size_t most_expanded_;
  std::vector<View> keys_;             ///< by number
  std::vector<std::uint64_t> hashes_;  ///< of them
  std::vector<NormalId> slots_;        ///< by hash, or behind it: a number + 1; 0: free
  std::vector<std::vector<std::uint64_t>> words_of_keys_;
  std::map<std::string, NormalId> words_;
  std::map<std::vector<std::uint64_t>, std::size_t> tables_;
  struct Table {
    const std::vector<std::uint64_t>* values = nullptr;
    bool is_constant = false;
  };
  std::vector<Table> all_tables_;
  std::map<std::array<NormalId, 3>, NormalId> choices_;
  std::map<std::array<std::uint64_t, 3>, NormalId> compared_;
  std::unordered_map<NormalId, std::optional<Range>> ranges_;
  std::map<NormalId, std::optional<double>> nearest_;  ///< what they alone stand for
  std::map<std::pair<NormalId, __int128>, NormalId> floors_;
  std::map<std::pair<unsigned, NormalId>, NormalId> in_rings_;
  std::unordered_map<std::uint64_t, NormalId> joined_;  ///< by two monomials
  std::size_t words_in_keys_ = 0, work_ = 0, chosen_ = 0, deep_ = 0;
};

}  // namespace gauntlet::prove
