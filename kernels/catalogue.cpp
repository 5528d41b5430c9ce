// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "kernels/catalogue_entry.hpp"
#include "kernels/cub_plan.hpp"
#include "kernels/images.hpp"

namespace gauntlet::kernels {

namespace detail {

namespace {

std::string_view completion(Finish finish) {
  switch (finish) {
    case Finish::partials:
      return "partials";
    case Finish::atomic:
      return "atomic";
    case Finish::two_buffers:
    case Finish::in_place:
    case Finish::device_array:
    case Finish::dependent:
      return "two launches";
    case Finish::ticket:
      return "ticket";
    case Finish::slots:
      break;
  }
  return "slots";
}

}  // namespace

Variant make_variant(VariantEntry entry) {
  Variant v;
  v.row = entry.row;
  v.id = std::move(entry.id);
  v.origin = entry.origin;
  v.documents = std::move(entry.documents);
  v.claim = std::move(entry.claim);
  v.idea = std::move(entry.idea);
  v.completion = completion(entry.mapping.finish);
  v.mapping = std::move(entry.mapping);
  v.contract = std::move(entry.contract);
  v.preconditions = std::move(entry.preconditions);
  v.documented_types = std::move(entry.types);

  for (const DefectEntry& defect : entry.defects) v.defects.push_back({defect.fix, defect.what});
  v.forms =
      forms_of({std::move(entry.defects), std::move(entry.without), std::move(entry.documented_has),
                std::move(entry.documented_hides), std::move(entry.documented_rare)});
  return v;
}

}  // namespace detail

namespace {

std::vector<Variant> make_catalogue() {
  std::vector<Variant> all;
  for (auto rows :
       {detail::ladder_variants(), detail::last_warp_variants(), detail::atomic_variants(),
        detail::vector_variants(), detail::warp_level_variants(), detail::other_variants(),
        cub_variants(), detail::beyond_variants()}) {
    std::ranges::move(rows, std::back_inserter(all));
  }
  return all;
}

/// "f16_f32_sum" or "f16_f32_sum__b64"
std::optional<Instance> parse_instance(std::string_view text) {
  const std::size_t first = text.find('_');
  const std::size_t second = text.find('_', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const auto in = parse<Type>(text.substr(0, first));
  const auto acc = parse<Type>(text.substr(first + 1, second - first - 1));
  const auto op = parse<Op>(text.substr(second + 1, text.find('_', second + 1) - second - 1));
  if (!in || !acc || !op) return std::nullopt;
  return Instance{*in, *acc, *op};
}

/// Per "variant__form", the sorted instances of its entries.
using EntryIndex = std::map<std::string, std::set<Instance>, std::less<>>;

EntryIndex index_entries() {
  EntryIndex index;
  for (const Entry& entry : entries()) {
    const std::size_t form = entry.name.find("__");
    if (form == std::string_view::npos) continue;
    const std::size_t types = entry.name.find("__", form + 2);
    if (types == std::string_view::npos) continue;
    if (const auto instance = parse_instance(entry.name.substr(types + 2))) {
      index[std::string(entry.name.substr(0, types))].insert(*instance);
    }
  }
  return index;
}

std::vector<Instance> compiled_of(const EntryIndex& index, const Variant& variant,
                                  const Form& form) {
  const bool of_fixed = variant.cub == Cub::device;
  std::string key = variant.id + "__" + (of_fixed ? "fixed" : form.name);
  std::ranges::replace(key, '-', '_');
  const auto found = index.find(key);
  if (found == index.end()) return {};
  std::vector<Instance> result(found->second.begin(), found->second.end());
  if (of_fixed && form.name != "fixed") {
    // The other forms stay with the documented type, as a sum and as E's maximum.
    std::erase_if(result, [&](const Instance& i) {
      return (i.op != Op::sum && i.op != Op::maximum) ||
             std::ranges::count(variant.documented_types, TypePair{i.in, i.acc}) == 0;
    });
  }
  return result;
}

}  // namespace

std::vector<Expected> Form::due() const {
  std::vector<Expected> due = expected;
  std::erase_if(due, [&](const Expected& e) { return std::ranges::count(rare, e) != 0; });
  return due;
}

const Form* Variant::form(std::string_view name) const {
  const auto found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : &*found;
}

const std::vector<Variant>& catalogue() {
  static const std::vector<Variant> all = make_catalogue();
  return all;
}

const Variant* find_variant(std::string_view id) {
  static const auto by_id = [] {
    std::unordered_map<std::string_view, const Variant*> result;
    for (const Variant& variant : catalogue()) result.emplace(variant.id, &variant);
    return result;
  }();
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : found->second;
}

const std::vector<Instance>& instances(std::string_view variant, std::string_view form) {
  using Forms = std::unordered_map<std::string_view, std::vector<Instance>>;
  static const auto by_form = [] {
    const auto index = index_entries();
    std::unordered_map<std::string_view, Forms> result;
    for (const Variant& v : catalogue()) {
      for (const Form& f : v.forms) result[v.id][f.name] = compiled_of(index, v, f);
    }
    return result;
  }();
  static const std::vector<Instance> none;
  const auto forms = by_form.find(variant);
  if (forms == by_form.end()) return none;
  const auto found = forms->second.find(form);
  return found == forms->second.end() ? none : found->second;
}

const std::vector<TypePair>& type_pairs() {
  using enum Type;
  static const std::vector<TypePair> pairs{
      {f32, f32}, {f64, f64}, {f32, f64}, {f16, f32}, {f16, f16}, {bf16, f32}, {i32, i32},
      {i32, i64}, {u32, u32}, {i64, i64}, {u64, u64}, {i8, i32},  {u8, u32},   {i16, i32}};
  return pairs;
}

const std::vector<std::uint32_t>& block_sizes() {
  static const std::vector<std::uint32_t> sizes{8,   16,  32,  33,  48,  64,  96,
                                                128, 180, 192, 256, 512, 1024};
  return sizes;
}

}  // namespace gauntlet::kernels
