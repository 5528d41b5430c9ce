// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a result is made of, in a form that a formula and a kernel can both be brought to: elements,
// reductions of so many parts each, and functions of which nothing is kept but what they are of.
// Equal forms have equal numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace gauntlet::spec {

using FormId = std::uint32_t;
/// Parts of a reduction, and how often each comes.
using Parts = std::vector<std::pair<FormId, std::uint64_t>>;

struct Form {
  enum class Kind : std::uint8_t {
    constant,  ///< the sizes alone decide it
    element,   ///< of an array whose content is data
    function,  ///< of `parts`, which are elements and reductions, in some way
    reduction  ///< of `parts` by `op`
  } kind = Kind::constant;
  Op op = Op::sum;
  Type type = Type::f64;      ///< of a reduction: see Forms::reduction
  std::uint64_t element = 0;  ///< its number
  std::uint32_t role = 0;     ///< of a reduction: which one of the formula it is
  Parts parts;
};

class Forms {
 public:
  static constexpr FormId constant = 0;
  Forms() : forms_(1) {}
  [[nodiscard]] const Form& operator[](FormId id) const { return forms_[id]; }

  /// What Form::type is of a reduction of numbers of a type.
  [[nodiscard]] static Type type_of(Op op, Type of);

  FormId element(std::uint64_t number);
  /// A function of these. Functions of functions are functions.
  FormId function(const std::vector<FormId>& of);
  /// `type`: integers are added and multiplied modulo its width; i64 or u64 in minima and maxima,
  /// for the sign; f64 for floats of all formats. A reduction of one part is that part; in minima
  /// and maxima it does not count how often one comes.
  FormId reduction(Op op, Type type, Parts parts, std::uint32_t role);
  /// The same where a formula has such a reduction.
  [[nodiscard]] std::optional<FormId> find(Op op, Type type, Parts parts) const;
  /// The elements and reductions that a form is a function of, itself included.
  void add_atoms(FormId id, std::vector<FormId>& atoms) const;
  /// Sorts the parts, each once, with how often it comes.
  static void normalise(Op op, Parts& parts);
  /// Parts of all forms together.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Of these, how many were looked at for functions of functions.
  [[nodiscard]] std::uint64_t looked_at() const { return looked_at_; }

 private:
  [[nodiscard]] std::optional<FormId> find(const Form& form, std::uint64_t hash) const;
  FormId intern(Form form);
  std::vector<Form> forms_;
  std::unordered_multimap<std::uint64_t, FormId> by_hash_;
  std::uint64_t size_ = 0, looked_at_ = 0;
  std::vector<std::uint64_t> seen_;  ///< in which round of function(), by form
  std::uint64_t round_ = 0;
};

}  // namespace gauntlet::spec
