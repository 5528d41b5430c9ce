// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Terms: what a value is made of, whatever the data are. A term stands for 1 to 8 bytes; term 0 for
// bytes that the launch shape alone decides, whose concrete value is right in every run. Terms are
// appended and never changed; the parts of one come before it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "machine/code/operation.hpp"
#include "machine/isa/rules.hpp"
#include "machine/symbolic/arena.hpp"

namespace gauntlet::simt::symbolic {

using TermId = std::uint32_t;

/// A value: a term, or for term 0 the concrete bits.
struct Value {
  TermId term = 0;
  std::uint64_t bits = 0;
};

/// One byte of a value.
struct Byte {
  TermId term = 0;  ///< 0: the byte is `value`
  std::uint8_t value = 0;
  std::uint8_t index = 0;  ///< which byte of the term
  bool sign = false;       ///< 0x00 or 0xFF, as the top bit of that byte
  bool operator==(const Byte&) const = default;
};
using Bytes = std::array<Byte, 8>;
/// What a sign extension puts above this byte.
[[nodiscard]] Byte sign_of(const Byte& top);
/// Puts zeros, or the sign, above the first `size` bytes.
void extend_bytes(Bytes& bytes, std::size_t size, bool is_signed);

/// The same in less memory.
struct PackedBytes {
  std::array<TermId, 8> term;
  std::array<std::uint8_t, 8>
      rest;  ///< of a byte without term its value; otherwise index, + 8: sign
};

struct Term {
  enum class Kind : std::uint8_t {
    none,
    leaf,         ///< element a + 2^32 b of the input
    constant,     ///< a value of the launch shape: bits a, b
    bytes,        ///< bytes of other terms: number b of the arena's; a: what it extends, or 0
    convert,      ///< a in `from`, as `type`: exact, or rounded once
    combine,      ///< op of `type`: a, b
    add_product,  ///< the sum of `type` of a and b, within a product of matrices, whose order and
                  ///< roundings are the hardware's; b: a product of two elements
    compare,      ///< a, b
    opaque,    ///< depends on data in a way that no rule follows: instruction a. b: number of the
               ///< application that says of what, or 0
    order,     ///< depends on the schedule: instruction a
    undefined  ///< for some data: instruction a
  } kind = Kind::none;
  std::uint8_t size = 0;  ///< bytes
  Op op = Op::sum;
  Type type = Type::u32;
  Type from = Type::u32;      ///< convert
  std::uint8_t relation = 0;  ///< compare: a Relation
  bool is_signed = false;     ///< bytes that extend: by the sign
  bool exact = false;  ///< a product within a fused multiply-add: not rounded; add_product: more
                       ///< of the same element follow
  TermId a = 0, b = 0;

  /// Of a leaf its element, of a constant its bits.
  [[nodiscard]] std::uint64_t number() const { return a | std::uint64_t{b} << 32; }
  /// All but `a` and `b`, to compare it at once.
  [[nodiscard]] std::uint64_t head() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, this, 8);
    return bits;
  }
};
static_assert(sizeof(Term) == 16 && offsetof(Term, a) == 8);

/// How many roundings to nearest an operation of floats may be as inexact as. Tensor cores cut
/// addends off and round towards zero: three for each product, of the sum of all magnitudes, is
/// more than any of them is known to do (docs/prove.md).
[[nodiscard]] constexpr std::uint32_t roundings(const Term& t) {
  if (t.kind == Term::Kind::add_product) return 3;
  return t.exact ? 0 : 1;
}

/// What Terms::combine makes of two terms, but for its parts.
[[nodiscard]] Term combination(Op op, Type type);

/// What an instruction that has no rule was applied to.
struct Application {
  std::uint32_t operation = 0;  ///< equal ones compute the same of the same operands
  std::vector<Value> operands;
};

class Terms {
 public:
  /// Every operation leaves a term, also one that gives back a number but for the sign of a zero
  /// or a NaN's payload: for who compares bits. To be set before the first one.
  bool every_bit = false;
  /// Memory of earlier terms, to be used again.
  struct Storage {
    Arena<Term> terms;
    Arena<PackedBytes> bytes;
  };
  Terms() : Terms(Storage{}) {}
  explicit Terms(Storage storage);
  /// These terms' memory: they are no more.
  [[nodiscard]] Storage storage();
  [[nodiscard]] const Term& operator[](TermId t) const { return terms_[t]; }
  [[nodiscard]] std::size_t size() const { return terms_.size(); }
  /// A run that makes so many has no end, or one that nobody has the memory for: a few GiB.
  [[nodiscard]] bool too_many() const {
    return terms_.size() > most_terms || applications_.size() > most_applications ||
           bytes_.size() > most_applications;
  }
  /// The next term's.
  [[nodiscard]] TermId end() const { return static_cast<TermId>(terms_.size()); }
  /// Of a term of Kind::bytes.
  [[nodiscard]] Bytes bytes(TermId t) const;

  /// As many more are likely to come; what does not come costs nothing.
  void expect(std::uint64_t more) { terms_.reserve(terms_.size() + more); }
  TermId leaf(std::uint64_t element, Type type);
  /// `count` elements from `first` on: terms with successive numbers. Returns the first one.
  TermId leaves(std::uint64_t first, std::uint64_t count, Type type);
  /// From element `first` on, up to the next such number, leaves are those of array `name`.
  void name_leaves(std::uint64_t first, const std::string& name) { names_[first] = name; }
  [[nodiscard]] const std::map<std::uint64_t, std::string>& leaf_names() const { return names_; }
  TermId constant(std::uint64_t bits, std::uint8_t size);
  TermId opaque(std::uint32_t instruction, std::uint8_t size);
  TermId order(std::uint32_t instruction, std::uint8_t size);
  TermId undefined(std::uint32_t instruction, std::uint8_t size);
  /// An opaque term whose operands are known.
  TermId apply(std::uint32_t instruction, std::uint8_t size, Application application);
  /// A number for what an instruction computes: its operation, and what tells instructions of one
  /// text apart: a variant, and a handle that is another one in each process.
  std::uint32_t operation(const Operation& operation, std::uint8_t variant = 0,
                          std::uint64_t handle = 0);
  [[nodiscard]] const Operation& operation(std::uint32_t number) const {
    return operations_by_number_[number].first;
  }
  [[nodiscard]] std::uint8_t operation_variant(std::uint32_t number) const {
    return operations_by_number_[number].second;
  }
  /// Of an opaque term; null where its operands are not known.
  [[nodiscard]] const Application* application(TermId t) const {
    const Term& term = terms_[t];
    const bool known = term.kind == Term::Kind::opaque && term.b != 0;
    return known ? &applications_[term.b - 1] : nullptr;
  }
  /// `t op bits` is `t`, whatever it is: its own bits, not those that a float of another format
  /// has.
  [[nodiscard]] bool stays(Op op, Type type, std::uint64_t bits, TermId t) const;
  /// `a op b`, both of `type`. An identity vanishes.
  TermId combine(Op op, Type type, Value a, Value b);
  /// Of each of the lanes `a[lane] op b[lane]`, both terms of `type`'s size. `to` may be an
  /// operand.
  void combine(Op op, Type type, std::uint32_t lanes, const TermId* a, const TermId* b, TermId* to);
  /// The product within a fused multiply-add.
  TermId exact_product(Type type, Value a, Value b);
  /// What tensor cores add to `addend`: products, exact ones of `type`.
  TermId add_products(Type type, Value addend, const std::vector<Value>& products);
  /// A float in another format. Where both operands of the operation below were exactly widened
  /// from `to`, this is that operation in `to`: 24 bits are enough for a single rounding.
  TermId convert(Type to, Type from, TermId a);
  TermId compare(Relation relation, Type type, Value a, Value b);

  /// The bytes of a value; false where it has fewer than `size`.
  bool unpack(Value v, std::uint8_t size, Bytes& to) const;
  /// The value that has these bytes: again the term that they are all of, in order.
  Value pack(const Bytes& bytes, std::uint8_t size);
  /// The term that `count` bytes of `t`, a term of `size` bytes, are all of; 0: not simply one.
  [[nodiscard]] TermId whole_part(TermId t, std::uint8_t size, unsigned first,
                                  unsigned count) const;
  /// The low bytes of a value. Opaque where it has fewer.
  Value low(Value v, std::uint8_t size, std::uint32_t instruction);

  /// Depends on the schedule, as far as that is told apart from data.
  [[nodiscard]] bool of_schedule(TermId t) const;
  /// The same value in all runs.
  [[nodiscard]] bool same(Value a, Value b) const;
  /// What an exactly widened value was before; 0: `t` is none.
  [[nodiscard]] TermId widened_from(TermId t, Type& from) const;
  /// The term with `to` in place of `from`.
  TermId substitute(TermId term, TermId from, TermId to);

  /// The type of the number that the term is; null of an opaque one, and where it is none.
  [[nodiscard]] std::optional<Type> type(TermId t) const;

  /// Calls f(part, word) for each part of the term, in order: of a constant, `part` is 0 and `word`
  /// its bits; of bytes `word` says which byte it is.
  template <class F>
  void for_each_part(TermId id, F&& f) const {
    const Term& t = terms_[id];
    if (t.kind == Term::Kind::combine || t.kind == Term::Kind::add_product ||
        t.kind == Term::Kind::compare) {
      f(t.a, std::uint64_t{0});
      f(t.b, std::uint64_t{0});
    } else if (t.kind == Term::Kind::convert) {
      f(t.a, std::uint64_t{0});
    } else if (t.kind == Term::Kind::bytes) {
      for (const auto& b : bytes(id))
        f(b.term, b.value | b.index << 8 | std::uint64_t{b.sign} << 16);
    } else if (const auto* applied = application(id)) {
      for (const Value& v : applied->operands) f(v.term, v.term != 0 ? 0 : v.bits);
    }
  }
  /// Calls f for each term that this one is made of.
  template <class F>
  void for_each_operand(TermId id, F&& f) const {
    for_each_part(id, [&](TermId part, std::uint64_t) {
      if (part != 0) f(part);
    });
  }

  /// For people, to some depth.
  [[nodiscard]] std::string text(TermId t, std::uint64_t elements, int depth = 3) const;

 private:
  TermId add(const Term& t);
  [[nodiscard]] TermId id_of(Value v, std::uint8_t size);
  Arena<Term> terms_;
  static constexpr std::size_t most_terms = 1 << 27, most_applications = 1 << 24;
  Arena<PackedBytes> bytes_;
  std::map<std::uint64_t, std::string> names_;
  std::vector<Application> applications_;
  std::map<std::tuple<std::string, std::uint8_t, std::uint64_t>, std::uint32_t> operations_;
  std::vector<std::pair<Operation, std::uint8_t>> operations_by_number_;
};

/// "x[3]", by the names of arrays and the numbers of their first elements; "x3" where none has one.
[[nodiscard]] std::string element_text(const std::map<std::uint64_t, std::string>& names,
                                       std::uint64_t element);

/// `x op bits` is x; in a sum of floats but for the sign of a zero.
[[nodiscard]] bool is_identity(Op op, Type type, std::uint64_t bits);

/// The integer of so many bytes.
[[nodiscard]] constexpr Type integer_type(std::size_t bytes, bool is_signed) {
  return static_cast<Type>(2 * std::countr_zero(bytes) + (is_signed ? 0 : 1));
}
static_assert(integer_type(1, true) == Type::i8 && integer_type(8, false) == Type::u64);
/// The width of a type's ring: sums and products modulo 2^width do not know a sign.
[[nodiscard]] constexpr Type without_sign(Type type) {
  return is_float(type) ? type : integer_type(size_of(type), false);
}
/// The signed type of an integer's width.
[[nodiscard]] constexpr Type with_sign(Type type) {
  return is_float(type) ? type : integer_type(size_of(type), true);
}
/// An operation of type `as` takes a number of type `own` for what it is: its bits are not those of
/// another format.
[[nodiscard]] constexpr bool is_number_of(Type own, Type as) {
  return is_float(as) || is_float(own) ? own == as : size_of(own) == size_of(as);
}
/// `a op b` of these bits.
[[nodiscard]] std::uint64_t combine_bits(Op op, Type type, std::uint64_t a, std::uint64_t b);

/// How two numbers compare: bits.
using Orders = unsigned;
inline constexpr Orders is_less = 1, is_equal = 2, is_greater = 4, is_any = 7;
/// With which orders the relation holds, of numbers that are no NaN.
[[nodiscard]] constexpr Orders orders_of(Relation relation) {
  constexpr std::array<Orders, 6> all{is_equal,   is_less | is_greater, is_less, is_less | is_equal,
                                      is_greater, is_greater | is_equal};
  if (relation >= Relation::num) return relation == Relation::num ? is_any : 0;
  return all[static_cast<std::size_t>(relation) % all.size()];  // twice, for what holds of a NaN
}

}  // namespace gauntlet::simt::symbolic
