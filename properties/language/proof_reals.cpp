// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/float_format.hpp"
#include "base/usage_error.hpp"
#include "properties/language/formula_reals.hpp"
#include "properties/language/proof_ways.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::spec {

using prove::SeenCell;

namespace {

/// What a result's cells are in the run; false ends the comparison.
using Look = std::function<bool(const Result&, const prove::NormalForms::Forms&,
                                const std::vector<SeenCell>&)>;

/// Whether the results' cells have the normal forms of their formulas.
bool same_as_formulas(const SpecCase& asked, const prove::Seen& seen, const Look& look,
                      prove::NormalForms& forms) {
  const Spec& spec = asked.loaded.program.spec;
  const auto& terms = seen.shadow.terms;
  Evaluator evaluator = evaluator_of(asked);
  std::map<std::string, std::vector<const SeenCell*>, std::less<>> cells;
  for (const SeenCell& cell : seen.cells) cells[cell.array].push_back(&cell);
  try {
    FormulaReals formula(asked.loaded.program, evaluator, forms, asked.first);
    for (std::size_t k = 0; k < spec.results.size(); ++k) {
      const Array& array = spec.arrays[spec.results[k].array];
      std::vector<SeenCell> has, before;
      std::vector<prove::NormalId> due;
      for (const auto& [index, wanted] : formula.cells(k)) {
        has.push_back(*cells[array.name].at(index));
        due.push_back(wanted);
      }
      before = has;
      for (SeenCell& cell : before) {
        // The rounding to what the cell is stored in is not counted.
        const auto& last = terms[cell.value.term];
        if (last.kind != simt::symbolic::Term::Kind::convert || last.type != array.type ||
            size_of(last.type) > size_of(last.from)) {
          continue;
        }
        cell.value.term = last.a;
        cell.type = last.from;
      }
      const auto made = forms.of(terms, before, false);
      if (!made.problem.empty() || made.reals != due) return false;
      if (!look(spec.results[k], made, has)) return false;
    }
  } catch (const UsageError&) {
    return false;  // a side of a choice by data that the formula's values do not take
  } catch (const NoForm&) {
    return false;
  } catch (const prove::TooLarge&) {
    return false;
  } catch (const prove::TooManyChoices&) {
    return false;
  }
  return true;
}

}  // namespace

Evaluator evaluator_of(const SpecCase& asked) {
  Evaluator evaluator(asked.loaded.program, values(asked.c), asked.c.offset);
  evaluator.set_interrupted(asked.loaded.interrupted);
  evaluator.set_arrays(views_of(asked.loaded, asked.plan, evaluator));
  return evaluator;
}

bool by_reals(const SpecCase& asked, const prove::Seen& seen, prove::Proof& proof) {
  const Spec& spec = asked.loaded.program.spec;
  for (const SeenCell& cell : seen.cells) {
    const Array* array = spec.array(cell.array);
    if (array != nullptr && array->kept && cell.value.term != 0) return false;
  }
  prove::Judge hashes(seen.shadow.terms, asked.c);
  std::uint64_t tree = 0, count = 0;
  bool real = false;
  std::set<std::string> functions;
  prove::NormalForms forms;
  const bool same = same_as_formulas(
      asked, seen,
      [&](const Result& result, const prove::NormalForms::Forms& made,
          const std::vector<SeenCell>& cells) {
        const int precision = format_of(arithmetic_type(spec, result)).precision();
        const bool fewer = made.floats && format_of(made.narrowest).precision() < precision;
        if (made.narrows || fewer) return false;
        for (const SeenCell& cell : cells) {
          tree = tree * 0x100'0000'01B3 ^ hashes.hash(cell.value);
        }
        functions.insert(made.operations.begin(), made.operations.end());
        real = real || made.floats;
        count += cells.size();
        return true;
      },
      forms);
  if (!same) return false;
  proof.functions.assign(functions.begin(), functions.end());
  proof.cells = proof.elements = count;
  proof.depth = {};
  proof.rounds = real;
  proof.as = "reals";
  proof.tree_hash = fmt::format("{:016x}", tree);
  return true;
}

bool same_functions(const SpecCase& asked, const prove::Seen& seen) {
  const auto all = [](const auto&...) { return true; };
  prove::NormalForms as_they_are(1), expanded;
  return same_as_formulas(asked, seen, all, as_they_are) ||
         same_as_formulas(asked, seen, all, expanded);
}

}  // namespace gauntlet::spec
