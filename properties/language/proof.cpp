// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "properties/language/formula.hpp"
#include "properties/prove/claim.hpp"

namespace gauntlet::spec {
namespace {

using prove::Proof;

/// Of all arrays together: each element is a term.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;

/// The formulas of a spec, at the sizes of a case.
class OfSpec final : public prove::Claim {
 public:
  /// `runs`: so many are compared with the formula.
  OfSpec(const Specs& specs, const Case& c, const Plan& plan, unsigned runs = 8, bool reals = true)
      : specs_(specs), case_{specs.loaded(c), c, plan}, runs_(runs), by_forms_(case_, reals) {}

  [[nodiscard]] std::string hindrance() const override {
    if (case_.plan.host) return "a function of the host makes its own launches";
    if (case_.plan.launches.empty()) return "no kernel is launched";
    if (case_.loaded.program.spec.by) {
      return "a result by a program is known for the data of a run only";
    }
    std::uint64_t bytes = 0;
    for (const Buffer& buffer : case_.plan.buffers) bytes += buffer.bytes;
    if (bytes <= most_bytes) return {};
    return fmt::format("arrays of more than {} MiB are not tried", most_bytes >> 20);
  }

  std::string begin(simt::GlobalMemory& memory, simt::symbolic::Shadow& shadow) override {
    const Spec& spec = case_.loaded.program.spec;
    const auto data = data_arrays(case_.loaded.program);
    const auto given = given_arrays(case_.loaded.program);
    given_.clear();
    case_.arrays.clear();
    case_.first.assign(spec.arrays.size(), -1);
    for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
      if (!data[k]) continue;
      if (given[k]) {
        given_.push_back(spec.arrays[k].name);
        continue;
      }
      const auto* array = memory.named(spec.arrays[k].name);
      if (array == nullptr || array->make_page) {
        return fmt::format("no array {} to be taken for data", spec.arrays[k].name);
      }
      const auto count = case_.plan.buffers[k].bytes / size_of(spec.arrays[k].type);
      const auto first =
          shadow.add_input(spec.arrays[k].name, array->data, count, spec.arrays[k].type);
      case_.first[k] = static_cast<std::int64_t>(first);
      case_.arrays.push_back({spec.arrays[k].name, spec.arrays[k].type, first, count});
    }
    return {};
  }

  bool judge(const prove::Seen& seen, bool trees, Proof& proof) override;

  void assume(Proof& proof) const override {
    const Spec& spec = case_.loaded.program.spec;
    const bool real_result =
        std::any_of(spec.results.begin(), spec.results.end(),
                    [&](const Result& r) { return is_float(spec.arrays[r.array].type); });
    const bool real = std::any_of(spec.arrays.begin(), spec.arrays.end(),
                                  [](const Array& a) { return is_float(a.type); });
    if (real_result) proof.assumed.emplace_back("no_overflow");
    if (real_result || (spec.result_none && tickets_ && real)) {
      proof.assumed.insert(proof.assumed.end(), {"signed_zero", "nan_payloads"});
    }
    if (by_forms_.finite()) proof.assumed.emplace_back("finite");
    if (assumes_finite_data(proof)) proof.assumed.emplace_back("finite_data");
    if (by_forms_.as_reals() && real_result) proof.assumed.emplace_back("no_underflow");
    if (flushes_) proof.assumed.emplace_back("no_subnormals");
    if (matrices_) proof.assumed.emplace_back("tensor_cores");
    if (!proof.functions.empty()) proof.assumed.emplace_back("functions");
    proof.given = given_;
    for (const Result& r : spec.results) proof.formulas.push_back(r.where.statement);
    if (spec.result_none) proof.formulas.emplace_back("result none");
  }

  void conclude(Proof& proof) override;

  /// How the kernel adds; null where it is not known, or in no single way.
  [[nodiscard]] const std::optional<Heights>& found() const { return found_; }

 private:
  void compare(Proof& proof);
  /// Normal forms say nothing of infinities and NaNs, but of plain reductions.
  [[nodiscard]] bool assumes_finite_data(const Proof& proof) const {
    const auto& arrays = case_.loaded.program.spec.arrays;
    const bool real = std::ranges::any_of(arrays, [](const Array& a) { return is_float(a.type); });
    return by_forms_.as_reals() || (real && !proof.functions.empty());
  }

  const Specs& specs_;
  SpecCase case_;
  const unsigned runs_;
  ByForms by_forms_;
  std::optional<Heights> found_;
  std::vector<std::string> given_;  ///< arrays whose content is the case's own
  bool tickets_ = false;            ///< runs with other last blocks had the same trees
  bool flushes_ = false, matrices_ = false, any_order_ = false;
};

bool OfSpec::judge(const prove::Seen& seen, bool trees, Proof& proof) {
  flushes_ = flushes_ || seen.shadow.flushes();
  matrices_ = matrices_ || seen.shadow.matrices();
  tickets_ = tickets_ || seen.shadow.ticket_blocks() > 1;
  any_order_ = any_order_ || !seen.shadow.any_order().empty();
  return by_forms_.judge(seen, trees, proof);
}

void OfSpec::conclude(Proof& proof) {
  const std::string bound = bound_data(case_.loaded.program);
  if (proof.verdict == prove::Verdict::refuted && !bound.empty()) {
    // Some of all data, but perhaps none that the kernel is ever given.
    proof.miscount.reset();
    (void)proof.no_proof(fmt::format("{}, and what is tried has any data", bound));
    return;
  }
  const auto& words = case_.loaded.program.spec.data;
  const bool infinite = std::find(words.begin(), words.end(), Data::with_infinity) != words.end();
  if (proof.proved() && infinite && (by_forms_.finite() || assumes_finite_data(proof))) {
    (void)proof.no_proof("it holds for finite data, and the spec's data are infinite, too");
  }
  const bool adds_as_found = proof.proved() || by_forms_.only_rounded();
  if (!any_order_ && !by_forms_.as_reals() && adds_as_found && given_.empty())
    found_ = by_forms_.heights();
  if (proof.proved()) compare(proof);
  if (proof.cause && !proof.cause->kernel.empty()) {
    proof.cause->kernel = specs_.kernel_name(proof.cause->kernel);
  }
}

/// Runs with other data: where one contradicts the formula, why is in `proof`.
void OfSpec::compare(Proof& proof) {
  const auto machine = simt::make_executor();
  // Whole numbers hide what a function does to them; every other run has real ones, where the spec
  // allows that.
  std::vector<Data> words;
  const auto& allowed = case_.loaded.program.spec.data;
  const bool real = std::find(allowed.begin(), allowed.end(), Data::uniform) != allowed.end();
  for (const Data data : allowed) {
    if (real) words.push_back(Data::uniform);
    if (data != Data::uniform || !real) words.push_back(data);
  }
  if (real) std::rotate(words.begin(), words.end() - 1, words.end());
  std::uint64_t judged = 0;
  for (unsigned k = 0; k < runs_; ++k) {
    Case sample = case_.c;
    if (k != 0) {
      sample.data = words[k % words.size()];
      sample.seed = case_.c.seed + k;
    }
    const Plan plan = spec::plan(case_.loaded, sample);
    const Observation seen = machine->run(sample, plan);
    const Verdict verdict =
        spec::judge(case_.loaded, sample, plan, seen, [&] { return found_ ? &*found_ : nullptr; });
    proof.compared = k + 1;
    judged += verdict.cells_judged;
    if (seen.completed && verdict.ok && seen.first_error() == nullptr) continue;
    const auto& findings = verdict.findings.empty() ? seen.findings : verdict.findings;
    (void)proof.no_proof(fmt::format(
        "{}: {}{}{}", to_string(sample), findings.empty() ? "the run did not come to its end" : "",
        findings.empty() ? "" : name(findings.front().kind),
        findings.empty() || findings.front().detail.empty() ? "" : ": " + findings.front().detail));
    return;
  }
  if (judged != 0 || proof.cells == 0 || case_.loaded.program.spec.result_none) return;
  (void)proof.no_proof("no run had a value that the formula decides");
}

}  // namespace

std::shared_ptr<prove::Claim> Specs::claim(const Case& c, const Plan& plan) const {
  if (tiled(c.variant)) return Subject::claim(c, plan);
  return std::make_shared<OfSpec>(*this, c, plan);
}

SpecProof prove(const Specs& specs, const Case& asked, unsigned runs, bool reals) {
  const Case c = specs.completed(asked);
  const Plan plan = specs.plan(c);
  OfSpec claim(specs, c, plan, runs, reals);
  Proof proof = prove::prove(c, plan, {.module = plan.module}, claim);
  return {std::move(proof), claim.found()};
}

namespace {

/// How the results use each array.
struct Uses {
  std::vector<bool> steers, counts;

  void note(int array, bool as_steering) {
    const auto k = static_cast<std::size_t>(array);
    (as_steering ? steers : counts)[k] = true;
  }

  /// `steering`: the expression says which elements there are, or where.
  void look(const Expression& b, bool steering) {
    using Kind = Expression::Kind;
    if (b.kind == Kind::element || b.kind == Kind::cursor) note(b.slot, steering);
    for (const Expression::Slice& slice : b.slices) {
      note(slice.array, steering);
      for (const Expression& bound : slice.bounds) look(bound, true);
    }
    for (std::size_t k = 0; k < b.children.size(); ++k) {
      const bool bounds = b.kind == Kind::reduction && k >= 1 && k <= 4;
      look(b.children[k], steering || bounds || b.kind == Kind::element);
    }
  }
};

}  // namespace

bool is_drawn(const Expression& b, const std::vector<bool>& data) {
  const auto is_data = [&](int array) {
    const auto k = static_cast<std::size_t>(array);
    return k < data.size() && data[k];
  };
  return any_part(b, [&](const Expression& part) {
    return (part.kind == Expression::Kind::function && part.code == Expression::Code::random) ||
           ((part.kind == Expression::Kind::element || part.kind == Expression::Kind::cursor) &&
            is_data(part.slot)) ||
           std::ranges::any_of(part.slices, is_data, &Expression::Slice::array);
  });
}

std::vector<bool> data_arrays(const Program& program) {
  std::vector<bool> data;
  for (std::size_t k = 0; k < program.spec.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    const bool made = array.content.present() || array.identity;
    data.push_back(made ? is_drawn(program.spec.arrays[k].content, data) : array.filled());
  }
  return data;
}

std::string bound_data(const Program& program) {
  const std::vector<bool> data = data_arrays(program);
  for (std::size_t k = 0; k < program.spec.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    if (array.permutation) return array.name + " is a permutation";
    if (array.sorted && data[k]) return array.name + " is sorted";
    const bool of_data = any_part(array.content, [&](const Expression& part) {
      const bool element = part.kind == Expression::Kind::element;
      return (element || part.kind == Expression::Kind::cursor) &&
             data[static_cast<std::size_t>(part.slot)];
    });
    if (of_data) return array.name + " is made of other arrays";
  }
  return {};
}

std::vector<bool> given_arrays(const Program& program) {
  const auto count = program.spec.arrays.size();
  const auto data = data_arrays(program);
  Uses uses{std::vector<bool>(count), std::vector<bool>(count)};
  for (const Result& result : program.spec.results) {
    for (const Expression& index : result.cell) uses.look(index, true);
    uses.look(result.only, true);
    uses.look(result.value, false);
    for (const Definition& d : result.definitions) uses.look(d.value, false);
  }
  std::vector<bool> given(count);
  bool others = false;
  for (std::size_t k = 0; k < count; ++k) {
    const Array& array = program.spec.arrays[k];
    const bool made = array.content.present() || array.permutation;
    others = others || (data[k] && uses.counts[k]);
    given[k] = made && data[k] && uses.steers[k] && !uses.counts[k] && !is_float(array.type);
  }
  if (!others) given.assign(count, false);
  return given;
}

}  // namespace gauntlet::spec
