// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/float_format.hpp"
#include "base/usage_error.hpp"
#include "properties/language/formula.hpp"
#include "properties/language/formula_reals.hpp"
#include "properties/language/term_forms.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/normal_forms.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::spec {
namespace {

using prove::Proof;
using prove::SeenCell;
using simt::symbolic::TermId;

/// Of all arrays together: each element is a term.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;

/// A cell that is made of what was rounded to so few bits.
struct Rounded {
  std::size_t result = 0;
  int bits = 0;
  const SeenCell* cell = nullptr;
};

/// The formulas of a spec, at the sizes of a case.
class OfSpec final : public prove::Claim {
 public:
  /// `runs`: so many are compared with the formula.
  OfSpec(const Specs& specs, const Case& c, const Plan& plan, unsigned runs = 8)
      : specs_(specs), loaded_(specs.loaded(c)), case_(c), plan_(plan), runs_(runs) {}

  [[nodiscard]] std::string hindrance() const override {
    if (loaded_.host != nullptr) return "a function of the host makes its own launches";
    if (loaded_.program.spec.by) return "a result by a program is known for the data of a run only";
    std::uint64_t bytes = 0;
    for (const Buffer& buffer : plan_.buffers) bytes += buffer.bytes;
    if (bytes <= most_bytes) return {};
    return fmt::format("arrays of more than {} MiB are not tried", most_bytes >> 20);
  }

  std::string begin(simt::GlobalMemory& memory, simt::symbolic::Shadow& shadow) override {
    const Spec& spec = loaded_.program.spec;
    const auto data = data_arrays(loaded_.program);
    arrays_.clear();
    first_.assign(spec.arrays.size(), -1);
    for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
      if (!data[k]) continue;
      const auto* array = memory.named(spec.arrays[k].name);
      if (array == nullptr || array->make_page) {
        return fmt::format("no array {} to be taken for data", spec.arrays[k].name);
      }
      const auto count = plan_.buffers[k].bytes / size_of(spec.arrays[k].type);
      const auto first =
          shadow.add_input(spec.arrays[k].name, array->data, count, spec.arrays[k].type);
      first_[k] = static_cast<std::int64_t>(first);
      arrays_.push_back({spec.arrays[k].name, spec.arrays[k].type, first, count});
    }
    return {};
  }

  bool judge(const prove::Seen& seen, bool trees, Proof& proof) override;

  void assume(Proof& proof) const override {
    const Spec& spec = loaded_.program.spec;
    const bool real_result =
        std::any_of(spec.results.begin(), spec.results.end(),
                    [&](const Result& r) { return is_float(spec.arrays[r.array].type); });
    const bool real = std::any_of(spec.arrays.begin(), spec.arrays.end(),
                                  [](const Array& a) { return is_float(a.type); });
    if (real_result) proof.assumed.emplace_back("no_overflow");
    if (real_result || (spec.result_none && tickets_ && real)) {
      proof.assumed.insert(proof.assumed.end(), {"signed_zero", "nan_payloads"});
    }
    if (finite_) proof.assumed.emplace_back("finite");
    if (as_reals_) proof.assumed.emplace_back("finite_data");
    if (as_reals_ && real_result) proof.assumed.emplace_back("no_underflow");
    if (flushes_) proof.assumed.emplace_back("no_subnormals");
    if (!proof.functions.empty()) proof.assumed.emplace_back("functions");
    for (const Result& r : spec.results) proof.formulas.push_back(r.where.statement);
    if (spec.result_none) proof.formulas.emplace_back("result none");
  }

  void conclude(Proof& proof) override;

  /// How the kernel adds; null where it is not known, or in no single way.
  [[nodiscard]] const std::optional<Heights>& found() const { return found_; }

 private:
  bool no_proof(Proof& proof, std::string what, const simt::symbolic::Terms* terms = nullptr,
                TermId term = 0) const {
    proof.verdict = prove::Verdict::no_proof;
    proof.cause.emplace();
    proof.cause->what = std::move(what);
    if (term != 0) proof.cause->term = terms->text(term, 0);
    return false;
  }
  [[nodiscard]] std::string text(const Forms& forms, FormId id) const;
  bool refuted(const Forms& forms, const SeenCell& cell, const Parts& wanted, const Parts& found,
               std::pair<FormId, std::uint64_t> first, Proof& proof) const;
  bool differs(const Forms& forms, const TermForms& terms, const SeenCell& cell, FormId due,
               const simt::symbolic::Terms& all, Proof& proof) const;

  /// By the reductions of the formulas and functions of them.
  bool by_forms(const prove::Seen& seen, bool trees, Proof& proof);
  /// By normal forms: the kernel computes the formula, in another way perhaps.
  bool by_reals(const prove::Seen& seen, Proof& proof);
  void compare(Proof& proof);
  /// The tree of a cell that is a plain reduction of one array's elements.
  void draw(const prove::Seen& seen, const Forms& forms, FormId due, const SeenCell& cell,
            Proof& proof) const;

  const Specs& specs_;
  const Loaded& loaded_;
  const Case& case_;
  const Plan& plan_;
  const unsigned runs_;
  std::vector<DataArray> arrays_;
  std::vector<std::int64_t> first_;
  std::optional<Heights> heights_, found_;
  std::optional<std::uint64_t> tree_;  ///< of the runs before
  std::vector<std::uint64_t> same_;    ///< of them: what must be the same, by cell
  bool tickets_ = false;               ///< runs with other last blocks had the same trees
  bool flushes_ = false, finite_ = false, any_order_ = false, only_rounded_ = false;
  bool as_reals_ = false;
};

/// "x[3]", "x[3], w[3]", "5 elements": what a part is of.
std::string OfSpec::text(const Forms& forms, FormId id) const {
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
    const auto array = std::find_if(arrays_.rbegin(), arrays_.rend(),
                                    [&](const DataArray& a) { return a.first <= f.element; });
    all += fmt::format("{}[{}]", array->name, f.element - array->first);
  }
  if (atoms.size() > 3) all += fmt::format(" and {} more", atoms.size() - 3);
  return all;
}

/// A plain reduction of elements that are not those of the formula.
bool OfSpec::refuted(const Forms& forms, const SeenCell& cell, const Parts& wanted,
                     const Parts& found, std::pair<FormId, std::uint64_t> first,
                     Proof& proof) const {
  const auto times = [](const Parts& parts, FormId id) -> std::uint64_t {
    const auto at = std::lower_bound(parts.begin(), parts.end(), std::pair{id, std::uint64_t{0}});
    return at != parts.end() && at->first == id ? at->second : 0;
  };
  prove::Miscount m{cell.name, forms[first.first].element, first.second, 0, 0};
  for (const auto& [part, count] : wanted) m.lacking += times(found, part) < count ? 1 : 0;
  for (const auto& [part, count] : found) m.superfluous += count > times(wanted, part) ? 1 : 0;
  proof.verdict = prove::Verdict::refuted;
  proof.miscount = std::move(m);
  return false;
}

/// Says what a cell has too much or too little of.
bool OfSpec::differs(const Forms& forms, const TermForms& terms, const SeenCell& cell, FormId due,
                     const simt::symbolic::Terms& all, Proof& proof) const {
  const Form& wanted = forms[due];
  const TermForms::Root has{cell.value.term, cell.type};
  if (wanted.kind == Form::Kind::reduction) {
    const Parts found = terms.parts_of(has, wanted.op);
    auto at = found.begin();
    const bool plain =
        arrays_.size() == 1 && std::all_of(found.begin(), found.end(), [&](const auto& p) {
          return forms[p.first].kind == Form::Kind::element;
        });
    for (const auto& [part, times] : wanted.parts) {
      while (at != found.end() && at->first < part) ++at;
      const auto count = at != found.end() && at->first == part ? at->second : 0;
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
        return no_proof(proof,
                        fmt::format("{} has a function of {} in its {}, must have it as it is",
                                    cell.name, text(forms, part), name(wanted.op)),
                        &all, cell.value.term);
      }
      return no_proof(
          proof,
          fmt::format("{} has {} {} in its {}, must have it {}", cell.name, text(forms, part),
                      count == 0 ? "not at all" : fmt::format("{} times", count), name(wanted.op),
                      times == 1 ? "once" : fmt::format("{} times", times)));
    }
    for (const auto& [part, times] : found) {
      const bool known = std::any_of(wanted.parts.begin(), wanted.parts.end(),
                                     [&](const auto& p) { return p.first == part; });
      if (known) continue;
      if (plain) return refuted(forms, cell, wanted.parts, found, {part, times}, proof);
      return no_proof(proof, fmt::format("{} has {} in its {}, which the formula has not",
                                         cell.name, text(forms, part), name(wanted.op)));
    }
  }
  const auto of = [&](FormId id) {
    return id == Forms::constant ? std::string("a constant") : "made of " + text(forms, id);
  };
  return no_proof(
      proof,
      fmt::format("{} is {}, and not by reductions that the formula has; there it is {}", cell.name,
                  of(terms.form(has)), of(due)),
      &all, cell.value.term);
}

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

void OfSpec::draw(const prove::Seen& seen, const Forms& forms, FormId due, const SeenCell& cell,
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
  const auto array = std::find_if(arrays_.rbegin(), arrays_.rend(),
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
  Case plain = case_;
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

bool OfSpec::judge(const prove::Seen& seen, bool trees, Proof& proof) {
  if (by_forms(seen, trees, proof)) return true;
  const bool looks_further = proof.verdict == prove::Verdict::no_proof &&
                             !loaded_.program.spec.result_none && seen.shadow.ticket_blocks() <= 1;
  if (!looks_further) return false;
  Proof other = proof;
  other.cause.reset();
  other.functions.clear();
  if (!by_reals(seen, other)) return false;
  proof = std::move(other);
  as_reals_ = true;
  only_rounded_ = false;
  return true;
}

bool OfSpec::by_reals(const prove::Seen& seen, Proof& proof) {
  const Spec& spec = loaded_.program.spec;
  const auto& terms = seen.shadow.terms;
  Evaluator evaluator(loaded_.program, values(case_), case_.offset);
  evaluator.set_interrupted(loaded_.interrupted);
  evaluator.set_arrays(views_of(loaded_, plan_, evaluator));
  prove::NormalForms forms;
  std::map<std::string, std::vector<const SeenCell*>, std::less<>> cells;
  for (const SeenCell& cell : seen.cells) {
    cells[cell.array].push_back(&cell);
    const Array* array = spec.array(cell.array);
    if (array != nullptr && array->kept && cell.value.term != 0) return false;
  }
  try {
    FormulaReals formula(loaded_.program, evaluator, forms, first_);
    prove::Judge hashes(terms, case_);
    std::uint64_t tree = 0, count = 0;
    bool real = false;
    for (std::size_t k = 0; k < spec.results.size(); ++k) {
      const Array& array = spec.arrays[spec.results[k].array];
      std::vector<SeenCell> has;
      std::vector<prove::NormalId> due;
      for (const auto& [index, wanted] : formula.cells(k)) {
        has.push_back(*cells[array.name].at(index));
        due.push_back(wanted);
        tree = tree * 0x100'0000'01B3 ^ hashes.hash(has.back().value);
        // The rounding to what the cell is stored in is not counted.
        const auto& last = terms[has.back().value.term];
        if (last.kind != simt::symbolic::Term::Kind::convert || last.type != array.type ||
            size_of(last.type) > size_of(last.from)) {
          continue;
        }
        has.back().value.term = last.a;
        has.back().type = last.from;
      }
      const auto made = forms.of(terms, has);
      if (!made.problem.empty() || made.reals != due) return false;
      const int precision = format_of(arithmetic_type(spec, spec.results[k])).precision();
      if (made.narrows || (made.floats && format_of(made.narrowest).precision() < precision)) {
        return false;
      }
      proof.functions.insert(proof.functions.end(), made.operations.begin(), made.operations.end());
      real = real || made.floats;
      count += due.size();
    }
    std::ranges::sort(proof.functions);
    const auto same = std::ranges::unique(proof.functions);
    proof.functions.erase(same.begin(), same.end());
    proof.cells = proof.elements = count;
    proof.depth = {};
    proof.rounds = real;
    proof.as = "reals";
    proof.tree_hash = fmt::format("{:016x}", tree);
  } catch (const UsageError&) {
    return false;  // a side of a choice by data that the formula's values do not take
  } catch (const NoForm&) {
    return false;
  } catch (const prove::TooLarge&) {
    return false;
  }
  heights_.reset();
  any_order_ = any_order_ || !seen.shadow.any_order().empty();
  return true;
}

bool OfSpec::by_forms(const prove::Seen& seen, bool trees, Proof& proof) {
  const Spec& spec = loaded_.program.spec;
  flushes_ = flushes_ || seen.shadow.flushes();
  tickets_ = tickets_ || seen.shadow.ticket_blocks() > 1;
  only_rounded_ = false;
  const std::string& any_order = seen.shadow.any_order();
  if (spec.result_none && !any_order.empty()) {
    return no_proof(proof, fmt::format("floats are added at {} in the order in which threads come, "
                                       "which depends on the schedule",
                                       any_order));
  }
  const auto& terms = seen.shadow.terms;
  Evaluator evaluator(loaded_.program, values(case_), case_.offset);
  evaluator.set_interrupted(loaded_.interrupted);
  evaluator.set_arrays(views_of(loaded_, plan_, evaluator));
  Forms forms;
  Formula formula(loaded_.program, evaluator, forms, first_);
  std::vector<std::vector<std::pair<std::uint64_t, FormId>>> due;
  try {
    for (std::size_t k = 0; k < spec.results.size(); ++k) due.push_back(formula.cells(k));
  } catch (const UsageError& error) {
    // A side of a choice by data that the formula's values do not take.
    return no_proof(proof, error.what());
  } catch (const NoForm& no) {
    return no_proof(proof,
                    fmt::format("in `{}`, {}", spec.results[due.size()].where.statement, no.what));
  }
  std::map<std::string, std::vector<const SeenCell*>, std::less<>> cells;
  for (const SeenCell& cell : seen.cells) cells[cell.array].push_back(&cell);

  proof.rounds = false;
  Meanings meanings(forms);
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    proof.rounds = proof.rounds || is_float(arithmetic_type(spec, spec.results[k]));
    for (const char letter : array.name) {
      proof.due = prove::mixed(proof.due, static_cast<unsigned char>(letter));
    }
    for (const auto& [index, wanted] : due[k]) {
      proof.due = prove::mixed(prove::mixed(proof.due, index), meanings.of(wanted));
      if (trees) draw(seen, forms, wanted, *cells[array.name].at(index), proof);
    }
  }
  std::vector<TermForms::Root> roots;
  for (const SeenCell& cell : seen.cells) roots.push_back({cell.value.term, cell.type});
  TermForms made(terms, forms, arrays_);
  if (const auto problem = made.read(roots)) {
    return no_proof(proof, fmt::format("the result {}", problem->what), &terms, problem->term);
  }
  finite_ = finite_ || made.begins_finite();
  std::uint64_t tree = 0;
  if (!spec.result_none) proof.cells = 0;
  prove::Judge hashes(terms, case_);
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
        return no_proof(proof,
                        fmt::format("{} needs upper bits of a whole number that does not fit the "
                                    "type in which it is computed",
                                    cell.name),
                        &terms, cell.value.term);
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
        return no_proof(
            proof,
            fmt::format("{} is made by other operations than the cells before it", cell.name),
            &terms, cell.value.term);
      }
    }
  }
  for (const SeenCell& cell : seen.cells) {
    const Array* array = spec.array(cell.array);
    if (array == nullptr || !array->kept || cell.value.term == 0) continue;
    return no_proof(proof, fmt::format("{} is not left as it was found", cell.name), &terms,
                    cell.value.term);
  }
  // Other data and schedules are compared for one last block only. Without results every cell is to
  // be the same for all, with them what no data decide.
  std::vector<std::uint64_t> same;
  for (const SeenCell& cell : seen.cells) {
    const auto hash = hashes.hash(cell.value);
    same.push_back(spec.result_none || cell.value.term == 0 ? hash : 0);
    if (spec.result_none) tree = tree * 0x100'0000'01B3 ^ hash;
    if (same_.empty() || same_[same.size() - 1] == same.back()) continue;
    return no_proof(proof,
                    fmt::format("{} depends on which block takes the last ticket", cell.name),
                    &terms, cell.value.term);
  }
  same_ = std::move(same);
  if (!made.functions().empty() && tree_.value_or(tree) != tree) {
    return no_proof(proof, "its operations depend on which block takes the last ticket");
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
        return no_proof(proof,
                        fmt::format("in `{}`, a {} of whole numbers is computed in floats "
                                    "that cannot hold each of them",
                                    spec.results[role.result].where.statement, name(forms[id].op)));
      }
    }
    if (!known || height == 0) continue;
    auto& most = heights[role.reduction];
    most = std::max(most, height);
    proof.depth.most = std::max(proof.depth.most, height);
  }
  any_order_ = any_order_ || !any_order.empty();
  only_rounded_ = rounded && seen.shadow.ticket_blocks() <= 1;
  heights_ = std::move(heights);
  if (!rounded) return true;
  const Result& result = spec.results[rounded->result];
  return no_proof(
      proof,
      fmt::format("in `{}`, a value on the way to {} is rounded to {} bits, fewer than the {} of "
                  "the arithmetic",
                  result.where.statement, rounded->cell->name, rounded->bits,
                  format_of(arithmetic_type(spec, result)).precision()),
      &terms, rounded->cell->value.term);
}

void OfSpec::conclude(Proof& proof) {
  const std::string bound = bound_data(loaded_.program);
  if (proof.verdict == prove::Verdict::refuted && !bound.empty()) {
    // Some of all data, but perhaps none that the kernel is ever given.
    proof.miscount.reset();
    (void)no_proof(proof, fmt::format("{}, and what is tried has any data", bound));
    return;
  }
  if (!any_order_ && (proof.proved() || only_rounded_)) found_ = heights_;
  if (proof.proved()) compare(proof);
  if (proof.cause && !proof.cause->kernel.empty()) {
    proof.cause->kernel = specs_.kernel_name(proof.cause->kernel);
  }
}

/// Runs with other data: where one contradicts the formula, why is in `proof`.
void OfSpec::compare(Proof& proof) {
  const auto machine = specs_.machine();
  // Whole numbers hide what a function does to them; every other run has real ones, where the spec
  // allows that.
  std::vector<Data> words;
  const auto& allowed = loaded_.program.spec.data;
  const bool real = std::find(allowed.begin(), allowed.end(), Data::uniform) != allowed.end();
  for (const Data data : allowed) {
    if (real) words.push_back(Data::uniform);
    if (data != Data::uniform || !real) words.push_back(data);
  }
  if (real) std::rotate(words.begin(), words.end() - 1, words.end());
  std::uint64_t judged = 0;
  for (unsigned k = 0; k < runs_; ++k) {
    Case sample = case_;
    if (k != 0) {
      sample.data = words[k % words.size()];
      sample.seed = case_.seed + k;
    }
    const Plan plan = spec::plan(loaded_, sample);
    const Observation seen = machine->run(sample, plan);
    const Verdict verdict =
        spec::judge(loaded_, sample, plan, seen, [&] { return found_ ? &*found_ : nullptr; });
    proof.compared = k + 1;
    judged += verdict.cells_judged;
    const bool found = std::any_of(seen.findings.begin(), seen.findings.end(),
                                   [](const Finding& f) { return f.severity != Severity::note; });
    if (seen.completed && verdict.ok && !found) continue;
    proof.verdict = prove::Verdict::no_proof;
    proof.cause.emplace();
    const auto& findings = verdict.findings.empty() ? seen.findings : verdict.findings;
    proof.cause->what = fmt::format(
        "{}: {}{}{}", to_string(sample), findings.empty() ? "the run did not come to its end" : "",
        findings.empty() ? "" : name(findings.front().kind),
        findings.empty() || findings.front().detail.empty() ? "" : ": " + findings.front().detail);
    return;
  }
  if (judged != 0 || proof.cells == 0 || loaded_.program.spec.result_none) return;
  proof.verdict = prove::Verdict::no_proof;
  proof.cause.emplace();
  proof.cause->what = "no run had a value that the formula decides";
}

}  // namespace

std::shared_ptr<prove::Claim> Specs::claim(const Case& c, const Plan& plan) const {
  return std::make_shared<OfSpec>(*this, c, plan);
}

SpecProof prove(const Specs& specs, const Case& asked, unsigned runs) {
  const Case c = specs.completed(asked);
  const Plan plan = specs.plan(c);
  OfSpec claim(specs, c, plan, runs);
  Proof proof = prove::prove(c, plan, {.module = specs.modules()}, claim);
  return {std::move(proof), claim.found()};
}

}  // namespace gauntlet::spec
