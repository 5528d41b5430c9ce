// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/scalar.hpp"
#include "properties/language/by_program.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet::spec {
namespace {

const ObservedBuffer* observed(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.buffers, name, &ObservedBuffer::name);
  return found == observation.buffers.end() ? nullptr : &*found;
}

void judge_by_program(const Loaded& loaded, const Plan& plan, const Observation& observation,
                      Evaluator& evaluator, Verdict& verdict) {
  const Program& program = loaded.program;
  const auto contents = contents_by_program(program, evaluator, plan);
  long double within = 0;
  if (program.by_within.present()) {
    within = float_value(Type::f64, evaluator.bits(program.by_within, Type::f64));
  }
  std::size_t next = 0;
  for (const std::size_t k : judged_by_program(program.spec)) {
    const std::vector<std::byte>& content = contents[next++];
    const Array& array = program.spec.arrays[k];
    const ObservedBuffer* const buffer = observed(observation, array.name);
    if (buffer == nullptr) continue;
    Judged judged(*buffer, array.type);
    for (std::size_t i = 0; i < buffer->defined.size(); ++i) {
      Value expected =
          as_value(array.type, load_bits(array.type, content.data() + i * size_of(array.type)));
      expected.real.error = within;
      judged.judge(i, expected);
    }
    judged.tell(verdict, ", which the program wrote");
  }
}

/// An array that was to be left as it was found, bit for bit.
void judge_kept(const Array& array, const Buffer& before, const ObservedBuffer& after,
                Verdict& verdict) {
  Judged judged(after, array.type);
  for (std::size_t i = 0; i < after.defined.size(); ++i) {  // the content has as many
    const std::uint64_t was =
        load_bits(array.type, before.content.data() + i * size_of(array.type));
    const bool kept = after.defined[i] && judged.bits(i) == was;
    judged.judge(i, kept, true, [&] { return as_value(array.type, was); });
  }
  if (judged.wrong() == nullptr) return;
  judged.tell(verdict, " as before the launch: not left as it was found");
}

/// `bound`: which one it is, behind what is wrong.
Verdict judge_results(const Loaded& loaded, const Observation& observation, Evaluator& evaluator,
                      std::string_view bound) {
  Verdict verdict;
  const Spec& spec = loaded.program.spec;
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    const ObservedBuffer* buffer = observed(observation, array.name);
    if (buffer == nullptr) continue;
    Judged judged(*buffer, array.type);
    std::string reason;
    evaluator.for_each_cell(k, [&](std::uint64_t index, const Value& value, bool decided) {
      const Judged::Cell* const wrong = decided ? judged.judge(index, value) : nullptr;
      if (wrong != nullptr) reason = evaluator.reason(k, array.type, wrong->bits, value);
    });
    judged.tell(verdict, std::string(bound) + (reason.empty() ? "" : ": " + reason));
    if (k == 0) verdict.reference = evaluator.reference();
  }
  return verdict;
}

/// Whether a formula has such a part.
bool formulas_have(const Program& program, bool (*is)(const Bound&)) {
  return std::ranges::any_of(program.results, [&](const BoundResult& result) {
    return any_part(result.value, is) ||
           std::ranges::any_of(result.definitions,
                               [&](const BoundDefinition& d) { return any_part(d.value, is); });
  });
}

/// What the flattest tree allows, every tree does; else it has to be known.
Verdict judge_at_any_depth(const Loaded& loaded, const Observation& observation,
                           Evaluator& evaluator, const std::function<const Heights*()>& heights) {
  using Depth = Evaluator::Depth;
  const auto judged = [&](Depth depth, const Heights* known = nullptr) {
    evaluator.set_depth(depth, known);
    return judge_results(loaded, observation, evaluator,
                         known != nullptr ? ", by the kernel's own tree" : "");
  };
  Verdict verdict = judged(Depth::flattest);
  if (verdict.ok) return verdict;
  Depth depth = Depth::any_order;
  verdict = judged(depth);
  const auto is_mean = [](const Bound& b) {
    return b.kind == Bound::Kind::reduction && b.reduction == Reduction::mean;
  };
  if (!verdict.ok && formulas_have(loaded.program, is_mean) && judged(Depth::running).ok) {
    depth = Depth::running;
    verdict.ok = true;
  }
  const Heights* const known = verdict.ok && heights ? heights() : nullptr;
  return verdict.ok ? judged(depth, known) : verdict;
}

/// For results that are wrong: how the formula is to be written so that they are right, if that is
/// what the kernel computes.
std::string_view advice(const Loaded& loaded, const Observation& observation,
                        Evaluator& evaluator) {
  const auto right = [&] { return judge_results(loaded, observation, evaluator, "").ok; };
  if (loaded.calls_fast && !loaded.program.spec.fast_math()) {
    evaluator.set_fast(true);
    if (right()) {
      return "; right for fast functions: where the kernel calls them, write `fast` behind the "
             "formula";
    }
    evaluator.set_fast(false);
  }
  const auto is_division = [](const Bound& b) {
    return b.kind == Bound::Kind::operation && b.code == Bound::Code::divide && !b.integral;
  };
  if (!formulas_have(loaded.program, is_division)) return "";
  evaluator.set_reciprocals(true);
  if (!right()) return "";
  return "; right with `a * (1.0 / b)` in place of `a / b`: write that where the kernel multiplies "
         "by a reciprocal";
}

}  // namespace

std::vector<View> views_of(const Loaded& loaded, const Plan& plan, Evaluator& evaluator) {
  std::vector<View> views;
  const std::size_t arrays = std::min(loaded.program.spec.arrays.size(), plan.buffers.size());
  for (std::size_t k = 0; k < arrays; ++k) {
    views.push_back({plan.buffers[k].content, evaluator.elements(k),
                     evaluator.count(loaded.program.arrays[k].extents.back())});
    // What has no content cannot be referred to.
    if (plan.buffers[k].content.empty()) views.back().count = views.back().columns = 0;
  }
  return views;
}

Verdict judge(const Loaded& loaded, const Case& c, const Plan& plan, const Observation& observation,
              const std::function<const Heights*()>& heights) {
  if (!observation.completed) return {};
  const Spec& spec = loaded.program.spec;
  Evaluator evaluator(loaded.program, values(spec, c), c.offset);
  evaluator.set_interrupted(loaded.interrupted);
  evaluator.set_arrays(views_of(loaded, plan, evaluator));
  Verdict verdict = judge_at_any_depth(loaded, observation, evaluator, heights);
  if (!verdict.ok) verdict.findings.front().detail += advice(loaded, observation, evaluator);
  if (spec.by) judge_by_program(loaded, plan, observation, evaluator, verdict);
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Array& array = spec.arrays[k];
    const ObservedBuffer* buffer = array.kept ? observed(observation, array.name) : nullptr;
    if (buffer != nullptr) judge_kept(array, plan.buffers[k], *buffer, verdict);
  }
  // No value is judged: then that it ran to its end is all that can be right.
  if (spec.result_none) ++verdict.cells_judged;
  return verdict;
}

}  // namespace gauntlet::spec
