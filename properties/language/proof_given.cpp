// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "properties/language/formula.hpp"
#include "properties/language/proof_forms.hpp"

namespace gauntlet::spec {
namespace {

/// How the results use each array.
struct Uses {
  std::vector<bool> steers, counts;

  void note(int array, bool as_steering) {
    const auto k = static_cast<std::size_t>(array);
    (as_steering ? steers : counts)[k] = true;
  }

  /// `steering`: the expression says which elements there are, or where.
  void look(const Bound& b, bool steering) {
    using Kind = Bound::Kind;
    if (b.kind == Kind::element || b.kind == Kind::cursor) note(b.slot, steering);
    for (const Bound::Slice& slice : b.slices) {
      note(slice.array, steering);
      for (const Bound& bound : slice.bounds) look(bound, true);
    }
    for (std::size_t k = 0; k < b.children.size(); ++k) {
      const bool bounds = b.kind == Kind::reduction && k >= 1 && k <= 4;
      look(b.children[k], steering || bounds || b.kind == Kind::element);
    }
  }
};

}  // namespace

bool is_drawn(const Bound& b, const std::vector<bool>& data) {
  const auto is_data = [&](int array) {
    const auto k = static_cast<std::size_t>(array);
    return k < data.size() && data[k];
  };
  return any_part(b, [&](const Bound& part) {
    return (part.kind == Bound::Kind::function && part.code == Bound::Code::random) ||
           ((part.kind == Bound::Kind::element || part.kind == Bound::Kind::cursor) &&
            is_data(part.slot)) ||
           std::ranges::any_of(part.slices, is_data, &Bound::Slice::array);
  });
}

std::vector<bool> data_arrays(const Program& program) {
  std::vector<bool> data;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    const bool made = array.content != nullptr || array.identity;
    data.push_back(made ? is_drawn(program.arrays[k].content, data) : array.filled());
  }
  return data;
}

std::string bound_data(const Program& program) {
  const std::vector<bool> data = data_arrays(program);
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    if (array.permutation) return array.name + " is a permutation";
    if (array.sorted && data[k]) return array.name + " is sorted";
    bool of_data = false;
    visit(array.content, [&](const Node& node) {
      const Array* const other = program.spec.array(node.text);
      of_data |=
          other != nullptr && data[static_cast<std::size_t>(other - program.spec.arrays.data())];
    });
    if (of_data) return array.name + " is made of other arrays";
  }
  return {};
}

std::vector<bool> given_arrays(const Program& program) {
  const auto count = program.arrays.size();
  const auto data = data_arrays(program);
  Uses uses{std::vector<bool>(count), std::vector<bool>(count)};
  for (const BoundResult& result : program.results) {
    for (const Bound& index : result.cell) uses.look(index, true);
    uses.look(result.only, true);
    uses.look(result.value, false);
    for (const BoundDefinition& d : result.definitions) uses.look(d.value, false);
  }
  std::vector<bool> given(count);
  bool others = false;
  for (std::size_t k = 0; k < count; ++k) {
    const Array& array = program.spec.arrays[k];
    const bool made = array.content != nullptr || array.permutation;
    others = others || (data[k] && uses.counts[k]);
    given[k] = made && data[k] && uses.steers[k] && !uses.counts[k] && !is_float(array.type);
  }
  if (!others) given.assign(count, false);
  return given;
}

}  // namespace gauntlet::spec
