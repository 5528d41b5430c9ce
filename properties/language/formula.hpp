// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of a spec as forms: of which elements each cell must be made, for all data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/forms.hpp"

namespace gauntlet::spec {

/// A result that has no form: what() says why, in one clause.
struct NoForm {
  std::string what;
};

/// A reduction of the formulas.
struct RoleOf {
  const Bound* reduction = nullptr;
  std::size_t result = 0;
  bool whole = false;         ///< of whole numbers, which the formula adds exactly, into a float
  std::vector<FormId> forms;  ///< what it was, in each cell
};

class Formula {
 public:
  /// `first`: number of the first element of each array whose content is data, -1 for the others.
  /// The evaluator has the arrays' content.
  Formula(const Program& program, Evaluator& evaluator, Forms& forms,
          std::vector<std::int64_t> first);

  /// The forms of the cells that a result names, by index, in order. Throws NoForm.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, FormId>> cells(std::size_t result);

  /// The reductions that were met; a form's role is an index.
  [[nodiscard]] const std::vector<RoleOf>& roles() const { return roles_; }

 private:
  FormId form(const Bound& b);
  FormId reduction(const Bound& b);
  FormId sum_of(const Bound& b);
  void add_parts(const Bound& b, bool negative, bool within_sum, Parts& parts);
  [[nodiscard]] bool is_sum(const Bound& b) const;
  /// Its value is a whole number whatever the data, as Evaluator has it.
  [[nodiscard]] bool is_whole(const Bound& b) const;
  FormId asked(const Bound& b, Op op, Type type, Parts parts);
  FormId element(int array, std::uint64_t index);
  /// Of a reduction over elements of `parts`.
  [[nodiscard]] Type type_of(Op op, const Parts& parts) const;

  const Program& program_;
  Evaluator& evaluator_;
  Forms& forms_;
  std::vector<std::int64_t> first_;
  std::vector<FormId> locals_;
  std::vector<bool> local_is_sum_, local_is_whole_;
  std::vector<RoleOf> roles_;
  std::size_t result_ = 0;
};

/// Arrays that a proof takes for data: drawn ones, and those made of random numbers or of such
/// arrays. By index.
[[nodiscard]] std::vector<bool> data_arrays(const Program& program);

/// An expression hangs on what is drawn, here or in one of the arrays of which `data` says that
/// they are.
[[nodiscard]] bool is_drawn(const Bound& b, const std::vector<bool>& data);

/// Why not any data may lie in the arrays ("keys is sorted"); empty where any may.
[[nodiscard]] std::string bound_data(const Program& program);

}  // namespace gauntlet::spec
