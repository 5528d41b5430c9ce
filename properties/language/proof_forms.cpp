// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/float_format.hpp"
#include "base/usage_error.hpp"
#include "properties/language/formula.hpp"
#include "properties/language/proof_ways.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::spec {
namespace {

using prove::Proof;
using prove::SeenCell;

/// A cell that is made of what was rounded to so few bits.
struct Rounded {
  std::size_t result = 0;
  int bits = 0;
  const SeenCell* cell = nullptr;
};

/// A number for what a form is of, the same in every formula that has it.
class Meanings {
 public:
  explicit Meanings(const Forms& forms) : forms_(forms) {}

  std::uint64_t of(FormId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Form& form = forms_[id];
    std::uint64_t h = prove::mixed(static_cast<std::uint64_t>(form.kind), form.element);
    if (form.kind == Form::Kind::reduction) {
      h = prove::mixed(
          h, static_cast<std::uint64_t>(form.op) << 8 | static_cast<std::uint64_t>(form.type));
    }
    std::uint64_t parts = 0;  // in any order
    for (const auto& [part, times] : form.parts) parts += prove::mixed(of(part), times);
    return known_[id] = prove::mixed(h, parts);
  }

 private:
  const Forms& forms_;
  std::unordered_map<FormId, std::uint64_t> known_;
};

/// The first function of several elements or reductions within a form; constant: there is none.
FormId several_within(const Forms& forms, FormId id, std::set<FormId>& seen) {
  if (!seen.insert(id).second) return Forms::constant;
  const Form& form = forms[id];
  if (form.kind == Form::Kind::function && form.parts.size() > 1) return id;
  for (const auto& [part, times] : form.parts) {
    const FormId found = several_within(forms, part, seen);
    if (found != Forms::constant) return found;
  }
  return Forms::constant;
}

/// How often a part comes; `parts` are normal.
std::uint64_t times_of(const Parts& parts, FormId id) {
  const auto at = std::lower_bound(parts.begin(), parts.end(), std::pair{id, std::uint64_t{0}});
  return at != parts.end() && at->first == id ? at->second : 0;
}

std::string text_of(const simt::symbolic::Terms& terms, simt::symbolic::TermId id) {
  return id == 0 ? "" : terms.text(id, 0);
}

}  // namespace

/// "x[3]", "x[3], w[3]", "5 elements": what a part is of.
std::string ByForms::text(const Forms& forms, FormId id) const {
  std::vector<FormId> atoms;
  forms.add_atoms(id, atoms);
  if (atoms.empty()) return "a constant";
  std::string all;
  for (std::size_t k = 0; k < atoms.size() && k < 3; ++k) {
    if (k != 0) all += ", ";
    const Form& f = forms[atoms[k]];
    if (f.kind == Form::Kind::reduction) {
      all += fmt::format("a {}", name(f.op));
      continue;
    }
    const auto array = std::find_if(case_.arrays.rbegin(), case_.arrays.rend(),
                                    [&](const DataArray& a) { return a.first <= f.element; });
    all += fmt::format("{}[{}]", array->name, f.element - array->first);
  }
  if (atoms.size() > 3) all += fmt::format(" and {} more", atoms.size() - 3);
  return all;
}

/// A plain reduction of elements that are not those of the formula.
bool ByForms::refuted(const Forms& forms, const SeenCell& cell, const Parts& wanted,
                      const Parts& found, std::pair<FormId, std::uint64_t> first,
                      Proof& proof) const {
  prove::Miscount m{cell.name, forms[first.first].element, first.second, 0, 0};
  for (const auto& [part, count] : wanted) m.lacking += times_of(found, part) < count ? 1 : 0;
  for (const auto& [part, count] : found) m.superfluous += count > times_of(wanted, part) ? 1 : 0;
  proof.verdict = prove::Verdict::refuted;
  proof.miscount = std::move(m);
  return false;
}

/// Says what a cell has too much or too little of.
bool ByForms::differs(const Forms& forms, const TermForms& terms, const SeenCell& cell, FormId due,
                      const simt::symbolic::Terms& all, Proof& proof) const {
  const Form& wanted = forms[due];
  const TermForms::Root has{cell.value.term, cell.type};
  if (wanted.kind == Form::Kind::reduction) {
    const Parts found = terms.parts_of(has, wanted.op);
    const bool plain =
        case_.arrays.size() == 1 && std::all_of(found.begin(), found.end(), [&](const auto& p) {
          return forms[p.first].kind == Form::Kind::element;
        });
    for (const auto& [part, times] : wanted.parts) {
      const auto count = times_of(found, part);
      if (count == times) continue;
      if (plain && forms[part].kind == Form::Kind::element) {
        return refuted(forms, cell, wanted.parts, found, {part, count}, proof);
      }
      // What was made of the part alone stands in its place.
      const auto function = std::find_if(found.begin(), found.end(), [&](const auto& p) {
        const Form& f = forms[p.first];
        return f.kind == Form::Kind::function && f.parts == Parts{{part, 1}};
      });
      if (count == 0 && function != found.end()) {
        return proof.no_proof(
            fmt::format("{} has a function of {} in its {}, must have it as it is", cell.name,
                        text(forms, part), name(wanted.op)),
            text_of(all, cell.value.term));
      }
      return proof.no_proof(
          fmt::format("{} has {} {} in its {}, must have it {}", cell.name, text(forms, part),
                      count == 0 ? "not at all" : fmt::format("{} times", count), name(wanted.op),
                      times == 1 ? "once" : fmt::format("{} times", times)));
    }
    for (const auto& [part, times] : found) {
      if (times_of(wanted.parts, part) != 0) continue;
      if (plain) return refuted(forms, cell, wanted.parts, found, {part, times}, proof);
      return proof.no_proof(fmt::format("{} has {} in its {}, which the formula has not", cell.name,
                                        text(forms, part), name(wanted.op)));
    }
  }
  const auto of = [&](FormId id) {
    return id == Forms::constant ? std::string("a constant") : "made of " + text(forms, id);
  };
  return proof.no_proof(
      fmt::format("{} is {}, and not by reductions that the formula has; there it is {}", cell.name,
                  of(terms.form(has)), of(due)),
      text_of(all, cell.value.term));
}

void ByForms::draw(const prove::Seen& seen, const Forms& forms, FormId due, const SeenCell& cell,
                   Proof& proof) const {
  const Form& form = forms[due];
  const bool one = form.kind == Form::Kind::element;
  if (!one && form.kind != Form::Kind::reduction) return;
  std::vector<std::uint64_t> elements;
  for (const auto& [part, times] : one ? Parts{{due, 1}} : form.parts) {
    if (forms[part].kind != Form::Kind::element || times != 1) return;
    elements.push_back(forms[part].element);
  }
  if (elements.empty()) return;
  std::sort(elements.begin(), elements.end());
  const auto array = std::find_if(case_.arrays.rbegin(), case_.arrays.rend(),
                                  [&](const DataArray& a) { return a.first <= elements.front(); });
  if (elements.back() - array->first >= array->count ||
      elements.size() > prove::most_drawn_elements) {
    return;
  }
  std::vector<Run> runs;
  for (const std::uint64_t element : elements) {
    if (!runs.empty() && runs.back().first + runs.back().count == element) {
      ++runs.back().count;
    } else {
      runs.push_back({element, 1});
    }
  }
  Case plain = case_.c;
  plain.in = array->type;
  plain.op = form.op;
  plain.n = array->first + array->count;
  const prove::Judge judge(seen.shadow.terms, plain);
  const bool once = form.op == Op::sum || form.op == Op::product;
  prove::Tree tree = prove::tree_of(seen.shadow.terms, seen.origins, judge, cell.name, cell.type,
                                    cell.value, runs, once);
  // Numbers of the array's own elements.
  for (prove::TreeNode& node : tree.nodes) {
    if (node.kind == prove::TreeNode::Kind::element) node.element -= array->first;
  }
  for (std::uint64_t& lost : tree.lost) lost -= array->first;
  proof.trees.push_back(std::move(tree));
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
  const auto& terms = seen.shadow.terms;
  Evaluator evaluator = evaluator_of(case_);
  Forms forms;
  Formula formula(case_.loaded.program, evaluator, forms, case_.first);
  std::vector<std::vector<std::pair<std::uint64_t, FormId>>> due;
  try {
    for (std::size_t k = 0; k < spec.results.size(); ++k) due.push_back(formula.cells(k));
  } catch (const UsageError& error) {
    // A side of a choice by data that the formula's values do not take.
    return proof.no_proof(error.what());
  } catch (const NoForm& no) {
    return proof.no_proof(
        fmt::format("in `{}`, {}", spec.results[due.size()].where.statement, no.what));
  }
  std::map<std::string, std::vector<const SeenCell*>, std::less<>> cells;
  for (const SeenCell& cell : seen.cells) cells[cell.array].push_back(&cell);

  proof.rounds = false;
  Meanings meanings(forms);
  std::set<FormId> looked_at;
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    proof.rounds = proof.rounds || is_float(arithmetic_type(spec, spec.results[k]));
    for (const char letter : array.name) {
      proof.due = prove::mixed(proof.due, static_cast<unsigned char>(letter));
    }
    for (const auto& [index, wanted] : due[k]) {
      proof.due = prove::mixed(prove::mixed(proof.due, index), meanings.of(wanted));
      const FormId several =
          of_several_.empty() ? several_within(forms, wanted, looked_at) : Forms::constant;
      if (several != Forms::constant) of_several_ = text(forms, several);
      if (trees) draw(seen, forms, wanted, *cells[array.name].at(index), proof);
    }
  }
  std::vector<TermForms::Root> roots;
  for (const SeenCell& cell : seen.cells) roots.push_back({cell.value.term, cell.type});
  TermForms made(terms, forms, case_.arrays);
  if (const auto problem = made.read(roots)) {
    return proof.no_proof(fmt::format("the result {}", problem->what),
                          text_of(terms, problem->term));
  }
  finite_ = finite_ || made.begins_finite();
  note_constants(terms, corners_);
  if (!made.functions().empty()) {
    note_turns(terms, made, corners_);
    hidden_turn_ = text_of(terms, made.hidden_turn());
    corners_.nan = corners_.nan || takes_bits_for_integers(terms, TermNumbers(terms));
  }
  std::uint64_t tree = 0;
  if (!spec.result_none) proof.cells = 0;
  prove::Judge hashes(terms, case_.c);
  std::optional<Rounded> rounded;
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    const int precision = format_of(arithmetic_type(spec, spec.results[k])).precision();
    std::map<std::vector<std::uint64_t>, std::uint64_t> shapes;
    for (const auto& [index, wanted] : due[k]) {
      const SeenCell& cell = *cells[array.name].at(index);
      const TermForms::Root root{cell.value.term, cell.type};
      if (made.form(root) != wanted) return differs(forms, made, cell, wanted, terms, proof);
      const int bits = made.bits(root);
      if (bits == 0) {
        return proof.no_proof(
            fmt::format("{} needs upper bits of a whole number that does not fit the "
                        "type in which it is computed",
                        cell.name),
            text_of(terms, cell.value.term));
      }
      if (bits < std::min(precision, rounded ? rounded->bits : precision)) {
        rounded = Rounded{k, bits, &cell};
      }
      ++proof.cells;
      const Form& form = forms[wanted];
      proof.elements += form.kind == Form::Kind::constant  ? 0
                        : form.kind == Form::Kind::element ? 1
                                                           : form.parts.size();
      tree = tree * 0x100'0000'01B3 ^ hashes.hash(cell.value);
      if (form.kind != Form::Kind::function) continue;
      std::vector<std::uint64_t> kind;
      for (const auto& [atom, times] : form.parts) {
        kind.push_back(static_cast<std::uint64_t>(forms[atom].kind) << 32 | forms[atom].role);
      }
      std::sort(kind.begin(), kind.end());
      const auto shape = made.shape(cell.value.term);
      const auto [known, fresh] = shapes.try_emplace(std::move(kind), shape);
      if (shape == 0 || known->second != shape) {
        return proof.no_proof(
            fmt::format("{} is made by other operations than the cells before it", cell.name),
            text_of(terms, cell.value.term));
      }
    }
  }
  for (const SeenCell& cell : seen.cells) {
    const Array* array = spec.array(cell.array);
    if (array == nullptr || !array->kept || cell.value.term == 0) continue;
    return proof.no_proof(fmt::format("{} is not left as it was found", cell.name),
                          text_of(terms, cell.value.term));
  }
  // Other data and schedules are compared for one last block only. Without results every cell is to
  // be the same for all, with them what no data decide.
  std::vector<std::uint64_t> same;
  for (const SeenCell& cell : seen.cells) {
    const auto hash = hashes.hash(cell.value);
    same.push_back(spec.result_none || cell.value.term == 0 ? hash : 0);
    if (spec.result_none) tree = tree * 0x100'0000'01B3 ^ hash;
    if (same_.empty() || same_[same.size() - 1] == same.back()) continue;
    return proof.no_proof(fmt::format("{} depends on which block takes the last ticket", cell.name),
                          text_of(terms, cell.value.term));
  }
  same_ = std::move(same);
  if (!made.functions().empty() && tree_.value_or(tree) != tree) {
    return proof.no_proof("its operations depend on which block takes the last ticket");
  }
  tree_ = tree;
  proof.tree_hash = fmt::format("{:016x}", tree);
  if (!spec.result_none) {
    proof.functions.assign(made.functions().begin(), made.functions().end());
  }

  // Every reduction has its parts; how it adds them is known.
  Heights heights = heights_.value_or(Heights{});
  for (const RoleOf& role : formula.roles()) {
    std::uint64_t height = 0;
    bool known = true;
    for (const FormId id : role.forms) {
      if (forms[id].kind != Form::Kind::reduction) continue;
      const auto computed = made.computed().find(id);
      known = known && computed != made.computed().end();
      if (!known) break;
      height = std::max(height, computed->second.height);
      const bool adds = forms[id].op == Op::sum || forms[id].op == Op::product;
      if (role.whole && adds && !computed->second.whole) {
        return proof.no_proof(
            fmt::format("in `{}`, a {} of whole numbers is computed in floats "
                        "that cannot hold each of them",
                        spec.results[role.result].where.statement, name(forms[id].op)));
      }
    }
    if (!known || height == 0) continue;
    const Bound& most_said = case_.loaded.program.results[role.result].height;
    if (most_said.present() && height > evaluator.count(most_said)) {
      too_high_ = true;
      return proof.no_proof(fmt::format("in `{}`, a term goes through {} additions",
                                        spec.results[role.result].where.statement, height));
    }
    auto& most = heights[role.reduction];
    most = std::max(most, height);
    proof.depth.most = std::max(proof.depth.most, height);
  }
  only_rounded_ = rounded && seen.shadow.ticket_blocks() <= 1;
  heights_ = std::move(heights);
  if (!rounded) return true;
  const Result& result = spec.results[rounded->result];
  return proof.no_proof(
      fmt::format("in `{}`, a value on the way to {} is rounded to {} bits, fewer than the {} of "
                  "the arithmetic",
                  result.where.statement, rounded->cell->name, rounded->bits,
                  format_of(arithmetic_type(spec, result)).precision()),
      text_of(terms, rounded->cell->value.term));
}

}  // namespace gauntlet::spec
