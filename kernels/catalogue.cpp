// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalogue.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "kernels/written.hpp"
#include "properties/language/copies.hpp"

namespace gauntlet::kernels {
namespace {

std::vector<Row> make_rows() {
  std::vector<Row> all;
  for (const auto& one : written()) {
    Row row;
    row.variant = one->variant();
    row.written = one;
    row.by_host = one->spec().host;
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
    std::unordered_map<std::string_view, Forms> result;
    for (const Row& row : rows()) {
      const Variant& v = row.variant;
      for (const Form& f : v.forms) {
        auto& compiled = result[v.id][f.name] = spec::instances_of(row.written->spec(), f.name);
        std::ranges::sort(compiled);
      }
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
