// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of a spec as normal forms (properties/prove/normal_forms.hpp): what the kernel's
// terms are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/prove/normal_forms.hpp"

namespace gauntlet::spec {

/// A result that has no form: what() says why, in one clause.
struct NoForm {
  std::string what;
};

/// A sum, product, minimum or maximum of a formula.
struct RoleOf {
  const Expression* reduction = nullptr;
  std::size_t result = 0;
  bool whole = false;     ///< of whole numbers, which the formula combines exactly, into a float
  bool required = false;  ///< it is no part of another sum
  std::vector<std::uint64_t> keys;  ///< of its parts, in each cell
};

class Formula {
 public:
  /// `first`: number of the first element of each array whose content is data, -1 for the others.
  /// The evaluator has the arrays' content.
  Formula(const Program& program, Evaluator& evaluator, prove::NormalForms& forms,
          std::vector<std::int64_t> first);

  /// Of the cells that a result names, by index, in order. Throws NoForm, prove::TooLarge.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, prove::NormalId>> cells(std::size_t result);

  /// The reductions that were met, of more than one part.
  [[nodiscard]] const std::vector<RoleOf>& roles() const { return roles_; }
  /// Something was met that a kernel computes in a way of its own: an operator of the spec, a
  /// place, whether any or all are.
  [[nodiscard]] bool has_own_ways() const { return own_ways_; }

 private:
  using NormalId = prove::NormalId;
  /// The parts of what is added, as prove::NormalForms::part_key has them: of a sum that is added,
  /// and of one that is taken away.
  struct Sum {
    std::uint64_t plus = 0, minus = 0;
    std::size_t parts = 0;
    bool reduces = false;
  };
  NormalId form(const Expression& b);
  NormalId added(const Expression& b, Sum& sum);
  NormalId sum_of(const Expression& b);
  void define(const Definition& d);
  std::size_t note(const Expression& b, std::uint64_t key, bool whole);
  /// Between which bounds its value lies, where it is a whole number whatever the data.
  [[nodiscard]] std::optional<prove::Range> range(const Expression& b) const;
  NormalId number(long double value);
  NormalId value(const Expression& b);
  NormalId element(int array, std::uint64_t index, const Expression& b);
  NormalId operation(const Expression& b);
  NormalId conditional(const Expression& b);
  NormalId function(const Expression& b);
  NormalId reduction(const Expression& b);
  NormalId fold(const Expression& b);
  NormalId place(const Expression& b);
  struct Small {
    std::size_t array = 0;
    std::uint64_t index = 0;
    bool operator==(const Small&) const = default;
  };
  bool find_small(const Expression& b, std::optional<Small>& found);
  std::optional<NormalId> tabulated(const Expression& b, bool as_truth);
  NormalId indicator(const Expression& b);
  bool add_settled(const Expression& b, std::vector<std::int64_t>& numbers);
  /// A truth value of elements that are all of one type.
  NormalId condition(const Expression& b);
  NormalId comparison(const Expression& b);
  std::pair<NormalId, NormalId> compared_sides(const Expression& b);
  NormalId written_side(const Expression& side, NormalId id);
  /// As it is computed, where that rounds: prove::NormalForms::written.
  NormalId written(const Expression& b);
  void add_written(const Expression& b, bool sum, int times,
                   std::vector<std::pair<NormalId, __int128>>& parts);
  std::optional<NormalId> by_order(const Expression& test, NormalId x, NormalId y);
  /// f() where whole numbers are the reals that they are.
  template <class F>
  auto as_whole(F&& f) {
    const unsigned ring = std::exchange(ring_, prove::real_ring);
    auto all = f();
    ring_ = ring;
    return all;
  }
  /// The same in the own ring.
  template <class F>
  NormalId ringed(F&& f) {
    return in_own_ring(as_whole(f));
  }
  NormalId in_own_ring(NormalId id);
  std::optional<NormalId> whole_quotient(const Expression& b);
  [[nodiscard]] NormalId as_number(NormalId truth);
  [[nodiscard]] bool depends_on_data(const Expression& b) const;
  /// Its elements do not depend on data.
  void settle(const Expression& b) const;
  /// Calls f with the place of each term of a reduction.
  template <class F>
  void for_each_term(const Expression& b, F&& f) {
    settle(b);
    evaluator_.for_each_index(b, f);
  }

  const Program& program_;
  Evaluator& evaluator_;
  prove::NormalForms& forms_;
  std::vector<std::int64_t> first_;
  std::vector<bool> data_;
  struct Local {
    NormalId id = 0;
    Sum sum{};
    std::optional<std::size_t> role{};
    std::optional<prove::Range> range{};
    const Expression* value = nullptr;
    std::optional<NormalId> whole{};  ///< as a real one, where `id` is of a ring
  };
  NormalId local(Local& l);
  std::vector<Local> locals_;
  std::vector<RoleOf> roles_;
  std::map<const Expression*, std::size_t> role_of_;
  std::size_t result_ = 0;
  bool own_ways_ = false;
  std::map<std::size_t, std::vector<std::byte>> copies_;  ///< of arrays whose elements are tried
  std::map<std::pair<const Expression*, std::vector<std::int64_t>>, std::size_t>
      tables_;  ///< by function and the numbers beside its element
  Type out_ = Type::f32, arithmetic_ = Type::f32;
  unsigned ring_ = prove::real_ring;
  std::uint64_t terms_ = 0;
  std::optional<Type> float_;  ///< of all data that are floats, if they have one
  bool bytes_ = true;          ///< all data have eight bits
};

/// Arrays that a proof takes for data: drawn ones, and those made of random numbers or of such
/// arrays. By index.
[[nodiscard]] std::vector<bool> data_arrays(const Program& program);

/// An expression hangs on what is drawn, here or in one of the arrays of which `data` says that
/// they are.
[[nodiscard]] bool is_drawn(const Expression& b, const std::vector<bool>& data);

/// Why not any data may lie in the arrays ("keys is sorted"); empty where any may.
[[nodiscard]] std::string bound_data(const Program& program);

}  // namespace gauntlet::spec
