// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "kernels/embedded.hpp"
#include "kernels/host_calls.hpp"
#include "kernels/images.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/host.hpp"
#include "properties/language/tiles.hpp"

namespace gauntlet::kernels {
namespace {

std::string file_of(const std::string& name) { return fmt::format("kernels/{}.gauntlet", name); }

}  // namespace

std::uint32_t Written::number_of(const Case& c) const {
  const std::vector<spec::Copy> all = spec::copies_of(spec_);
  const Instance instance{c.in, c.acc, c.op};
  const auto own = std::ranges::find_if(all, [&](const spec::Copy& copy) {
    return copy.form.name == c.form && copy.instance == instance;
  });
  return static_cast<std::uint32_t>(own - all.begin());
}

Written::Written(std::string name, std::string_view text)
    : name_(std::move(name)),
      text_(text),
      spec_(spec::parse_spec(text_, file_of(name_))),
      source_(find_embedded(detail::embedded(), spec_.kernel)->content()) {}

Variant Written::variant() const {
  Variant variant = spec::variant_of(spec_);
  variant.id = name_;
  variant.file.clear();
  variant.host.clear();  // its launches are as any others
  return variant;
}

const spec::Loaded& Written::loaded(const Case& c) const {
  const Instance instance{c.in, c.acc, c.op};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<spec::Loaded>& loaded = loaded_[{c.form, instance}];
  if (loaded != nullptr) return *loaded;
  loaded = std::make_unique<spec::Loaded>();
  spec::bind(loaded->program, spec::parse_spec(text_, file_of(name_), {c.form, instance}));
  loaded->form = c.form;
  loaded->instance = instance;
  loaded->ptx_file = name_;
  loaded->capability = capability_of(name_);
  const spec::Spec& spec = loaded->program.spec;
  if (spec.host) {
    const auto which = number_of(c);
    loaded->entries[{}] = {spec.entry};
    loaded->host = std::make_shared<spec::Host>(
        spec, host_signature(which), [this, which](const Case&, Plan calls) {
          return host_launches(which, name_, std::move(calls));
        });
    return *loaded;
  }
  for (const auto& values : spec::values_of(spec::constants_of(spec, c.form, instance))) {
    for (const spec::LaunchStatement& launch : spec.launches) {
      Case of = c;
      of.variant = name_;
      const TypePair types = launch.of.value_or(TypePair{c.in, c.acc});
      of.acc = types.acc;
      std::string& entry = loaded->entries[values].emplace_back(entry_stem(of, types.in));
      const bool constant = !spec::constants_of(spec, c.form, {types.in, types.acc, c.op}).empty();
      if (constant) entry += fmt::format("__b{}", values.front());
    }
  }
  return *loaded;
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
