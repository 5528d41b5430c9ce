// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/float_format.hpp"
#include "base/usage_error.hpp"
#include "properties/language/formula_reals.hpp"
#include "properties/language/proof_ways.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::spec {

using prove::SeenCell;

bool by_reals(const SpecCase& asked, const prove::Seen& seen, prove::Proof& proof) {
  const Spec& spec = asked.loaded.program.spec;
  const auto& terms = seen.shadow.terms;
  Evaluator evaluator(asked.loaded.program, values(asked.c), asked.c.offset);
  evaluator.set_interrupted(asked.loaded.interrupted);
  evaluator.set_arrays(views_of(asked.loaded, asked.plan, evaluator));
  prove::NormalForms forms;
  std::map<std::string, std::vector<const SeenCell*>, std::less<>> cells;
  for (const SeenCell& cell : seen.cells) {
    cells[cell.array].push_back(&cell);
    const Array* array = spec.array(cell.array);
    if (array != nullptr && array->kept && cell.value.term != 0) return false;
  }
  try {
    FormulaReals formula(asked.loaded.program, evaluator, forms, asked.first);
    prove::Judge hashes(terms, asked.c);
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
      const auto made = forms.of(terms, has, false);
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
  } catch (const prove::TooManyChoices&) {
    return false;
  }
  return true;
}

}  // namespace gauntlet::spec
