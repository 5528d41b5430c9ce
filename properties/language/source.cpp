// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/os/file.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/proof.hpp"
#include "properties/launch/simt_executor.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::spec {

Specs::Specs(const std::vector<std::string>& paths, const std::atomic<bool>& interrupted,
             std::vector<Unusable>* unusable)
    : Specs(
          [&] {
            std::vector<Given> given;
            for (const std::string& path : paths) given.push_back({.path = path});
            return given;
          }(),
          interrupted, unusable) {}

Specs::Specs(const std::vector<Given>& all, const std::atomic<bool>& interrupted,
             std::vector<Unusable>* unusable) {
  std::vector<Unusable> wrong;
  for (const Given& given : all) {
    if (find(given.path) != nullptr) continue;
    try {
      load(given, interrupted);
    } catch (const UsageError& error) {
      wrong.push_back({given.path, error.what()});
    }
  }
  if (wrong.empty()) return;
  if (unusable != nullptr && !variants_.empty()) {
    *unusable = std::move(wrong);
    return;
  }
  if (wrong.size() == 1) throw UsageError(wrong.front().why);
  std::string lines = fmt::format("{} of {} specs cannot be used", wrong.size(), all.size());
  for (const Unusable& one : wrong) lines += "\n" + one.why;
  throw UsageError(lines);
}

void Specs::load(const Given& given, const std::atomic<bool>& interrupted) {
  if (std::ranges::any_of(given.path, [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    throw UsageError(fmt::format(
        "{}: a case line cannot name a path with control characters; rename it", given.path));
  }
  const auto ptx = folder_.path() / fmt::format("{}.ptx", variants_.size());
  auto loaded = load_all(given, ptx.string(), interrupted);
  variants_.push_back(variant_of(loaded.front()->program.spec));
  if (!given.kernels_for.empty()) variants_.back().host.clear();  // they are as any others
  std::ranges::move(loaded, std::back_inserter(specs_));
}

std::vector<Instance> Specs::instances(std::string_view variant, std::string_view form) const {
  return instances_of(loaded(variant, form).program.spec, form);
}

std::string Specs::kernel_name(const std::string& entry) const { return kernel_called(entry); }

std::string kernel_called(const std::string& entry) {
  sanitize::KernelEntry named;
  named.symbol = entry;
  sanitize::demangle(named);
  return without_spaces(std::move(named.name));
}

std::vector<std::string> Specs::texts() const {
  std::vector<std::string> texts;
  for (const Variant& variant : variants_) {
    const Loaded& loaded = this->loaded(variant.id);
    const Spec& spec = loaded.program.spec;
    texts.push_back(os::read_file(spec.path).value_or(""));
    // One file has the kernels of all forms and types.
    texts.push_back(spec.host ? os::read_file(spec.beside(spec.kernel)).value_or("")
                              : properties::code_of(os::read_file(loaded.ptx_file).value_or("")));
  }
  return texts;
}

Plan Specs::plan(const Case& c) const { return spec::plan(loaded(c), fitted(c)); }

Verdict Specs::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  if (tiled(c.variant)) return gauntlet::judge(c, plan, seen);
  return spec::judge(loaded(c), c, plan, seen, [&] { return heights(c); });
}

bool Specs::asks(const Case& c, std::string_view property) const {
  if (tiled(c.variant)) return Subject::asks(c, property);
  const properties::Property* known = properties::find_property(property);
  if (property == "schedule_independent") return loaded(c).program.spec.result_none;
  return known != nullptr && !known->relation;
}

bool Specs::inexact(const Case& c, const Plan& plan) const {
  return tiled(c.variant) ? Subject::inexact(c, plan) : loaded(c).inexact;
}

std::vector<std::uint32_t> Specs::blocks(const Case& c) const { return blocks_of(loaded(c)); }

Case Specs::draw(const properties::Population& of, std::uint64_t seed, int size) const {
  if (tiled(of.variant)) return Subject::draw(of, seed, size);
  Case c = case_for(of.variant, of.form, of.instance);
  return spec::draw(loaded(c), seed, size, of.schedules);
}

std::vector<Case> Specs::few_threads(const Variant& variant, const gauntlet::Form& form,
                                     const std::vector<Case>& failing) const {
  if (!variant.host.empty()) return {};
  if (tiled(variant.id)) return Subject::few_threads(variant, form, failing);
  constexpr std::uint64_t draws = 200, most_threads = 1024;
  constexpr std::size_t most_cases = 24;
  constexpr int small = 20;  // of 100
  std::vector<Case> first, drawn;
  const auto add = [&](Case c, std::vector<Case>& to) {
    c.schedule = "lockstep";
    c.offset = 0;
    const Plan plan = this->plan(c);
    std::uint64_t threads = 0;
    for (const Launch& launch : plan.launches) {
      threads = std::max(threads, launch.grid.count() * launch.block.count());
    }
    if (!plan.refusal.empty() || threads > most_threads) return;
    if (std::find(to.begin(), to.end(), c) == to.end()) to.push_back(std::move(c));
  };
  for (const Case& c : failing) add(c, first);
  for (const auto& regression : known(variant.id, form.name, {}).cases) add(regression.c, first);
  for (std::uint64_t k = 0; k < draws && drawn.size() < 4 * most_cases; ++k) {
    const auto seed =
        properties::derive_seed(k, fmt::format("witness {}", properties::seed_name(variant.id)));
    add(spec::draw(loaded(variant.id, form.name), seed, small, form.expect_schedules), drawn);
  }
  // Small ones first, but not the smallest alone: a race between blocks takes two of them.
  std::stable_sort(drawn.begin(), drawn.end(), properties::simpler);
  const std::size_t step = drawn.size() / most_cases + 1;
  for (std::size_t k = step / 2; k < drawn.size(); k += step) first.push_back(drawn[k]);
  return first;
}

std::vector<Case> Specs::typical(const Variant& variant, const gauntlet::Form& form) const {
  if (tiled(variant.id)) return Subject::typical(variant, form);
  constexpr std::uint64_t drawn = 8;
  std::vector<Case> cases;
  for (std::uint64_t k = 0; k < drawn; ++k) {
    const auto seed =
        properties::derive_seed(k, fmt::format("tools {}", properties::seed_name(variant.id)));
    Case c =
        spec::draw(loaded(variant.id, form.name), seed, static_cast<int>(100 * (k + 1) / drawn));
    c.schedule = "lockstep";
    if (plan(c).refusal.empty()) cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<std::string> Specs::unjudged(std::string_view variant) const {
  const Loaded& of = loaded(variant);
  const Spec& spec = of.program.spec;
  std::vector<std::string> lines;
  if (spec.result_none || spec.by || tiled(variant)) return lines;
  for (const std::size_t k : judged_by_program(spec)) {
    lines.push_back(
        fmt::format("no `result` says what {} holds, so none of its values was judged; "
                    "write one, or declare it as scratch",
                    spec.arrays[k].name));
  }
  const bool allowed = std::ranges::any_of(spec.results, [](const Result& r) { return r.fast; });
  if (of.calls_fast && !allowed && !spec.fast_math()) {
    lines.emplace_back(
        "the kernel calls fast functions (as __expf, __fdividef), which round correctly here and "
        "not on a GPU; write `fast` behind the formula, or call the precise ones");
  }
  return lines;
}

properties::Known Specs::known(std::string_view variant, std::string_view form,
                               const std::string&) const {
  properties::Known known = read_cases(variant, [this](const Case& c) { return completed(c); });
  std::erase_if(known.cases, [&](const properties::Regression& r) { return r.c.form != form; });
  // One file has the cases of all forms: what is stale is told with the first.
  if (form != find(variant)->forms.front().name) known.stale.clear();
  return known;
}

properties::Kept Specs::keep(const properties::CheckReport& report) const {
  return keep_cases(report);
}

std::vector<Case> Specs::sizes_to_prove(const properties::Population& of, std::uint64_t count,
                                        const std::function<bool()>& going_on) const {
  std::vector<Case> all;
  if (tiled(of.variant)) return all;
  std::set<std::vector<NamedSize>> seen;
  constexpr int largest = 100;
  constexpr std::uint64_t first_seed = 1'000'003;
  for (std::uint64_t k = 0; k < count && going_on(); ++k) {
    const auto size = static_cast<int>(k * largest / count);
    Case c = draw(of, first_seed + k, size);
    c.schedule = "lockstep";
    if (seen.insert(c.sizes).second) all.push_back(std::move(c));
  }
  return all;
}

unsigned Specs::default_cases() const {
  constexpr unsigned cases = 200;
  const bool all = std::ranges::all_of(variants_, [&](const Variant& v) { return tiled(v.id); });
  return all ? Subject::default_cases() : cases;
}

std::vector<Given> Specs::given() const {
  std::vector<Given> given;
  for (const Variant& variant : variants_) {
    given.push_back({variant.id, loaded(variant.id).ptx_file});
  }
  return given;
}

const Loaded& Specs::loaded(const Case& c) const {
  const Loaded& first = loaded(c.variant, c.form);
  const Instance wanted{c.in, c.acc, c.op};
  const Instance unsaid{Type::f32, Type::f32, Op::sum};
  std::vector<Instance> known;
  for (const auto& loaded : specs_) {
    if (loaded->program.spec.path != c.variant || loaded->form != first.form) continue;
    if (loaded->instance == wanted) return *loaded;
    known.push_back(loaded->instance);
  }
  if (wanted == unsaid) return first;
  Case of = c;
  of.form = first.form;
  properties::fail_types(of, known);
}

const Loaded& Specs::loaded(std::string_view path, std::string_view form) const {
  const Variant* const variant = find(path);
  if (variant == nullptr) {
    throw CaseError(fmt::format("{}: not one of the specs that were read", path));
  }
  const bool forms = variant->form(only_form) == nullptr;
  if (form.empty() || form == only_form) form = forms ? "fixed" : only_form;
  for (const auto& loaded : specs_) {
    if (loaded->program.spec.path == path && loaded->form == form) return *loaded;
  }
  if (forms) properties::fail_form(*variant, form);
  throw CaseError(
      fmt::format("{}: the spec has no forms; leave out @{}, or write fix NAME: WHY", path, form));
}

bool Specs::tiled(std::string_view path) const { return loaded(path).program.spec.tiled; }

Case Specs::completed(Case c) const {
  c = fitted(std::move(c));
  return tiled(c.variant) ? Subject::completed(std::move(c)) : c;
}

Case Specs::fitted(Case c) const {
  const Loaded& loaded = this->loaded(c);
  const Spec& spec = loaded.program.spec;
  c.form = loaded.form;
  c.in = loaded.instance.in;
  c.acc = loaded.instance.acc;
  c.op = loaded.instance.op;
  if (spec.tiled) c = with_own_sizes(std::move(c));
  if (!spec.tiled && (c.tail != Tail::poison || c.block_count != 0 || c.map != Map::none)) {
    throw CaseError(
        fmt::format("{}: tail=, blocks=FIRST+COUNT and map= are of specs with `tile`", spec.path));
  }
  std::vector<std::string_view> names;
  for (const Size& size : spec.sizes) names.push_back(size.name);
  for (const NamedSize& given : c.sizes) {
    if (std::find(names.begin(), names.end(), given.name) == names.end()) {
      throw CaseError(fmt::format("{}: {}", spec.path, unknown_word("size", given.name, names)));
    }
  }
  if (spec.tiled) {
    if (c.sizes.empty()) return c;
    throw CaseError(
        fmt::format("{}: {}= follows from block; leave it out", spec.path, c.sizes.front().name));
  }
  std::vector<NamedSize> sizes;
  for (const Size& size : spec.sizes) {
    const auto given = std::find_if(c.sizes.begin(), c.sizes.end(),
                                    [&](const NamedSize& s) { return s.name == size.name; });
    if (given == c.sizes.end()) {
      throw CaseError(fmt::format("{}: {}= is missing; write {}={}", spec.path, size.name,
                                  size.name, size.least));
    }
    sizes.push_back(*given);
  }
  c.sizes = std::move(sizes);
  return c;
}

const Heights* Specs::heights(const Case& c) const {
  const Loaded& loaded = this->loaded(c);
  if (!find(c.variant)->host.empty()) return nullptr;
  const auto key = std::pair(&loaded, values(loaded.program.spec, completed(c)));
  {
    const std::lock_guard lock(heights_mutex_);
    const auto known = heights_.find(key);
    if (known != heights_.end()) return known->second ? &*known->second : nullptr;
  }
  // Without runs to compare and real numbers: the tree is asked for, not what it computes.
  auto found = prove(*this, c, 0, false).heights;
  const std::lock_guard lock(heights_mutex_);
  const auto& kept = heights_.try_emplace(key, std::move(found)).first->second;
  return kept ? &*kept : nullptr;
}

}  // namespace gauntlet::spec
