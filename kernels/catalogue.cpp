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
#include <utility>

#include "kernels/cub_plan.hpp"
#include "kernels/images.hpp"
#include "kernels/written.hpp"

namespace gauntlet::kernels {
namespace {

std::vector<Row> make_rows() {
  std::vector<Row> all{cub_device()};
  for (const auto& one : written()) {
    Row row;
    row.variant = one->variant();
    row.written = one;
    all.push_back(std::move(row));
  }
  // What a document describes beside the kernel that it prints comes behind it.
  std::ranges::stable_sort(
      all, {}, [](const Row& row) { return std::pair(row.variant.row, row.variant.origin); });
  return all;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = make_rows();
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

std::vector<Instance> compiled_of(const EntryIndex& index, const Row& row, const Form& form) {
  const Variant& variant = row.variant;
  const bool of_fixed = row.written == nullptr;
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

const std::vector<Variant>& catalogue() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> variants;
    for (const Row& row : rows()) variants.push_back(row.variant);
    return variants;
  }();
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

const Row* find_row(std::string_view id) {
  const Variant* const variant = find_variant(id);
  return variant == nullptr ? nullptr
                            : &rows()[static_cast<std::size_t>(variant - catalogue().data())];
}

const std::vector<Instance>& instances(std::string_view variant, std::string_view form) {
  using Forms = std::unordered_map<std::string_view, std::vector<Instance>>;
  static const auto by_form = [] {
    const auto index = index_entries();
    std::unordered_map<std::string_view, Forms> result;
    for (const Row& row : rows()) {
      const Variant& v = row.variant;
      for (const Form& f : v.forms) result[v.id][f.name] = compiled_of(index, row, f);
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

}  // namespace gauntlet::kernels
