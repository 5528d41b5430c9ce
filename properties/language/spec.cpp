// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/usage_error.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

bool Size::allows(std::uint64_t value) const {
  if (!choices.empty()) return std::find(choices.begin(), choices.end(), value) != choices.end();
  return value >= least && value <= most;
}

std::string Size::domain() const {
  return choices.empty() ? fmt::format("{}..{}", least, most)
                         : fmt::format("{}", fmt::join(choices, ","));
}

std::string Spec::beside(std::string_view file) const {
  return file.starts_with('/') ? std::string(file) : folder + std::string(file);
}

const Array* Spec::array(std::string_view name) const {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const Array& a) { return a.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

bool Spec::fast_math() const {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag == "--use_fast_math" || flag == "-use_fast_math" || flag.starts_with("--ftz=t") ||
           flag.starts_with("-ftz=t");
  });
}

std::vector<gauntlet::Form> Spec::forms() const {
  if (!fixes.defects.empty() || fixes.documented) return forms_of(fixes);
  gauntlet::Form form;
  form.name = only_form;
  form.expected = expectations;
  std::ranges::sort(form.expected);
  return {std::move(form)};
}

std::vector<Instance> Spec::instances() const {
  if (!combinations.empty()) return combinations;
  if (types.empty()) return {{Type::f32, Type::f32, Op::sum}};
  std::vector<Instance> all;
  for (const TypePair& pair : types) {
    if (operators.empty()) all.push_back({pair.in, pair.acc, Op::sum});
    for (const Op op : operators) all.push_back({pair.in, pair.acc, op});
  }
  return all;
}

std::vector<std::size_t> layout_of(const std::vector<Member>& members) {
  std::vector<std::size_t> offsets;
  std::size_t end = 0, align = 1;
  for (const Member& m : members) {
    offsets.push_back(round_up(end, size_of(m.type)));
    end = offsets.back() + size_of(m.type);
    align = std::max(align, size_of(m.type));
  }
  offsets.push_back(round_up(end, align));
  return offsets;
}

std::size_t Scalar::bytes() const {
  return members.empty() ? size_of(type) : layout_of(members).back();
}

namespace {

/// How what the blocks of a reduction have becomes one value.
std::string completion(const Spec& spec) {
  const Result& result = spec.results.front();
  if (spec.host) return "host code";
  if (spec.arrays.at(result.array).identity) return "atomic";
  if (!result.variables.front().empty()) return "partials";
  const auto launches = std::ranges::count(spec.launches, false, &LaunchStatement::rehearsal);
  if (launches > 1) return "two launches";
  return spec.arrays.back().name;  // the last block finishes: what blocks meet in is declared last
}

}  // namespace

Variant variant_of(const Spec& spec) {
  Variant variant;
  static_cast<gauntlet::About&>(variant) = spec.about;
  variant.id = variant.file = spec.path;
  const Instance first = spec.instances().front();
  variant.documented_types = {{first.in, first.acc}};
  if (!spec.documented_types.empty()) variant.documented_types = spec.documented_types;
  variant.defects.assign(spec.fixes.defects.begin(), spec.fixes.defects.end());
  variant.forms = spec.forms();
  if (spec.tiled) variant.completion = completion(spec);
  variant.takes_any_n = spec.tiled && steps(spec) && !spec.host;
  if (spec.host) variant.host = spec.entry;
  return variant;
}

std::string spec_text(const std::string& path) {
  auto text = os::read_file(path);
  if (!text) throw UsageError(fmt::format("{}: cannot be read; name a spec file", path));
  return *std::move(text);
}

Spec read_spec(const std::string& path) { return parse_spec(spec_text(path), path); }

}  // namespace gauntlet::spec
