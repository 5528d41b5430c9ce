// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/subject.hpp"

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "kernels/plan.hpp"
#include "kernels/written.hpp"
#include "properties/language/source.hpp"
#include "properties/language/tiles.hpp"

namespace gauntlet::kernels {

const std::vector<Variant>& Catalogue::variants() const { return catalogue(); }

std::vector<Instance> Catalogue::instances(std::string_view variant, std::string_view form) const {
  return kernels::instances(variant, form);
}

std::string Catalogue::kernel_name(const std::string& entry) const {
  return spec::kernel_called(entry);
}

Plan Catalogue::plan(const Case& c) const { return kernels::plan(c); }

Verdict Catalogue::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  return gauntlet::judge(c, plan, seen);
}

std::vector<std::uint32_t> Catalogue::blocks(const Case& c) const {
  const Row* const row = find_row(c.variant);
  return row == nullptr ? std::vector<std::uint32_t>{} : spec::blocks_of(row->written->loaded(c));
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
