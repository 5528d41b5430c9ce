// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/spelling.hpp"
#include "kernels/host_calls.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/module.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/host.hpp"

namespace gauntlet::kernels {
namespace {

std::string file_of(std::string_view name) { return fmt::format("kernels/{}.gauntlet", name); }

/// Of the copy that is this form in this combination, among all.
std::uint32_t number_of(const spec::Spec& spec, const std::string& form, const Instance& instance) {
  const std::vector<spec::Copy> all = spec::copies_of(spec);
  const auto own = std::ranges::find_if(all, [&](const spec::Copy& copy) {
    return copy.form.name == form && copy.instance == instance;
  });
  return static_cast<std::uint32_t>(own - all.begin());
}

/// In catalogue order: what a document describes beside the kernel that it prints comes behind it.
const std::vector<std::unique_ptr<Row>>& rows() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Row>> rows;
    for (const EmbeddedFile& file : embedded()) {
      if (!file.name.ends_with(".gauntlet")) continue;
      rows.push_back(std::make_unique<Row>(file.stem(), file.content()));
    }
    std::ranges::stable_sort(
        rows, {}, [](const auto& row) { return std::pair(row->variant.row, row->variant.origin); });
    return rows;
  }();
  return all;
}

/// In catalogue order.
std::optional<std::size_t> index_of(std::string_view id) {
  static const auto by_id = [] {
    std::unordered_map<std::string_view, std::size_t> result;
    for (const auto& row : rows()) result.emplace(row->variant.id, result.size());
    return result;
  }();
  const auto found = by_id.find(id);
  return found == by_id.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Row::Row(std::string_view name, std::string_view text)
    : text_(text), spec_(spec::parse_spec(text, file_of(name))) {
  source_ = find_embedded(embedded(), spec_.kernel)->content();
  variant = spec::variant_of(spec_);
  variant.id = name;
  variant.file.clear();
  variant.host.clear();  // its launches are as any others
  for (const Form& form : variant.forms) {
    auto& compiled = instances_[form.name] = spec::instances_of(spec_, form.name);
    std::ranges::sort(compiled);
  }
}

const std::vector<Instance>& Row::instances(std::string_view form) const {
  static const std::vector<Instance> none;
  const auto found = instances_.find(form);
  return found == instances_.end() ? none : found->second;
}

const spec::Loaded& Row::loaded(const Case& c) const {
  const Instance instance{c.in, c.acc, c.op};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<spec::Loaded>& loaded = loaded_[{c.form, instance}];
  if (loaded == nullptr) loaded = load(c.form, instance);
  return *loaded;
}

std::shared_ptr<const simt::Module> Row::module() const {
  std::call_once(decoded_, [this] {
    module_ = simt::load_on_demand(std::string(ptx_of(variant.id)), variant.id + ".ptx");
  });
  return module_;
}

std::unique_ptr<spec::Loaded> Row::load(const std::string& form, const Instance& instance) const {
  const std::string& name = variant.id;
  auto loaded = std::make_unique<spec::Loaded>();
  spec::bind(loaded->program, spec::parse_spec(text_, file_of(name), {form, instance}));
  loaded->form = form;
  loaded->instance = instance;
  loaded->ptx_file = name;
  loaded->capability = spec::capability_of(ptx_of(name));
  const spec::Spec& spec = loaded->program.spec;
  if (spec.host) {
    const auto which = number_of(spec_, form, instance);
    loaded->entries[{}] = {spec.entry};
    loaded->host = std::make_shared<spec::Host>(
        spec, host_signature(which), [name, which](const Case&, Plan calls) {
          return host_launches(which, name, std::move(calls));
        });
    return loaded;
  }
  for (const auto& values : spec::values_of(spec::constants_of(spec, form, instance))) {
    for (const spec::LaunchStatement& launch : spec.launches) {
      Instance of = instance;
      if (launch.of) std::tie(of.in, of.acc) = std::pair(launch.of->in, launch.of->acc);
      std::string& entry =
          loaded->entries[values].emplace_back(entry_stem(case_for(name, form, of)));
      const bool constant = !spec::constants_of(spec, form, of).empty();
      if (constant) entry += fmt::format("__b{}", values.front());
    }
  }
  return loaded;
}

const std::vector<Variant>& catalogue() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> variants;
    for (const auto& row : rows()) variants.push_back(row->variant);
    return variants;
  }();
  return all;
}

const Row* find_row(std::string_view id) {
  const auto index = index_of(id);
  return index ? rows()[*index].get() : nullptr;
}

const Variant* find_variant(std::string_view id) {
  const auto index = index_of(id);
  return index ? &catalogue()[*index] : nullptr;
}

const std::vector<Instance>& instances(std::string_view variant, std::string_view form) {
  static const std::vector<Instance> none;
  const Row* const row = find_row(variant);
  return row == nullptr ? none : row->instances(form);
}

const std::vector<TypePair>& type_pairs() {
  static const std::vector<TypePair> pairs = [] {
    std::vector<TypePair> all;
    for (const auto& row : rows()) {
      std::ranges::copy_if(row->spec().types, std::back_inserter(all), [&](const TypePair& pair) {
        return std::ranges::count(all, pair) == 0;
      });
    }
    return all;
  }();
  return pairs;
}

const std::vector<Image>& images() {
  static const std::vector<Image> all = [] {
    std::vector<Image> result;
    for (const EmbeddedFile& file : embedded()) {
      if (file.name.ends_with(".ptx")) result.push_back({file.stem(), file.content()});
    }
    return result;
  }();
  return all;
}

std::string_view ptx_of(std::string_view module) {
  const auto image = std::ranges::find(images(), module, &Image::module);
  return image == images().end() ? std::string_view() : image->ptx;
}

std::string entry_stem(const Case& c) {
  std::string form = c.form;
  std::ranges::replace(form, '-', '_');
  return fmt::format("{}__{}__{}_{}_{}", c.variant, form, name(c.in), name(c.acc), name(c.op));
}

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
