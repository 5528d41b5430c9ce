// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/formula.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/symbolic/terms.hpp"

namespace gauntlet::spec {
namespace {

using Code = Bound::Code;
using Kind = Bound::Kind;

/// Parts of all forms of a case, at most.
constexpr std::uint64_t most_parts = std::uint64_t{1} << 24;

}  // namespace

bool is_drawn(const Bound& b, const std::vector<bool>& data) {
  const auto is_data = [&](int array) {
    const auto k = static_cast<std::size_t>(array);
    return k < data.size() && data[k];
  };
  return any_part(b, [&](const Bound& part) {
    return (part.kind == Kind::function && part.code == Code::random) ||
           (part.kind == Kind::element && is_data(part.slot)) ||
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

Formula::Formula(const Program& program, Evaluator& evaluator, Forms& forms,
                 std::vector<std::int64_t> first)
    : program_(program),
      evaluator_(evaluator),
      forms_(forms),
      first_(std::move(first)),
      locals_(static_cast<std::size_t>(program.locals)),
      local_is_sum_(static_cast<std::size_t>(program.locals)),
      local_is_whole_(static_cast<std::size_t>(program.locals)) {}

FormId Formula::element(int array, std::uint64_t index) {
  const auto first = first_[static_cast<std::size_t>(array)];
  return first < 0 ? Forms::constant : forms_.element(static_cast<std::uint64_t>(first) + index);
}

FormId Formula::asked(const Bound& b, Op op, Type type, Parts parts) {
  auto role = std::find_if(roles_.begin(), roles_.end(),
                           [&](const RoleOf& r) { return r.reduction == &b; });
  if (role == roles_.end()) {
    const Type out = program_.spec.arrays[program_.spec.results[result_].array].type;
    role = roles_.insert(role, {&b, result_, is_float(out) && is_whole(b), {}});
  }
  const auto number = static_cast<std::uint32_t>(role - roles_.begin());
  const auto id = forms_.reduction(op, type, std::move(parts), number);
  role->forms.push_back(id);
  return id;
}

/// Integers have the width of what the result is stored in; a minimum or maximum the sign of its
/// elements.
Type Formula::type_of(Op op, const Parts& parts) const {
  const auto array_of = [&](std::uint64_t element) {
    std::size_t best = 0;
    for (std::size_t k = 0; k < first_.size(); ++k) {
      if (first_[k] >= 0 && static_cast<std::uint64_t>(first_[k]) <= element) best = k;
    }
    return best;
  };
  const Type out = program_.spec.arrays[program_.spec.results[result_].array].type;
  if (op == Op::sum || op == Op::product) return Forms::type_of(op, out);
  std::vector<FormId> atoms;
  for (const auto& [part, times] : parts) forms_.add_atoms(part, atoms);
  for (const auto atom : atoms) {
    if (forms_[atom].kind != Form::Kind::element) continue;
    return Forms::type_of(op, program_.spec.arrays[array_of(forms_[atom].element)].type);
  }
  return Forms::type_of(op, out);
}

std::vector<std::pair<std::uint64_t, FormId>> Formula::cells(std::size_t result) {
  result_ = result;
  std::vector<std::pair<std::uint64_t, FormId>> all;
  const auto define = [&](const BoundDefinition& d) {
    const auto slot = static_cast<std::size_t>(d.slot);
    locals_[slot] = form(d.value);
    local_is_sum_[slot] = is_sum(d.value);
    local_is_whole_[slot] = is_whole(d.value);
    if (locals_[slot] == Forms::constant) evaluator_.locals_[slot] = evaluator_.value(d.value);
  };
  evaluator_.walk_cells(result, define, [&](std::uint64_t index) {
    all.emplace_back(index, form(program_.results[result].value));
    if (forms_.size() > most_parts) {
      throw NoForm{fmt::format("the results have more than {} terms together", most_parts)};
    }
  });
  return all;
}

bool Formula::is_sum(const Bound& b) const {
  if (b.kind == Kind::local) return local_is_sum_[static_cast<std::size_t>(b.slot)];
  if (b.kind == Kind::reduction) {
    return b.reduction == Reduction::sum || b.reduction == Reduction::count;
  }
  const bool adds = b.kind == Kind::operation && (b.code == Code::add || b.code == Code::subtract);
  return adds && (is_sum(b.children[0]) || is_sum(b.children[1]));
}

bool Formula::is_whole(const Bound& b) const {
  const auto all = [&](std::size_t from) {
    return std::all_of(b.children.begin() + static_cast<std::ptrdiff_t>(from), b.children.end(),
                       [&](const Bound& child) { return is_whole(child); });
  };
  if (b.integral) return true;
  switch (b.kind) {
    case Kind::local:
      return local_is_whole_[static_cast<std::size_t>(b.slot)];
    case Kind::element:
    case Kind::cursor:
      return !is_float(program_.spec.arrays[static_cast<std::size_t>(b.slot)].type);
    case Kind::logical_not:
      return true;
    case Kind::negation:
      return all(0);
    case Kind::conditional:
      return all(1);
    case Kind::operation:
      return b.code >= Code::remainder ||
             (b.code != Code::divide && all(0));  // of a float result it is that of reals
    case Kind::function:
      return (b.code == Code::abs || b.code == Code::min || b.code == Code::max) && all(0);
    case Kind::reduction:
      return b.reduction == Reduction::count ||
             (b.reduction != Reduction::mean && is_whole(b.children[0]));
    default:
      return false;
  }
}

/// What is added, one by one. A sum that is taken away is a function of it.
void Formula::add_parts(const Bound& b, bool negative, bool within_sum, Parts& parts) {
  if (!b.integral && b.kind == Kind::operation &&
      (b.code == Code::add || b.code == Code::subtract) && (within_sum || is_sum(b))) {
    add_parts(b.children[0], negative, within_sum, parts);
    add_parts(b.children[1], negative != (b.code == Code::subtract), within_sum, parts);
    return;
  }
  FormId id = form(b);
  if (negative) id = forms_.function({id});
  const Form& f = forms_[id];
  if (f.kind == Form::Kind::reduction && f.op == Op::sum && is_sum(b)) {
    const Parts inner = f.parts;
    parts.insert(parts.end(), inner.begin(), inner.end());
  } else {
    parts.emplace_back(id, 1);
  }
}

FormId Formula::sum_of(const Bound& b) {
  Parts parts;
  add_parts(b, false, false, parts);
  const Type type = type_of(Op::sum, parts);
  return asked(b, Op::sum, type, std::move(parts));
}

FormId Formula::form(const Bound& b) {
  if (b.integral) return Forms::constant;
  const auto of_children = [&] {
    std::vector<FormId> all;
    for (const Bound& child : b.children) all.push_back(form(child));
    return all;
  };
  switch (b.kind) {
    case Kind::local:
      return locals_[static_cast<std::size_t>(b.slot)];
    case Kind::cursor:
      return element(b.slot, evaluator_.cursors_[static_cast<std::size_t>(b.slot2)].at);
    case Kind::element: {
      for (const Bound& child : b.children) {
        if (form(child) != Forms::constant) throw NoForm{"an index that depends on data"};
      }
      // Of a constant array the same, to have its index checked.
      return element(b.slot, evaluator_.index(b));
    }
    case Kind::conditional: {
      if (form(b.children[0]) != Forms::constant) return forms_.function(of_children());
      return form(b.children[evaluator_.truth(b.children[0]) ? 1 : 2]);
    }
    case Kind::operation:
      if (b.code == Code::logical_and || b.code == Code::logical_or) {
        const bool settled = form(b.children[0]) == Forms::constant;
        if (settled && evaluator_.truth(b.children[0]) == (b.code == Code::logical_or)) {
          return Forms::constant;
        }
        if (settled) return form(b.children[1]);
      }
      if (is_sum(b)) return sum_of(b);
      return forms_.function(of_children());
    case Kind::function:
      if (b.code == Code::to_float) return form(b.children[0]);
      return forms_.function(of_children());
    case Kind::negation:
    case Kind::logical_not:
      return forms_.function(of_children());
    case Kind::reduction:
      return reduction(b);
    default:
      return Forms::constant;
  }
}

FormId Formula::reduction(const Bound& b) {
  const auto no = [](std::string_view what) {
    return NoForm{fmt::format("{} is not followed", what)};
  };
  using R = Reduction;
  if (b.reduction == R::fold) throw no("an operator of the spec (fold)");
  if (b.reduction == R::any || b.reduction == R::all) throw no("a choice by data (any, all)");
  if (b.reduction >= R::argmin && b.reduction <= R::argmax_last) {
    throw no("where a minimum or maximum is (argmin, argmax)");
  }
  const Op op = b.reduction == R::product ? Op::product
                : b.reduction == R::min   ? Op::minimum
                : b.reduction == R::max   ? Op::maximum
                                          : Op::sum;  // a mean and a count, too
  const auto settled = [&](const Bound& bound) {
    if (bound.present() && form(bound) != Forms::constant) {
      throw no("a reduction whose elements depend on data");
    }
  };
  for (const auto& slice : b.slices)
    std::for_each(slice.bounds.begin(), slice.bounds.end(), settled);
  for (std::size_t k = 1; b.slot >= 0 && k < 4; ++k) settled(b.children[k]);
  Parts parts;
  const bool chosen = b.slot >= 0 && b.children[4].present();
  evaluator_.for_each_index(b, [&](std::int64_t) {
    if (chosen) settled(b.children[4]);
    if (op == Op::sum && b.reduction != Reduction::count) {
      add_parts(b.children[0], false, true, parts);
    } else {
      const auto id = form(b.children[0]);
      parts.emplace_back(b.reduction == Reduction::count ? forms_.function({id}) : id, 1);
    }
    if (parts.size() > most_parts) throw NoForm{"too many terms"};
  });
  const Type type = type_of(op, parts);
  const FormId id = asked(b, op, type, std::move(parts));
  return b.reduction == Reduction::mean ? forms_.function({id}) : id;
}

}  // namespace gauntlet::spec
