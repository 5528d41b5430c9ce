// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms of a run as normal forms (properties/prove/normal_forms.hpp). What a term is, its form as
// bits and its height stand in normal_terms.cpp, its form as a real number in normal_reals.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/symbolic/tables.hpp"
#include "machine/symbolic/terms.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::prove {

using simt::symbolic::is_any, simt::symbolic::is_equal, simt::symbolic::is_greater,
    simt::symbolic::is_less, simt::symbolic::Orders;

/// The terms of one run.
class TermReader {
 public:
  using Modifier = simt::Modifier;
  using Modifiers = simt::Modifiers;
  using Term = simt::symbolic::Term;
  using TermId = simt::symbolic::TermId;
  using Terms = simt::symbolic::Terms;
  using Value = simt::symbolic::Value;
  using Tag = NormalForms::Tag;
  using Key = NormalForms::Key;

  TermReader(NormalForms& forms, const Terms& terms, NormalForms::Forms& result)
      : forms_(forms), terms_(terms), result_(result) {}

  /// Fills in what the constructor got.
  void read(const std::vector<SeenCell>& cells, bool bits);

 private:
  /// How an operation may round that is taken for one of real numbers.
  static constexpr Modifiers roundings{Modifier::rn, Modifier::rz, Modifier::rm, Modifier::rp,
                                       Modifier::ftz};

  static constexpr auto tag = NormalForms::tag;
  /// A sum or difference, or a product: of operands that are numbers of `type`.
  struct Chain {
    bool sum = true;
    Type type = Type::f32;
    Value a, b;
    int sign_a = 1, sign_b = 1;
    bool has_b = true;
  };
  std::optional<Chain> chain(TermId id) const;
  std::optional<Type> type(TermId id) const;
  bool is(TermId id, Type as) const;
  /// Before conversions between floats.
  TermId stripped(TermId id) const;
  TermId before_last(const SeenCell& cell) const;
  void need(TermId id);
  void reach(TermId id);
  /// A minimum or maximum, of which `of`, `base` before conversions, is one more of the same.
  [[nodiscard]] bool continues(const Term& t, TermId of, TermId base) const;
  /// A choice of whole numbers that is a function of one element of eight bits: what it is made of
  /// matters not.
  std::optional<NormalId> as_table(TermId id);
  /// Of a term that is reached.
  NormalId bits(TermId id);
  NormalId as_bits(TermId id);
  void put_name(TermId id, std::set<std::string>& names);
  /// Through how many roundings its operands go.
  std::uint32_t height(TermId id);
  /// An operand, as a number of `type`.
  NormalId operand(const Value& v, Type type);
  std::optional<NormalId> as_power(TermId id);
  std::optional<NormalId> as_logarithm(TermId id, const std::vector<Value>& of);
  [[nodiscard]] TermId only_source(TermId id) const;
  /// The same of what says itself what it is.
  NormalId operand(TermId id);
  NormalId as_real(TermId id);
  /// How a sum that others continue was computed.
  struct Shared {
    std::uint64_t plus = 0, minus = 0, height = 0;
    bool of_rounded = false;
  };
  /// An operand of a chain, how often it comes, and through how many operations.
  struct Part {
    Value value;
    Type type = Type::f32;  ///< of the operation that takes it
    NormalId id = 0;
    __int128 times = 1;
    std::uint64_t depth = 0;
    const Shared* sum = nullptr;  ///< it is one that others continue, too
  };
  /// The operands of a chain, through all that continue it; `as` is what they are.
  std::vector<Part> operands_of(TermId top, const std::function<NormalId(const Part&)>& as,
                                bool through_shared = true);
  [[nodiscard]] std::uint64_t roundings_of(TermId id) const;
  NormalId as_chain(TermId id, const Chain& c);
  NormalId combined(unsigned ring, bool sum, const std::vector<Part>& parts);
  std::uint64_t part_keys(unsigned ring, const std::vector<Part>& parts, int sign = 1);
  static std::uint64_t whole_key(Op op, NormalId id) { return NormalForms::whole_key(op, id); }
  /// What a minimum or maximum is of.
  std::vector<Part> ordered_parts(TermId top);
  bool drop_start(const Term& whole, std::vector<Part>& parts);
  /// Of whole numbers of real form.
  NormalId as_extremum(TermId top);
  /// How a chain was computed whose parts are these.
  Shared note(TermId top, std::uint64_t key, const std::vector<Part>& parts);
  // Whole numbers as reals.
  NormalId whole(const Value& v, Type as);
  NormalId residue(const Value& v, Type as);
  NormalId unknown(TermId id, std::size_t bytes);
  std::optional<NormalId> known_whole(TermId id);
  std::optional<NormalId> whole_of(TermId id);
  std::optional<NormalId> of_bytes(TermId id);
  std::optional<NormalId> whole_result(TermId id, const simt::symbolic::Application& a);
  std::optional<NormalId> masked(const std::vector<Value>& of, Type type);
  std::optional<NormalId> whole_choice(TermId id, const std::vector<Value>& of, Type type);
  template <class As>
  std::optional<NormalId> by_condition(const std::vector<Value>& of, unsigned ring, As&& as);
  NormalId as_comparison(const Term& t);
  // normal_orders.cpp, normal_choices.cpp
  struct Known {
    NormalId a, b;
    Orders orders;
    std::optional<Type> type;  ///< compared as integers of this type; none: as any
    bool rounded = false;      ///< of numbers, too, that were rounded on their way
  };
  /// It has the very number that it has as a real: an element, or one that was chosen of such by
  /// such.
  [[nodiscard]] bool is_exact(TermId id) const { return precision(id) == 64; }
  [[nodiscard]] std::vector<std::int64_t> numbers(NormalId id, Type type) const;
  [[nodiscard]] Orders orders(const Term& t, const std::vector<Known>& known);
  [[nodiscard]] std::optional<bool> truth(const Value& v, const std::vector<Known>& known);
  /// Logic on predicates, some of which are negated before: of one, or of two.
  struct Logic {
    simt::Opcode by = simt::Opcode::none;
    std::span<const Value> of;
    unsigned negated = 0;  ///< bits
    [[nodiscard]] bool is_negated(std::size_t k) const { return (negated >> k & 1) != 0; }
  };
  [[nodiscard]] std::optional<Logic> logic(TermId id) const;
  void comparisons(TermId id, std::set<TermId>& all);
  [[nodiscard]] std::optional<NormalForms::Place> places(const Value& v, NormalId of, Op op,
                                                         Type type);
  std::optional<NormalId> as_place(const std::vector<Value>& of, Type type, const Term& test,
                                   bool greater);
  /// A predicate as a truth value.
  std::optional<NormalId> condition(const Value& v);
  std::optional<NormalId> condition_of(TermId id);
  std::optional<NormalId> written(const Value& v, Type type);
  std::optional<NormalId> limit(const Value& v, Type type, const Value& other);
  std::optional<NormalId> sign_asked(const Term& t);
  [[nodiscard]] simt::Opcode joined_by(TermId id) const;
  NormalId negative(const Value& v);
  template <class F>
  std::optional<NormalId> for_each_test(const Value& predicate, F&& f);
  std::optional<NormalId> order_chosen(const std::vector<Value>& of, Type type);
  std::optional<NormalId> as_scaled(NormalId x, NormalId y, NormalId a, NormalId b);
  std::optional<NormalId> as_choice(const std::vector<Value>& of, Type type);
  NormalId as_function(TermId id);

  // normal_numbers.cpp
  /// To be called of each term that is asked of below, in order.
  void note_number(TermId id);
  /// A term before conversions that lose nothing: of a float to a wider one, of an integer element
  /// to a wider one by its own sign, or to a float that holds all its values.
  [[nodiscard]] TermId exactly(TermId id) const;
  /// What a term was before its last conversion to a float, to nearest; else the term.
  [[nodiscard]] TermId before_rounding(TermId id) const;
  /// The integer that a term is converted from to a float, to nearest; else 0.
  [[nodiscard]] TermId converted(TermId id) const;
  /// The low bytes of what was extended: an operation may read no more of a register.
  [[nodiscard]] TermId low(TermId id, std::size_t bytes) const;
  /// Between which bounds a float lies that is a whole number whatever the data, and that no
  /// operation has rounded. Null where it is none, or not followed.
  [[nodiscard]] std::optional<Range> range(const Value& v, Type as) const;
  [[nodiscard]] std::optional<Range> range_of_combined(const Term& t) const;
  [[nodiscard]] std::optional<Range> range_of_result(TermId id);
  /// Bits of significand that a term and all that it is made of were rounded to, at least. 64:
  /// nothing was rounded; 1: something is not known.
  [[nodiscard]] int precision(TermId id) const { return precision_[exactly(id)]; }
  [[nodiscard]] int own_precision(TermId id) const;
  /// An operation with its types and its rounding: "mul.f16", "cvt.rn.f16.f32", "setp.lt.s32".
  [[nodiscard]] std::string text(TermId id) const;
  /// The result of a function of floats is not negative, unless it is NaN.
  [[nodiscard]] bool is_never_negative(TermId id) const;

  NormalForms& forms_;
  const Terms& terms_;
  NormalForms::Forms& result_;
  std::vector<std::uint8_t> reached_, needed_;
  std::vector<NormalId> bits_, reals_;
  TermId bits_end_ = 1;  ///< of the terms that have them
  std::vector<std::uint32_t> height_;
  std::set<TermId> inner_, shared_;
  std::map<TermId, Shared> sums_;
  std::map<TermId, std::optional<NormalId>> conditions_;
  std::map<TermId, std::optional<NormalId>> whole_;
  std::vector<std::uint8_t> precision_;
  std::unordered_map<TermId, Range> ranges_;  ///< of floats
  bool of_formulas_ = false;
  std::set<std::uint64_t> named_;  ///< Term::head of what has its name in the result
  std::map<TermId, Type> roots_;   ///< what cells hold, and their types
  std::map<std::uint64_t, std::size_t> chain_names_;  ///< by operation: in Forms::chains
  simt::symbolic::Samples tables_ = simt::symbolic::tables_of(terms_);
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> table_numbers_;  ///< by size, shape
  std::vector<bool> noted_;                                                     ///< by operation
  unsigned asked_ = 0;
};

}  // namespace gauntlet::prove
