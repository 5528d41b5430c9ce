// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/float_format.hpp"
#include "base/usage_error.hpp"
#include "properties/language/proof.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::spec {
namespace {

using prove::NormalForms;
using prove::NormalId;
using prove::Proof;
using prove::SeenCell;

/// The observed cells of each array, by index.
std::map<std::string, std::vector<std::size_t>, std::less<>> by_array(const prove::Seen& seen) {
  std::map<std::string, std::vector<std::size_t>, std::less<>> cells;
  for (std::size_t k = 0; k < seen.cells.size(); ++k) cells[seen.cells[k].array].push_back(k);
  return cells;
}

Evaluator evaluator_of(const SpecCase& asked) {
  Evaluator evaluator(asked.loaded.program, values(asked.loaded.program.spec, asked.c),
                      asked.c.offset);
  evaluator.set_interrupted(asked.loaded.interrupted);
  evaluator.set_arrays(views_of(asked.loaded, asked.plan, evaluator));
  return evaluator;
}

std::string text_of(const prove::Seen& seen, const SeenCell& cell) {
  return cell.value.term == 0 ? "" : seen.shadow.terms.text(cell.value.term, 0);
}

std::uint64_t times_of(const NormalForms::Plain& of, std::uint64_t element) {
  const auto at = of.elements.find(element);
  return at == of.elements.end() ? 0 : at->second;
}

}  // namespace

/// Says what a cell has too much or too little of.
bool ByForms::differs(const NormalForms& forms, const SeenCell& cell, NormalId has, NormalId due,
                      const simt::symbolic::Terms& all, Proof& proof) const {
  const auto wanted = forms.plain(due), found = forms.plain(has);
  const bool one_operation =
      wanted && found &&
      (wanted->op == found->op || wanted->elements.size() == 1 || found->elements.size() == 1);
  if (one_operation && case_.arrays.size() == 1 && wanted->elements != found->elements) {
    prove::Miscount m{cell.name, 0, 0, 0, 0};
    bool first = true;
    const auto look = [&](std::uint64_t element) {
      const auto times = times_of(*found, element), due_times = times_of(*wanted, element);
      m.lacking += times < due_times ? 1 : 0;
      m.superfluous += times > due_times ? 1 : 0;
      if (times == due_times || !std::exchange(first, false)) return;
      m.element = element;
      m.times = times;
    };
    for (const auto& [element, times] : wanted->elements) look(element);
    for (const auto& [element, times] : found->elements) {
      if (!wanted->elements.contains(element)) look(element);
    }
    proof.verdict = prove::Verdict::refuted;
    proof.miscount = std::move(m);
    return false;
  }
  NormalForms::Names names;
  for (const DataArray& array : case_.arrays) names[array.first] = array.name;
  const std::string why = forms.difference(has, due, names);
  return proof.no_proof(
      why.empty() ? fmt::format("{} is not the formula's function of the elements by any rule that "
                                "is known",
                                cell.name)
                  : fmt::format("{} is not the formula's: it has {}", cell.name, why),
      cell.value.term == 0 ? "" : all.text(cell.value.term, 0));
}

bool ByForms::compare(const prove::Seen& seen, NormalForms& forms, Compared& compared,
                      Proof& proof) const {
  const Spec& spec = case_.loaded.program.spec;
  Evaluator evaluator = evaluator_of(case_);
  const auto in = [&](const std::string& why) {
    const auto& statement = spec.results[compared.due.size()].where.statement;
    return proof.no_proof(fmt::format("in `{}`, {}", statement, why));
  };
  try {
    Formula formula(case_.loaded.program, evaluator, forms, case_.first);
    for (std::size_t k = 0; k < spec.results.size(); ++k) {
      auto cells = formula.cells(k);
      compared.due.push_back(std::move(cells));
    }
    compared.roles = formula.roles();
    compared.own_ways = formula.has_own_ways();
  } catch (const UsageError& error) {
    // A side of a choice by data that the formula's values do not take.
    return proof.no_proof(error.what());
  } catch (const NoForm& no) {
    return in(no.what);
  } catch (const prove::TooManyChoices&) {
    return in("choices hang on one another in too many ways");
  } catch (const prove::TooLarge&) {
    return in("there are factors or terms that are too many to be followed");
  }
  compared.digest = forms.digest();
  compared.made = forms.of(seen.shadow.terms, seen.cells, false);
  // Without results nothing is compared.
  if (!compared.made.problem.empty() && !(spec.result_none && compared.made.too_large)) {
    return proof.no_proof("the result " + compared.made.problem, compared.made.term);
  }
  auto cells = by_array(seen);
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const auto& of = cells[spec.arrays[spec.results[k].array].name];
    for (const auto& [index, due] : compared.due[k]) {
      const NormalId has = compared.made.reals[of[index]];
      // What no data decide is compared in the runs.
      const bool settled = seen.cells[of[index]].value.term == 0 && forms.is_constant(due);
      if (has != due && !settled) {
        (void)differs(forms, seen.cells[of[index]], has, due, seen.shadow.terms, proof);
        if (proof.cause && compared.made.too_many_choices) {
          proof.cause->what += ", whose choices hang on one another in too many ways";
        }
        return false;
      }
    }
  }
  compared.same = true;
  return true;
}

void ByForms::draw(const prove::Seen& seen, const NormalForms::Plain& due, const SeenCell& cell,
                   Proof& proof) const {
  if (due.elements.empty() || due.elements.size() > prove::most_drawn_elements) return;
  const std::uint64_t least = due.elements.begin()->first, most = due.elements.rbegin()->first;
  const auto array = std::find_if(case_.arrays.rbegin(), case_.arrays.rend(),
                                  [&](const DataArray& a) { return a.first <= least; });
  if (most - array->first >= array->count) return;
  std::vector<Run> runs;
  for (const auto& [element, times] : due.elements) {
    if (times != 1) return;
    if (!runs.empty() && runs.back().first + runs.back().count == element) {
      ++runs.back().count;
    } else {
      runs.push_back({element, 1});
    }
  }
  Case plain = case_.c;
  plain.in = array->type;
  plain.op = due.op;
  plain.n = array->first + array->count;
  const prove::Judge judge(seen.shadow.terms, plain);
  const bool once = due.op == Op::sum || due.op == Op::product;
  prove::Tree tree = prove::tree_of(seen.shadow.terms, seen.origins, judge, cell.name, cell.type,
                                    cell.value, runs, once);
  // Numbers of the array's own elements.
  for (prove::TreeNode& node : tree.nodes) {
    if (node.kind == prove::TreeNode::Kind::element) node.element -= array->first;
  }
  for (std::uint64_t& lost : tree.lost) lost -= array->first;
  proof.trees.push_back(std::move(tree));
}

void ByForms::draw(const prove::Seen& seen, const NormalForms& forms, const Compared& compared,
                   Proof& proof) const {
  const Spec& spec = case_.loaded.program.spec;
  auto cells = by_array(seen);
  proof.trees.clear();
  for (std::size_t k = 0; k < compared.due.size(); ++k) {
    const auto& of = cells[spec.arrays[spec.results[k].array].name];
    for (const auto& [index, due] : compared.due[k]) {
      if (const auto plain = forms.plain(due)) draw(seen, *plain, seen.cells[of[index]], proof);
    }
  }
}

bool ByForms::judge(const prove::Seen& seen, bool trees, Proof& proof) {
  const Spec& spec = case_.loaded.program.spec;
  only_rounded_ = false;
  const std::string& any_order = seen.shadow.any_order();
  if (spec.result_none && !any_order.empty()) {
    return proof.no_proof(
        fmt::format("floats are added at {} in the order in which threads come, "
                    "which depends on the schedule",
                    any_order));
  }
  // The same products of the same sums are the same: mostly they need not be multiplied out.
  Compared compared;
  {
    NormalForms forms(1);
    (void)compare(seen, forms, compared, proof);
    if (trees) draw(seen, forms, compared, proof);
    if (compared.same) return judge_numbers(seen, compared, forms, proof);
    const bool followed = compared.made.problem.empty() || compared.made.too_large;
    if (!reals_ || !followed || proof.verdict == prove::Verdict::refuted) return false;
  }
  Compared multiplied;
  NormalForms expanded;
  Proof other = proof;
  if (!compare(seen, expanded, multiplied, other)) return false;
  proof.cause.reset();
  return judge_numbers(seen, multiplied, expanded, proof);
}

bool ByForms::judge_numbers(const prove::Seen& seen, const Compared& compared,
                            const NormalForms& forms, Proof& proof) {
  const Spec& spec = case_.loaded.program.spec;
  const auto& made = compared.made;
  auto cells = by_array(seen);
  // Each reduction is made of the formula's parts, and each element is left as it is.
  const auto is_made_so = [&](std::uint64_t key) {
    const auto computed = made.reductions.find(key);
    return computed != made.reductions.end() && !computed->second.of_rounded;
  };
  bool as_written = !compared.own_ways && std::ranges::all_of(compared.roles, [&](const auto& r) {
    return !r.required || std::ranges::all_of(r.keys, is_made_so);
  });
  if (!spec.result_none) proof.cells = 0;
  proof.rounds = false;
  std::uint64_t tree = 0;
  prove::Judge hashes(seen.shadow.terms, case_.c);
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    proof.rounds = proof.rounds || is_float(arithmetic_type(spec, spec.results[k]));
    const std::string& array = spec.arrays[spec.results[k].array].name;
    for (const char letter : array) {
      proof.due = prove::mixed(proof.due, static_cast<unsigned char>(letter));
    }
    for (const auto& [index, due] : compared.due[k]) {
      const std::size_t cell = cells[array][index];
      proof.due = prove::mixed(prove::mixed(proof.due, index), due);
      tree = tree * 0x100'0000'01B3 ^ hashes.hash(seen.cells[cell].value);
      ++proof.cells;
      const auto plain = forms.plain(due);
      proof.elements += plain ? plain->elements.size() : 1;
      const bool element =
          plain && plain->elements.size() == 1 && plain->elements.begin()->second == 1;
      as_written = as_written && (!element || made.precision[cell] == 64);
    }
  }
  proof.due = prove::mixed(proof.due, compared.digest);
  // Where nothing is rounded, a number as a real is the number.
  const bool exact = !compared.own_ways &&
                     std::ranges::all_of(made.precision, [](int bits) { return bits == 64; });
  if (!as_written && !spec.result_none) {
    const auto rounds_elements = [&](std::uint64_t key) {
      const auto computed = made.reductions.find(key);
      return computed != made.reductions.end() && computed->second.of_rounded;
    };
    const bool rounded = std::ranges::any_of(compared.roles, [&](const RoleOf& role) {
      return std::ranges::any_of(role.keys, rounds_elements);
    });
    if (made.narrows || rounded) {
      return proof.no_proof(
          "a function that rounds stands where the formula has an element, or in a reduction");
    }
    if (seen.shadow.ticket_blocks() > 1) {
      return proof.no_proof("its operations depend on which block takes the last ticket");
    }
    if (!reals_ && !exact)
      return proof.no_proof("the formula is computed in another way than it is written");
    if (!exact) {
      as_reals_ = true;
      proof.as = "reals";
    }
  }
  if (!judge_order(seen, proof)) return false;
  if (spec.result_none) return true;
  std::set<std::string> functions = made.operations;
  // Where there is one, data are assumed to be finite.
  const bool named = as_written || (exact && functions.empty());
  if (named) functions.insert(made.comparisons.begin(), made.comparisons.end());
  std::set<std::uint64_t> reduces;
  for (const RoleOf& role : compared.roles) reduces.insert(role.keys.begin(), role.keys.end());
  for (const auto& [key, computed] : made.reductions) {
    for (std::size_t k = 0; named && !reduces.contains(key) && k < made.chains.size(); ++k) {
      if ((computed.names >> std::min<std::size_t>(k, 63) & 1) != 0) {
        functions.insert(made.chains[k]);
      }
    }
  }
  if (!functions.empty() && tree_.value_or(tree) != tree) {
    return proof.no_proof("its operations depend on which block takes the last ticket");
  }
  tree_ = tree;
  proof.tree_hash = fmt::format("{:016x}", tree);
  proof.functions.assign(functions.begin(), functions.end());
  finite_ = finite_ || made.finite;
  Heights heights = heights_.value_or(Heights{});
  if (!judge_heights(compared, heights, proof)) return false;
  if (as_written) heights_ = std::move(heights);
  return judge_bits(seen, compared, proof);
}

/// Every cell is the same for each block that may come last: without results, and of what no data
/// decide. Other data and schedules are compared for one last block only.
bool ByForms::judge_order(const prove::Seen& seen, Proof& proof) {
  const Spec& spec = case_.loaded.program.spec;
  prove::Judge hashes(seen.shadow.terms, case_.c);
  for (const SeenCell& cell : seen.cells) {
    const Array* array = spec.array(cell.array);
    if (array == nullptr || !array->kept || cell.value.term == 0) continue;
    return proof.no_proof(fmt::format("{} is not left as it was found", cell.name),
                          text_of(seen, cell));
  }
  std::vector<std::uint64_t> same;
  std::uint64_t tree = 0;
  for (const SeenCell& cell : seen.cells) {
    const auto hash = hashes.hash(cell.value);
    same.push_back(spec.result_none || cell.value.term == 0 ? hash : 0);
    tree = tree * 0x100'0000'01B3 ^ hash;
    if (same_.empty() || same_[same.size() - 1] == same.back()) continue;
    return proof.no_proof(fmt::format("{} depends on which block takes the last ticket", cell.name),
                          text_of(seen, cell));
  }
  same_ = std::move(same);
  if (spec.result_none) proof.tree_hash = fmt::format("{:016x}", tree);
  return true;
}

bool ByForms::judge_heights(const Compared& compared, Heights& heights, Proof& proof) const {
  const Spec& spec = case_.loaded.program.spec;
  Evaluator evaluator = evaluator_of(case_);
  for (const RoleOf& role : compared.roles) {
    const auto& statement = spec.results[role.result].where.statement;
    std::uint64_t height = 0;
    bool known = true;
    for (const std::uint64_t key : role.keys) {
      const auto computed = compared.made.reductions.find(key);
      known = known && computed != compared.made.reductions.end();
      if (!known) break;
      height = std::max(height, computed->second.height);
      if (role.whole && !computed->second.whole) {
        return proof.no_proof(
            fmt::format("in `{}`, whole numbers are combined in floats that cannot hold each of "
                        "them",
                        statement));
      }
    }
    if (!known || height == 0) continue;
    const Expression& most_said = case_.loaded.program.spec.results[role.result].height;
    if (most_said.present() && height > evaluator.count(most_said)) {
      return proof.no_proof(
          fmt::format("in `{}`, a term goes through {} additions", statement, height));
    }
    auto& most = heights[role.reduction];
    most = std::max(most, height);
    proof.depth.most = std::max(proof.depth.most, height);
  }
  return true;
}

/// Nothing on the way is rounded to fewer bits than the arithmetic has.
bool ByForms::judge_bits(const prove::Seen& seen, const Compared& compared, Proof& proof) {
  const Spec& spec = case_.loaded.program.spec;
  auto cells = by_array(seen);
  std::optional<std::pair<std::size_t, std::size_t>> worst;  // result, cell
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Type type = arithmetic_type(spec, spec.results[k]);
    if (!is_float(type)) continue;
    const auto& of = cells[spec.arrays[spec.results[k].array].name];
    for (const auto& [index, due] : compared.due[k]) {
      const auto& precision = compared.made.precision;
      const int least = worst ? precision[worst->second] : format_of(type).precision();
      if (precision[of[index]] < std::min(least, format_of(type).precision())) {
        worst = {k, of[index]};
      }
    }
  }
  if (!worst) return true;
  only_rounded_ = seen.shadow.ticket_blocks() <= 1;
  const auto& [result, cell] = *worst;
  return proof.no_proof(
      fmt::format("in `{}`, a value on the way to {} is rounded to {} bits, fewer than the {} of "
                  "the arithmetic",
                  spec.results[result].where.statement, seen.cells[cell].name,
                  compared.made.precision[cell],
                  format_of(arithmetic_type(spec, spec.results[result])).precision()),
      text_of(seen, seen.cells[cell]));
}

}  // namespace gauntlet::spec
