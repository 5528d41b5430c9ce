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
#include "kernels/written.hpp"

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

Row make_row(VariantEntry entry) {
  Row row{{}, std::move(entry.mapping)};
  Variant& v = row.variant;
  v.row = entry.row;
  v.id = std::move(entry.id);
  v.origin = entry.origin;
  v.documents = std::move(entry.documents);
  v.claim = std::move(entry.claim);
  v.idea = std::move(entry.idea);
  v.completion = completion(row.mapping->finish);
  v.contract = std::move(entry.contract);
  v.preconditions = std::move(entry.preconditions);
  v.documented_types = std::move(entry.types);
  v.takes_any_n = row.mapping->load == Load::stride;
  v.waits_for_blocks = row.mapping->waits_for_blocks;
  for (const DefectEntry& defect : entry.defects) v.defects.push_back({defect.fix, defect.what});
  v.forms =
      forms_of({std::move(entry.defects), std::move(entry.without), std::move(entry.documented_has),
                std::move(entry.documented_hides), std::move(entry.documented_rare)});
  return row;
}

}  // namespace detail

namespace {

/// The block sizes that a variant's document names or implies: A 256 (it speaks of eight warps), C
/// 32, for its shuffles 128 and for its first kernels 8 too, D 128; B and E leave the size open and
/// are taken at 128 and 256. Empty for a variant that no document has.
std::vector<std::uint32_t> documented_blocks(const Row& row) {
  if (row.written != nullptr) return row.variant.documented_blocks;
  if (row.mapping && !row.mapping->documented_blocks.empty()) {
    const auto blocks = row.mapping->documented_blocks;
    return {blocks.begin(), blocks.end()};
  }
  const std::string& documents = row.variant.documents;
  if (documents.empty() || documents.starts_with("none")) return {};
  switch (documents.front()) {
    case 'A':
      return {256};
    case 'C':
      return {8, 32};
    case 'D':
      return {128};
    case 'B':
    case 'E':
      return {128, 256};
    default:
      return {};
  }
}

std::vector<Row> make_rows() {
  std::vector<Row> all;
  for (auto rows : {detail::ladder_rows(), detail::last_warp_rows(), detail::atomic_rows(),
                    detail::vector_rows(), detail::warp_level_rows(), detail::other_rows(),
                    cub_rows(), detail::beyond_rows()}) {
    std::ranges::move(rows, std::back_inserter(all));
  }
  for (const auto& one : written()) {
    Row row;
    row.variant = one->variant();
    row.written = one;
    all.push_back(std::move(row));
  }
  std::ranges::stable_sort(all, {}, [](const Row& row) { return row.variant.row; });
  for (Row& row : all) row.variant.documented_blocks = documented_blocks(row);
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
  const bool of_fixed = row.cub == Cub::device;
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
