// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "spec/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/spelling.hpp"
#include "core/usage_error.hpp"
#include "properties/property.hpp"
#include "sanitizer/machine/entry.hpp"
#include "simt/machine/executor.hpp"
#include "spec/evaluate.hpp"
#include "spec/kernel.hpp"

namespace gauntlet::spec {
namespace {

Spec read(const Given& given) {
  Spec spec = given.text.empty() ? read_spec(given.path) : parse_spec(given.text, given.path);
  spec.flags.insert(spec.flags.end(), given.flags.begin(), given.flags.end());
  return spec;
}

std::unique_ptr<Loaded> load(const Given& given, const std::atomic<bool>& interrupted) {
  auto loaded = std::make_unique<Loaded>();
  bind(loaded->program, read(given));
  const Spec& spec = loaded->program.spec;
  const Kernels kernels = compile(spec, interrupted);
  std::string only;
  for (const LaunchStatement& launch : spec.launches) {
    const sanitize::KernelEntry& entry = entry_of(spec, launch, kernels);
    check_signature(spec, launch, entry);
    loaded->entries.push_back(entry.symbol);
    only = loaded->entries.size() == 1 || only == entry.symbol ? entry.symbol : "";
  }
  try {
    loaded->module = simt::load_module(kernels.source.text, kernels.source.name, only);
  } catch (const ptx::Error& error) {
    spec.kernel_where.fail(
        fmt::format("{}; docs/limits.md lists what the machine supports", error.what()));
  }
  return loaded;
}

kernels::Variant variant_of(const Spec& spec) {
  kernels::Variant variant;
  variant.id = spec.path;
  variant.documented_types = {{Type::f32, Type::f32}};
  kernels::Form form;
  form.name = "spec";
  for (const Expectation& e : spec.expectations) form.expected.push_back({e.kind, e.array});
  std::sort(form.expected.begin(), form.expected.end());
  variant.forms.push_back(std::move(form));
  return variant;
}

/// The case lines of a file; none where there is no file.
std::vector<properties::Regression> read_cases(const std::string& path) {
  std::vector<properties::Regression> cases;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", path, number);
    try {
      cases.push_back({parse_case(line), {}, where});
    } catch (const CaseError& error) {
      throw CaseError(fmt::format("{}: {}", where, error.what()));
    }
  }
  return cases;
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
  for (const Given& given : all) {
    const std::string& path = given.path;
    const auto known = [&](const auto& loaded) { return loaded->program.spec.path == path; };
    if (std::any_of(specs_.begin(), specs_.end(), known)) continue;
    if (std::filesystem::path(path).string().find_first_of(" \t\n") != path.npos) {
      throw UsageError(
          fmt::format("{}: a case line cannot name a path with blanks; rename it", path));
    }
    specs_.push_back(load(given, interrupted));
    variants_.push_back(variant_of(specs_.back()->program.spec));
  }
  source_.variants = &variants_;
  source_.instances = [](std::string_view, std::string_view) {
    return std::vector<kernels::Instance>{{Type::f32, Type::f32, Op::sum}};
  };
  source_.plan = [this](const Case& c) { return spec::plan(find(c.variant), completed(c)); };
  source_.judge = [this](const Case& c, const Plan& plan, const Observation& observation) {
    return spec::judge(find(c.variant), c, plan, observation);
  };
  source_.draw = [this](std::string_view variant, std::uint64_t seed, int size) {
    return spec::draw(find(variant), seed, size);
  };
  // What one run shows by itself; where nothing else judges a value, other schedules do.
  source_.asks = [this](const Case& c, std::string_view property) {
    const properties::Property* known = properties::find_property(property);
    if (property == "schedule_independent") return find(c.variant).program.spec.result_none;
    return known != nullptr && !known->relation;
  };
  source_.regressions = [this](std::string_view variant) {
    std::vector<properties::Regression> cases = read_cases(cases_path(variant));
    for (properties::Regression& known : cases) {
      if (std::filesystem::path(known.c.variant).filename() !=
          std::filesystem::path(variant).filename()) {
        throw CaseError(fmt::format("{}: the case is of {}", known.where, known.c.variant));
      }
      known.c.variant = variant;
      try {
        known.c = completed(known.c);
      } catch (const CaseError& error) {
        throw CaseError(fmt::format("{}: {}", known.where, error.what()));
      }
    }
    return cases;
  };
  constexpr unsigned part_limit = 16;
  source_.parts = part_limit;
}

std::unique_ptr<Executor> Specs::machine() const {
  simt::ExecutorOptions options;
  options.module = [this](const std::string& path) { return find(path).module; };
  options.launch = [](simt::ModuleState& state, simt::LaunchConfig& config) {
    auto report = simt::launch(state, config);
    for (Finding& finding : report.findings) {
      sanitize::KernelEntry entry;
      entry.symbol = finding.kernel;
      sanitize::demangle(entry);
      finding.kernel = entry.name;
    }
    return report;
  };
  return simt::make_executor(options);
}

const Loaded& Specs::find(std::string_view path) const {
  for (const auto& loaded : specs_) {
    if (loaded->program.spec.path == path) return *loaded;
  }
  throw CaseError(fmt::format("{}: not one of the specs that were read", path));
}

Case Specs::completed(Case c) const {
  const Spec& spec = find(c.variant).program.spec;
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

std::string cases_path(std::string_view spec_path) {
  return std::string(spec_path.substr(0, spec_path.rfind('.'))) + ".cases";
}

}  // namespace gauntlet::spec
