// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of a spec as normal forms (properties/prove/normal_forms.hpp): what a kernel that
// computes them in another way, a running mean or a sum that is scaled as it goes, is compared
// with.
#pragma once

#include <cstdint>
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
  [[nodiscard]] bool depends_on_data(const Bound& b) const;
  /// Calls f for each term of a reduction whose elements do not depend on data.
  template <class F>
  void for_each_term(const Bound& b, F&& f);

  const Program& program_;
  Evaluator& evaluator_;
  prove::NormalForms& forms_;
  std::vector<std::int64_t> first_;
  std::vector<bool> data_;
  std::vector<NormalId> locals_;
  Type out_ = Type::f32, arithmetic_ = Type::f32;
  unsigned ring_ = prove::real_ring;
  std::uint64_t terms_ = 0;
};

}  // namespace gauntlet::spec
