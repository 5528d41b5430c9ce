// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "kernels/embedded.hpp"

namespace gauntlet::kernels {
namespace {

std::string file_of(const std::string& name) { return fmt::format("kernels/{}.gauntlet", name); }

/// How what the blocks have becomes one value.
std::string completion(const spec::Spec& spec) {
  const spec::Result& result = spec.results.front();
  if (spec.arrays.at(result.array).identity) return "atomic";
  if (!result.variables.front().empty()) return "partials";
  const auto launches = std::ranges::count(spec.launches, false, &spec::LaunchStatement::rehearsal);
  if (launches > 1) return "two launches";
  return spec.arrays.back().name;  // the last block finishes: what blocks meet in is declared last
}

}  // namespace

Written::Written(std::string name, std::string_view text)
    : name_(std::move(name)),
      text_(text),
      spec_(spec::parse_spec(text_, file_of(name_))),
      source_(find_embedded(detail::embedded(), spec_.kernel)->content()) {}

Variant Written::variant() const {
  Variant variant = spec::variant_of(spec_);
  variant.id = name_;
  variant.file.clear();
  variant.completion = completion(spec_);
  variant.takes_any_n = steps();
  return variant;
}

bool Written::steps() const {
  return std::ranges::count(spec_.sizes, "blocks", &spec::Size::name) != 0;
}

const spec::Program& Written::program(const Case& c) const {
  const Instance instance{c.in, c.acc, c.op};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<spec::Program>& program = programs_[{c.form, instance}];
  if (program == nullptr) {
    program = std::make_unique<spec::Program>();
    spec::bind(*program, spec::parse_spec(text_, file_of(name_), {c.form, instance}));
  }
  return *program;
}

const std::vector<std::shared_ptr<const Written>>& written() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const Written>> rows;
    const std::span<const EmbeddedFile> files = detail::embedded();
    for (const EmbeddedFile& file : files) {
      if (!file.name.ends_with(".gauntlet")) continue;
      rows.push_back(std::make_shared<Written>(std::string(file.stem()), file.content()));
    }
    return rows;
  }();
  return all;
}

}  // namespace gauntlet::kernels
