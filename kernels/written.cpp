// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/written.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <stdexcept>

#include "kernels/embedded.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::kernels {
namespace {

std::string file_of(const std::string& name) { return fmt::format("kernels/{}.gauntlet", name); }

/// What `sizes` the case has.
std::vector<std::uint64_t> sizes_of(const spec::Spec& spec, const Case& c) {
  std::vector<std::uint64_t> sizes;
  for (const spec::Size& size : spec.sizes) {
    if (size.name != "n" && size.name != "block") {
      throw std::logic_error(fmt::format("{}: a case has no size {}", spec.path, size.name));
    }
    sizes.push_back(size.name == "n" ? c.n : c.block);
  }
  return sizes;
}

/// The slice that the result of block `b` reduces: "in[b * block .. (b + 1) * block]".
std::pair<std::int64_t, std::int64_t> slice_of(const spec::Program& program,
                                               spec::Evaluator& evaluator, std::int64_t b) {
  const spec::BoundResult& result = program.results.front();
  const spec::Bound& value = result.value;
  if (value.kind != spec::Bound::Kind::reduction || value.slices.size() != 1 ||
      value.slices.front().bounds.size() != 2 || result.variables.front() < 0) {
    throw std::logic_error(program.spec.path + ": the result is no reduction of a slice");
  }
  evaluator.slot(result.variables.front()) = b;
  const auto& bounds = value.slices.front().bounds;
  return {evaluator.integer(bounds[0]), evaluator.integer(bounds[1])};
}

}  // namespace

Written::Written(std::string name, std::string_view text, std::string_view source)
    : name_(std::move(name)),
      text_(text),
      source_(source),
      spec_(spec::parse_spec(text_, file_of(name_))) {}

Variant Written::variant() const {
  Variant variant = spec::variant_of(spec_);
  variant.id = name_;
  variant.file.clear();
  variant.completion = "partials";
  return variant;
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

Geometry Written::geometry(const Case& c) const {
  Geometry geometry = geometry_of(Blocks::any, c);
  if (!geometry.refusal.empty()) return geometry;
  const spec::Program& program = this->program(c);
  spec::Evaluator evaluator(program, sizes_of(program.spec, c));
  const auto first = slice_of(program, evaluator, 0);
  const auto second = slice_of(program, evaluator, 1);
  if (first.first != 0 || first.second != second.first || second.second != 2 * first.second) {
    throw std::logic_error(program.spec.path + ": blocks do not reduce tiles, one behind another");
  }
  geometry.tile = geometry.tail_multiple = static_cast<std::uint64_t>(first.second);
  geometry.height = evaluator.count(program.results.front().height);
  const spec::Bound& shared = program.launches.front().shared;
  // A kernel that has its block size as a constant has a static array.
  if (shared.present() && !geometry.constant_block) {
    geometry.shared_bytes = static_cast<std::uint32_t>(evaluator.count(shared));
  }
  return geometry;
}

const std::vector<std::shared_ptr<const Written>>& written() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const Written>> rows;
    const std::span<const EmbeddedFile> files = detail::embedded();
    for (const EmbeddedFile& file : files) {
      if (!file.name.ends_with(".gauntlet")) continue;
      const std::string name(file.stem());
      rows.push_back(std::make_shared<Written>(name, file.content(),
                                               find_embedded(files, name + ".cu")->content()));
    }
    return rows;
  }();
  return all;
}

}  // namespace gauntlet::kernels
