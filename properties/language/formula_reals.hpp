// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of a spec as normal forms (properties/prove/normal_forms.hpp): what a kernel that
// computes them in another way, a running mean or a sum that is scaled as it goes, is compared
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/formula.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::spec {

class FormulaReals {
 public:
  /// As Formula's.
  FormulaReals(const Program& program, Evaluator& evaluator, prove::NormalForms& forms,
               std::vector<std::int64_t> first);

  /// Of the cells that a result names, by index, in order. Throws NoForm, prove::TooLarge.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, prove::NormalId>> cells(std::size_t result);

 private:
  using NormalId = prove::NormalId;
  NormalId form(const Bound& b);
  NormalId number(long double value);
  NormalId value(const Bound& b);
  NormalId element(int array, std::uint64_t index, const Bound& b);
  NormalId operation(const Bound& b);
  NormalId conditional(const Bound& b);
  NormalId function(const Bound& b);
  NormalId reduction(const Bound& b);
  NormalId fold(const Bound& b);
  NormalId place(const Bound& b);
  struct Small {
    std::size_t array = 0;
    std::uint64_t index = 0;
    bool operator==(const Small&) const = default;
  };
  bool find_small(const Bound& b, std::optional<Small>& found);
  std::optional<NormalId> tabulated(const Bound& b, bool as_truth);
  NormalId indicator(const Bound& b);
  bool add_settled(const Bound& b, std::vector<std::int64_t>& numbers);
  /// A truth value of elements that are all of one type.
  NormalId condition(const Bound& b);
  NormalId comparison(const Bound& b);
  std::pair<NormalId, NormalId> compared_sides(const Bound& b);
  std::optional<NormalId> by_order(const Bound& test, NormalId x, NormalId y);
  NormalId ordered(Op op, const std::vector<NormalId>& parts);
  [[nodiscard]] NormalId as_number(NormalId truth);
  [[nodiscard]] bool depends_on_data(const Bound& b) const;
  /// Its elements do not depend on data.
  void settle(const Bound& b) const;
  /// Calls f with the place of each term of a reduction.
  template <class F>
  void for_each_term(const Bound& b, F&& f) {
    settle(b);
    evaluator_.for_each_index(b, f);
  }

  const Program& program_;
  Evaluator& evaluator_;
  prove::NormalForms& forms_;
  std::vector<std::int64_t> first_;
  std::vector<bool> data_;
  std::vector<NormalId> locals_;
  std::map<std::size_t, std::vector<std::byte>> copies_;  ///< of arrays whose elements are tried
  std::map<std::pair<const Bound*, std::vector<std::int64_t>>, std::size_t>
      tables_;  ///< by function and the numbers beside its element
  Type out_ = Type::f32, arithmetic_ = Type::f32;
  unsigned ring_ = prove::real_ring;
  std::uint64_t terms_ = 0;
  std::optional<Type> only_type_;        ///< of all data, if they have one
  bool wraps_ = false, beyond_ = false;  ///< a whole number did not fit that, or the result's
};

}  // namespace gauntlet::spec
