// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/configurations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "gpu/timing/limit.hpp"
#include "gpu/timing/report/derive.hpp"
#include "gpu/timing/report/lists.hpp"
#include "kernels/block_grid.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::timing {
namespace {

using properties::Selected;

constexpr std::uint32_t block_of_c = 32;  // document C's later launches

bool has_instance(const Selected& form, TypePair types) {
  const auto compiled = kernels::instances(form.variant->id, form.form->name);
  return std::ranges::count(compiled, Instance{types.in, types.acc, Op::sum}) != 0;
}

bool contains(const std::vector<std::uint64_t>& sizes, std::uint64_t n) {
  return std::ranges::count(sizes, n) != 0;
}

bool is_of_document(std::string_view variant, TypePair types, std::uint64_t n, char document) {
  const auto& tables = documented_tables();
  const auto& rows = documented_times();
  return std::ranges::any_of(rows, [&](const DocumentedTime& row) {
    return row.document == document && row.variant == variant &&
           std::ranges::any_of(tables, [&](const DocumentedTable& table) {
             return table.statement == row.statement && TypePair{table.type, table.type} == types &&
                    table.n == n;
           });
  });
}

void add_holding(const Request& request, const Selected& form, TypePair types, std::uint64_t n,
                 unsigned multiprocessors, std::vector<Configuration>& to) {
  const std::string& variant = form.variant->id;
  const BlockGrid usual = usual_launch(variant, types, n, multiprocessors);
  Configuration configuration{Kind::kernel, variant,   form.form->name, types, n,
                              usual.block,  usual.grid};
  to.push_back(configuration);
  if (form.form->name != "fixed") return;
  if (is_of_document(variant, types, n, 'C')) {
    configuration.kind = Kind::document;
    configuration.block = block_of_c;
    configuration.grid = 0;
    to.push_back(configuration);
    // The document's own launch, where that is another one.
    for (const DocumentedTime& row : documented_times()) {
      if (row.variant != variant || row.block == 0) continue;
      Case c = case_for(variant, form.form->name, {types.in, types.acc, Op::sum});
      c.n = n;
      c.block = block_of_c;
      c.grid = 0;
      if (row.block == block_of_c && row.grid == kernels::plan(c).grid) continue;
      configuration.block = row.block;
      configuration.grid = static_cast<std::uint32_t>(row.grid);
      to.push_back(configuration);
    }
  }
  if (request.quick || types != TypePair{Type::f32, Type::f32} || !contains(sweep_sizes(), n)) {
    return;
  }
  for (const BlockGrid& launch : sweep_launches(variant, n, multiprocessors)) {
    configuration.kind = Kind::sweep;
    configuration.block = launch.block;
    configuration.grid = launch.grid;
    to.push_back(configuration);
  }
}

constexpr std::string_view default_sizes =
    "2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^27,2^28,2^30,100000000";
constexpr std::string_view default_types = "f32,i32,f64,f16";
constexpr std::string_view quick_sizes = "2^10,2^16,2^20,2^24,2^27";
constexpr std::string_view quick_types = "f32,i32";
constexpr unsigned default_cases = 2;  // of each form, where the properties run first

// Document D's launch is among what is swept.
constexpr std::uint32_t block_of_d = 128, grid_of_d = 10240;

std::uint32_t at_most_needed(std::uint64_t grid, std::uint64_t n, std::uint32_t block) {
  const std::uint64_t needed = std::max<std::uint64_t>(1, (n + block - 1) / block);
  return static_cast<std::uint32_t>(std::min(grid, needed));
}

}  // namespace

const std::vector<std::uint64_t>& fix_sizes() {
  static const std::vector<std::uint64_t> sizes{1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return sizes;
}

const std::vector<std::uint64_t>& sweep_sizes() {
  static const std::vector<std::uint64_t> sizes{1 << 20, 100'000'000, 1 << 27};
  return sizes;
}

std::vector<Selected> selected_forms(const Request& request) {
  std::vector<Selected> forms = properties::select(kernels::compiled_kernels(), request.selectors);
  const bool documented = std::ranges::any_of(request.selectors, [](const std::string& selector) {
    return selector.ends_with("@documented");
  });
  if (!documented) {
    std::erase_if(forms, [](const Selected& form) { return form.form->name == "documented"; });
  }
  return forms;
}

std::vector<Group> groups(const Request& request, const Passed& passed, unsigned multiprocessors,
                          std::vector<NotTimed>& not_timed) {
  std::vector<Selected> holding, defective;
  for (const Selected& form : selected_forms(request)) {
    const bool lacks_one = form.form->name.starts_with("fixed-");
    // The forms of cub::DeviceReduce differ in host code alone.
    if (lacks_one && kernels::find_row(form.variant->id)->by_host()) continue;
    const std::string refusal = passed.refusal(form.variant->id, form.form->name);
    if (lacks_one) {
      if (!request.quick) defective.push_back(form);
    } else if (refusal.empty()) {
      holding.push_back(form);
    } else {
      not_timed.push_back({form.variant->id + "@" + form.form->name, "", "", 0, refusal});
    }
  }
  std::vector<Group> result;
  for (const TypePair types : request.types) {
    for (const std::uint64_t n : request.sizes) {
      Group group{types, n, {}};
      group.configurations.push_back({Kind::limit, "limit", "", types, n, 0, 0});
      if (has_direct_cub(types)) {
        group.configurations.push_back({Kind::cub, "cub", "", types, n, 0, 0});
      }
      for (const Selected& form : holding) {
        if (has_instance(form, types)) {
          add_holding(request, form, types, n, multiprocessors, group.configurations);
        }
      }
      result.push_back(std::move(group));
    }
  }
  for (const TypePair types : request.types) {
    for (const std::uint64_t n : request.sizes) {
      Group group{types, n, {}};
      for (const Selected& form : defective) {
        if (!contains(fix_sizes(), n) || !has_instance(form, types)) continue;
        const BlockGrid usual = usual_launch(form.variant->id, types, n, multiprocessors);
        group.configurations.push_back(
            {Kind::fix, form.variant->id, form.form->name, types, n, usual.block, usual.grid});
      }
      if (!group.configurations.empty()) result.push_back(std::move(group));
    }
  }
  return result;
}

void fill_lists(Request& request, const std::string& sizes, const std::string& types) {
  const auto or_else = [](const std::string& given, std::string_view otherwise) {
    return given.empty() ? otherwise : std::string_view(given);
  };
  request.sizes = parse_sizes(or_else(sizes, request.quick ? quick_sizes : default_sizes));
  request.types = parse_types(or_else(types, request.quick ? quick_types : default_types));
}

properties::CheckOptions check_before(const Request& request) {
  properties::CheckOptions check;
  for (const auto& form : selected_forms(request)) {
    if (form.form->expected.empty()) {
      check.selectors.push_back(form.variant->id + "@" + form.form->name);
    }
  }
  check.cases = default_cases;
  check.replay_regressions = false;
  return check;
}

BlockGrid usual_launch(std::string_view variant, TypePair types, std::uint64_t n,
                       unsigned multiprocessors) {
  if (const auto documented = kernels::documented_launch(variant)) {
    return {documented->block, at_most_needed(documented->grid, n, documented->block)};
  }
  return kernels::best_launch(variant, types, n, multiprocessors);
}

std::vector<BlockGrid> sweep_launches(std::string_view variant, std::uint64_t n,
                                      unsigned multiprocessors) {
  if (!kernels::is_swept(variant)) return {};
  std::set<BlockGrid> launches;
  for (const std::uint32_t block : {64U, 128U, 256U, 512U, 1024U}) {
    for (const std::uint32_t blocks : {1U, 2U, 4U, 8U, 16U, 32U, 128U}) {
      launches.insert({block, at_most_needed(std::uint64_t{blocks} * multiprocessors, n, block)});
    }
  }
  launches.insert({block_of_d, at_most_needed(grid_of_d, n, block_of_d)});
  return {launches.begin(), launches.end()};
}

Passed Passed::from_json(const Json& document) {
  const auto report =
      read_document(document, "check", gauntlet::from_json<properties::CheckReport>);
  if (report.executor != "cuda") {
    throw JsonShapeError(
        fmt::format("its forms ran on {}, not on a GPU; write check --on cuda", report.executor));
  }
  return from_report(report);
}

Passed Passed::read(const std::string& option, const std::string& path) {
  try {
    return from_json(read_json(option, path));
  } catch (const JsonShapeError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, path, error.what()));
  }
}

Passed Passed::from_report(properties::CheckReport report) {
  Passed passed;
  passed.report_ = std::move(report);
  return passed;
}

std::string Passed::refusal(std::string_view variant, std::string_view form) const {
  const auto found = std::ranges::find_if(report_.forms, [&](const properties::FormReport& f) {
    return f.variant == variant && f.form == form;
  });
  std::string why;
  if (found == report_.forms.end()) {
    why = "it was not checked";
  } else if (found->outcome != properties::Outcome::as_expected) {
    why = name(found->outcome);
  } else if (!found->expected.empty()) {
    why = "it is a defective form";
  } else if (found->cases == 0) {
    why = "no case ran";
  }
  return why.empty() ? why : fmt::format("{}@{} did not pass ({})", variant, form, why);
}

}  // namespace gauntlet::timing
