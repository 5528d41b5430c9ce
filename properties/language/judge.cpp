// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/scalar.hpp"
#include "properties/language/by_program.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

const ObservedBuffer* observed(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.buffers, name, &ObservedBuffer::name);
  return found == observation.buffers.end() ? nullptr : &*found;
}

/// The cells of one array, judged one after the other; the first wrong one is the finding.
class Cells {
 public:
  Cells(const Array& array, const ObservedBuffer& buffer, Verdict& verdict)
      : array_(array), buffer_(buffer), verdict_(verdict) {
    finding_.kind = FindingKind::wrong_result;
    finding_.count = 0;
    finding_.array = array.name;
    finding_.size = static_cast<std::uint32_t>(size_of(array.type));
  }
  ~Cells() {
    if (finding_.count == 0) return;
    verdict_.ok = false;
    verdict_.cells_wrong += finding_.count;
    verdict_.findings.push_back(std::move(finding_));
  }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  /// `more` is asked of the first wrong cell: what else is known of its bits.
  template <class More>
  void judge(std::uint64_t index, const Value& expected, bool decided, More&& more) {
    if (!decided) return;
    const bool defined = buffer_.defined[index];  // else the executor's finding
    const std::uint64_t bits =
        load_bits(array_.type, buffer_.bytes.data() + index * size_of(array_.type));
    std::string what = defined ? mismatch(array_.type, bits, expected) : std::string{};
    if (shows(defined, !what.empty())) {
      verdict_.got = fmt::format("{}[{}] = {}", array_.name, index,
                                 format_cell(array_.type, buffer_.bytes.data(), index, defined));
      verdict_.expected = expected_text(array_.type, expected);
    }
    verdict_.cells_judged += defined;
    if (!what.empty() && finding_.count++ == 0) {
      finding_.index = static_cast<std::int64_t>(index);
      finding_.detail = std::move(what) + more(bits);
    }
  }

 private:
  /// Whether the verdict's value becomes this cell's: it is that of the first wrong one, else of
  /// the first undefined one, else of the first.
  [[nodiscard]] bool shows(bool defined, bool wrong) const {
    if (!verdict_.ok || finding_.count != 0) return false;
    if (wrong || verdict_.got.empty()) return true;
    return !defined && !verdict_.got.ends_with(undefined_value);
  }

  const Array& array_;
  const ObservedBuffer& buffer_;
  Verdict& verdict_;
  Finding finding_;
};

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
    Cells cells(array, *buffer, verdict);
    for (std::size_t i = 0; i < buffer->defined.size(); ++i) {
      Value expected = element(array.type, content.data() + i * size_of(array.type));
      expected.real.error = within;
      cells.judge(i, expected, true, [](std::uint64_t) { return ", which the program wrote"; });
    }
  }
}

/// The finding of an array that was to be left as it was found; nothing where it was.
void judge_kept(const Array& array, const Buffer& before, const ObservedBuffer& after,
                Verdict& verdict) {
  const std::size_t size = size_of(array.type);
  const auto differs = std::ranges::mismatch(after.bytes, before.content);
  const std::size_t cell = std::min<std::size_t>(
      static_cast<std::size_t>(differs.in1 - after.bytes.begin()) / size,
      static_cast<std::size_t>(std::ranges::find(after.defined, false) - after.defined.begin()));
  if (cell == after.defined.size()) return;
  const std::string was = format_value(array.type, before.content.data() + cell * size);
  const std::string is = format_cell(array.type, after.bytes.data(), cell, after.defined[cell]);
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = array.name;
  finding.index = static_cast<std::int64_t>(cell);
  finding.size = static_cast<std::uint32_t>(size);
  finding.detail =
      fmt::format("was {} before the launch, is {}: not left as it was found", was, is);
  if (verdict.ok) {
    verdict.got = fmt::format("{}[{}] = {}", array.name, cell, is);
    verdict.expected = was;
  }
  verdict.ok = false;
  ++verdict.cells_wrong;
  verdict.findings.push_back(std::move(finding));
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
    Cells cells(array, *buffer, verdict);
    evaluator.for_each_cell(k, [&](std::uint64_t index, const Value& value, bool decided) {
      cells.judge(index, value, decided, [&](std::uint64_t bits) {
        return std::string(bound) + evaluator.lost_term(k, array.type, bits, value);
      });
    });
  }
  return verdict;
}

template <class Is>
bool has(const Bound& b, Is&& is) {
  return is(b) || std::ranges::any_of(b.children, [&](const Bound& part) { return has(part, is); });
}

/// Whether a formula has such a part.
template <class Is>
bool formulas_have(const Program& program, Is&& is) {
  return std::ranges::any_of(program.results, [&](const BoundResult& result) {
    return has(result.value, is) ||
           std::ranges::any_of(result.definitions,
                               [&](const BoundDefinition& d) { return has(d.value, is); });
  });
}

bool is_mean(const Bound& b) {
  return b.kind == Bound::Kind::reduction && b.reduction == Reduction::mean;
}

bool is_division(const Bound& b) {
  return b.kind == Bound::Kind::operation && b.code == Bound::Code::divide && !b.integral;
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
  Evaluator evaluator(loaded.program, values(c), c.offset);
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
