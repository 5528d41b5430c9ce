// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/subject.hpp"

#include <algorithm>
#include <string_view>

#include "base/spelling.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "properties/language/tiles.hpp"

namespace gauntlet::kernels {
namespace {

const Row& row_of(const Case& c) {
  if (images().empty()) throw CaseError(std::string(no_catalogue));
  if (const Row* const row = find_row(c.variant)) return *row;
  std::vector<std::string_view> ids;
  for (const Variant& v : catalogue()) ids.push_back(v.id);
  throw CaseError(unknown_word("variant", c.variant, ids, all_variants));
}

}  // namespace

const std::vector<Variant>& Catalogue::variants() const { return catalogue(); }

std::vector<Instance> Catalogue::instances(std::string_view variant, std::string_view form) const {
  return kernels::instances(variant, form);
}

std::string Catalogue::kernel_name(const std::string& entry) const {
  return spec::kernel_called(entry);
}

Plan Catalogue::plan(const Case& c) const {
  const Row& row = row_of(c);
  const std::vector<Instance>& compiled = row.instances(c.form);
  if (row.variant.form(c.form) == nullptr) properties::fail_form(row.variant, c.form);
  if (std::ranges::count(compiled, Instance{c.in, c.acc, c.op}) == 0) {
    properties::fail_types(c, compiled);
  }
  Plan plan = spec::plan(row.loaded(c), c);
  plan.module = [&row](const std::string&) { return row.module(); };
  return plan;
}

Verdict Catalogue::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  return gauntlet::judge(c, plan, seen);
}

std::vector<std::uint32_t> Catalogue::blocks(const Case& c) const {
  const Row* const row = find_row(c.variant);
  return row == nullptr ? std::vector<std::uint32_t>{} : spec::blocks_of(row->loaded(c));
}

std::vector<std::string> Catalogue::texts() const {
  std::vector<std::string> texts;
  for (const Image& image : images()) texts.push_back(properties::code_of(image.ptx));
  return texts;
}

const Catalogue& compiled_kernels() {
  static const Catalogue catalogue;
  return catalogue;
}

}  // namespace gauntlet::kernels
