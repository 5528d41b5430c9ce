// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/language/cases.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/host.hpp"
#include "properties/language/kernel.hpp"
#include "properties/launch/simt_executor.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::spec {
namespace {

/// Of `.target sm_90a`: 90.
std::uint32_t capability_of(std::string_view ptx) {
  const std::string_view word = ".target sm_";
  const auto at = ptx.find(word);
  if (at == ptx.npos) return 0;
  ptx.remove_prefix(at + word.size());
  return take_number<std::uint32_t>(ptx).value_or(0);
}

/// An atomic that adds floats, which come in any order, or an approximate instruction, of which
/// each GPU has its own.
bool is_inexact_line(std::string_view line) {
  if (line.find(".approx.") != line.npos) return true;
  if (line.find("atom.") == line.npos && line.find("red.") == line.npos) return false;
  const std::string_view parts[] = {".add.f16", ".add.noftz.", ".add.f32", ".add.f64"};
  return std::ranges::any_of(parts, [&](auto part) { return line.find(part) != line.npos; });
}

/// An approximate instruction, but neither rsqrt, which has no precise form, nor those within
/// precise functions: they alone flush subnormals where the arithmetic around them does not.
bool is_fast_line(std::string_view line) {
  const auto has = [&](std::string_view word) { return line.find(word) != line.npos; };
  if (has(".approx.")) return has(".approx.f32") && !has("rsqrt");
  return has("div.full.f32") || has(".ftz.f32");
}

/// A line in one of these entries, or in a function that they may call.
template <class Is>
bool has_line(std::string_view ptx, const std::vector<std::string>& entries, Is&& is) {
  bool counts = false;
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
    if (const auto at = line.find(".entry "); at != line.npos) {
      const std::string_view name = line.substr(at + 7, line.find('(') - at - 7);
      counts = std::ranges::count(entries, name) != 0;
    } else if (line.find(".func ") != line.npos) {
      counts = true;
    } else if (counts && is(line)) {
      return true;
    }
  }
  return false;
}

/// The kernels of a file, before a form or types are asked for.
struct File {
  const Given& given;
  std::string text;
  std::string ptx_file;
  Kernels kernels;
  std::shared_ptr<const simt::Module> module;  ///< null: each spec has its own
};

Spec read(const Given& given, const std::string& text, const Reading& reading) {
  Spec spec = parse_spec(text, given.path, reading);
  spec.flags.insert(spec.flags.end(), given.flags.begin(), given.flags.end());
  return spec;
}

std::shared_ptr<const simt::Module> module_of(const Spec& spec, const File& file,
                                              const std::string& only) {
  try {
    return simt::load_module(file.kernels.source.text, file.kernels.source.name, only);
  } catch (const ptx::Error& error) {
    spec.kernel_where.fail(
        fmt::format("{}; docs/limits.md lists what the machine supports", error.what()));
  }
}

std::unique_ptr<Loaded> load(const File& file, const Reading& reading, const gauntlet::Form& form,
                             const std::atomic<bool>& interrupted) {
  auto loaded = std::make_unique<Loaded>();
  bind(loaded->program, read(file.given, file.text, reading));
  const Spec& spec = loaded->program.spec;
  loaded->form = form.name;
  loaded->instance = *reading.instance;
  std::string only;
  std::vector<std::string> all;
  for (const auto& values : values_of(constants_of(spec, form.name, *reading.instance))) {
    std::vector<Kernels> kernels;  // of each launch
    std::vector<const sanitize::KernelEntry*> entries;
    kernels.reserve(spec.launches.size());
    for (const LaunchStatement& launch : spec.launches) {
      Copy copy{form, loaded->instance, values};
      if (launch.of) copy.instance = {launch.of->in, launch.of->acc, copy.instance.op};
      if (constants_of(spec, form.name, copy.instance).empty()) copy.values.clear();
      kernels.push_back(of_copy(spec, copy, file.kernels));
      const sanitize::KernelEntry& entry = entry_of(spec, launch, kernels.back(), copy);
      check_signature(spec, launch, entry);
      entries.push_back(&entry);
      loaded->entries[values].push_back(entry.symbol);
      all.push_back(entry.symbol);
      only = all.size() == 1 || only == entry.symbol ? entry.symbol : "";
    }
    check_outputs(spec, entries);
    for (const Array& array : spec.arrays) {
      if (!array.symbol) continue;
      const std::string symbol = symbol_of(spec, {form, loaded->instance, values}, array.name);
      if (file.kernels.source.text.find(" " + symbol + "[") != std::string::npos) continue;
      array.where.fail(
          fmt::format("{} declares no such array; write __device__ {} {}[COUNT]; there",
                      spec.kernel, spelled(array.type), array.name));
    }
  }
  loaded->module = file.module ? file.module : module_of(spec, file, only);
  const std::string& ptx = file.kernels.source.text;
  loaded->capability = capability_of(ptx);
  loaded->inexact = has_line(ptx, all, is_inexact_line);
  loaded->calls_fast = has_line(ptx, all, is_fast_line);
  loaded->ptx_file = file.ptx_file;
  loaded->interrupted = &interrupted;
  return loaded;
}

std::unique_ptr<Loaded> load_host(const File& file, const std::atomic<bool>& interrupted) {
  auto loaded = std::make_unique<Loaded>();
  bind(loaded->program, read(file.given, file.text, {}));
  const Spec& spec = loaded->program.spec;
  loaded->interrupted = &interrupted;
  loaded->entries[{}] = {spec.entry};
  loaded->inexact = true;
  loaded->ptx_file = file.ptx_file + ".so";
  loaded->host = std::make_shared<Host>(spec, loaded->ptx_file, interrupted);
  return loaded;
}

/// A spec in every form and combination that its kernel is compiled in, the first form's first.
std::vector<std::unique_ptr<Loaded>> load_all(const Given& given, const std::string& ptx_file,
                                              const std::atomic<bool>& interrupted) {
  File file{given, given.text, ptx_file, {}, {}};
  if (file.text.empty()) file.text = spec_text(given.path);
  const Spec first = read(given, file.text, {});
  std::vector<std::unique_ptr<Loaded>> all;
  if (first.host) {
    all.push_back(load_host(file, interrupted));
    return all;
  }
  file.kernels = compile(first, given.ptx_file, interrupted);
  if (first.has_copies()) file.module = module_of(first, file, "");
  for (const gauntlet::Form& form : first.forms()) {
    for (const Instance& instance : instances_of(first, form.name)) {
      all.push_back(load(file, {form.name, instance}, form, interrupted));
    }
  }
  // The machine does without the file: on a full disk a GPU alone cannot be used.
  std::ofstream written(ptx_file, std::ios::binary);
  written << file.kernels.source.text;
  written.close();
  std::error_code ignored;
  if (!written) std::filesystem::remove(ptx_file, ignored);
  return all;
}

}  // namespace

Specs::Specs(const std::vector<std::string>& paths, const std::atomic<bool>& interrupted,
             const std::vector<std::string>& flags)
    : Specs(
          [&] {
            std::vector<Given> given;
            for (const std::string& path : paths) given.push_back({.path = path, .flags = flags});
            return given;
          }(),
          interrupted) {}

Specs::Specs(const std::vector<Given>& all, const std::atomic<bool>& interrupted) {
  std::vector<std::string> wrong;
  for (const Given& given : all) {
    if (find(given.path) != nullptr) continue;
    try {
      load(given, interrupted);
    } catch (const UsageError& error) {
      wrong.emplace_back(error.what());
    }
  }
  if (wrong.size() == 1) throw UsageError(wrong.front());
  if (wrong.empty()) return;
  throw UsageError(fmt::format("{} of {} specs cannot be used\n{}", wrong.size(), all.size(),
                               fmt::join(wrong, "\n")));
}

void Specs::load(const Given& given, const std::atomic<bool>& interrupted) {
  if (std::ranges::any_of(given.path, [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    throw UsageError(fmt::format(
        "{}: a case line cannot name a path with control characters; rename it", given.path));
  }
  const auto ptx = folder_.path() / fmt::format("{}.ptx", variants_.size());
  auto loaded = load_all(given, ptx.string(), interrupted);
  variants_.push_back(variant_of(loaded.front()->program.spec));
  std::ranges::move(loaded, std::back_inserter(specs_));
}

std::vector<Instance> Specs::instances(std::string_view variant, std::string_view form) const {
  return instances_of(loaded(variant, form).program.spec, form);
}

std::shared_ptr<const simt::Module> Specs::module(const std::string& name) const {
  const auto at = std::ranges::find(specs_, name, [](const auto& l) { return l->ptx_file; });
  return at == specs_.end() ? nullptr : (*at)->module;
}

std::string Specs::kernel_name(const std::string& entry) const {
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

Plan Specs::plan(const Case& c) const { return spec::plan(loaded(c), completed(c)); }

Verdict Specs::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  return spec::judge(loaded(c), c, plan, seen, [&] { return heights(c); });
}

bool Specs::asks(const Case& c, std::string_view property) const {
  const properties::Property* known = properties::find_property(property);
  if (property == "schedule_independent") return loaded(c).program.spec.result_none;
  return known != nullptr && !known->relation;
}

bool Specs::inexact(const Case& c, const Plan&) const { return loaded(c).inexact; }

Case Specs::draw(const properties::Population& of, std::uint64_t seed, int size) const {
  Case c;
  c.variant = of.variant;
  c.form = of.form;
  c.in = of.instance.in;
  c.acc = of.instance.acc;
  c.op = of.instance.op;
  return spec::draw(loaded(c), seed, size, of.schedules);
}

std::vector<Case> Specs::smaller(const Case& c) const { return properties::shrink_named_sizes(c); }

std::vector<Case> Specs::few_threads(const Variant& variant, const gauntlet::Form& form,
                                     const std::vector<Case>& failing) const {
  if (!variant.host.empty()) return {};
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

std::vector<Given> Specs::given() const {
  std::vector<Given> given;
  for (const Variant& variant : variants_) {
    given.push_back({variant.id, loaded(variant.id).ptx_file});
  }
  return given;
}

std::unique_ptr<Executor> Specs::machine() const {
  return simt::make_executor({.module = modules()});
}

const Loaded& Specs::loaded(const Case& c) const {
  const Loaded& first = loaded(c.variant, c.form);
  const Instance wanted{c.in, c.acc, c.op};
  const Instance unsaid{Type::f32, Type::f32, Op::sum};
  std::vector<std::string> texts;
  for (const auto& loaded : specs_) {
    if (loaded->program.spec.path != c.variant || loaded->form != first.form) continue;
    if (loaded->instance == wanted) return *loaded;
    const auto& [in, acc, op] = loaded->instance;
    texts.push_back(fmt::format("{}->{} {}", name(in), name(acc), name(op)));
  }
  if (wanted == unsaid) return first;
  const std::vector<std::string_view> known(texts.begin(), texts.end());
  throw CaseError(
      unknown_word(fmt::format("types of {}", properties::spelling(c.variant, first.form)),
                   fmt::format("{}->{} {}", name(c.in), name(c.acc), name(c.op)), known));
}

const Loaded& Specs::loaded(std::string_view path, std::string_view form) const {
  const Variant* const variant = find(path);
  if (variant == nullptr) {
    throw CaseError(fmt::format("{}: not one of the specs that were read", path));
  }
  if (form.empty() || form == only_form) {
    form = variant->form(only_form) != nullptr ? only_form : "fixed";
  }
  std::vector<std::string_view> known;
  for (const auto& loaded : specs_) {
    if (loaded->program.spec.path != path) continue;
    if (loaded->form == form) return *loaded;
    if (std::ranges::count(known, loaded->form) == 0) known.emplace_back(loaded->form);
  }
  if (known == std::vector{only_form}) {
    throw CaseError(fmt::format("{}: the spec has no forms; leave out @{}, or write fix NAME: WHY",
                                path, form));
  }
  throw CaseError(unknown_word(fmt::format("form of {}", path), form, known));
}

Case Specs::completed(Case c) const {
  const Loaded& loaded = this->loaded(c);
  const Spec& spec = loaded.program.spec;
  c.form = loaded.form;
  c.in = loaded.instance.in;
  c.acc = loaded.instance.acc;
  c.op = loaded.instance.op;
  std::vector<std::string_view> names;
  for (const Size& size : spec.sizes) names.push_back(size.name);
  for (const NamedSize& given : c.sizes) {
    if (std::find(names.begin(), names.end(), given.name) == names.end()) {
      throw CaseError(fmt::format("{}: {}", spec.path, unknown_word("size", given.name, names)));
    }
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

}  // namespace gauntlet::spec
