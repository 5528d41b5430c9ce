// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cub_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/spelling.hpp"
#include "kernels/images.hpp"

namespace gauntlet::kernels {
namespace {

const Variant* find(std::string_view id) {
  static const std::vector<Variant> variants = cub_variants();
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& variant) { return variant.id == id; });
  return found == variants.end() ? nullptr : &*found;
}

/// "IN_ACC_OP" at the begin of `text`, up to the next "__" or the end.
std::optional<Instance> parse_instance(std::string_view text) {
  text = text.substr(0, text.find("__"));
  const std::size_t first = text.find('_');
  const std::size_t second = first == std::string_view::npos ? first : text.find('_', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto in = parse<Type>(text.substr(0, first));
  const auto acc = parse<Type>(text.substr(first + 1, second - first - 1));
  const auto op = parse<Op>(text.substr(second + 1));
  if (!in || !acc || !op) return std::nullopt;
  return Instance{*in, *acc, *op};
}

std::set<Instance> compiled(std::string_view variant, std::string_view form) {
  std::string stem = fmt::format("{}__{}__", variant, form);
  std::replace(stem.begin(), stem.end(), '-', '_');
  std::set<Instance> result;
  for (const Entry& entry : entries()) {
    if (!entry.name.starts_with(stem)) continue;
    if (const auto instance = parse_instance(entry.name.substr(stem.size()))) {
      result.insert(*instance);
    }
  }
  return result;
}

bool lacks(const Form& form, std::string_view fix) {
  return std::find(form.missing.begin(), form.missing.end(), fix) != form.missing.end();
}

/// The program that shows what a form of cub_device lacks.
CubHost host_of(const Form& form) {
  CubHost host;
  host.fixes.cache_bytes = !lacks(form, "cache_bytes");
  host.fixes.registered_size = !lacks(form, "registered_size");
  host.fixes.stream_buffer = !lacks(form, "stream_buffer");
  host.registers_size = host.fixes.registered_size;
  host.streams = host.fixes.stream_buffer ? 1 : 2;
  return host;
}

/// What is compiled for a form, by the entry names. The host alone tells the forms of cub_device
/// apart: all launch the entries of the fixed one, and all but that one stay with the documented
/// type, as a sum and as E's maximum.
std::vector<Instance> read_instances(const Variant& variant, const Form& form) {
  const bool device = variant.id == "cub_device";
  std::vector<Instance> result;
  for (const Instance& instance : compiled(variant.id, device ? "fixed" : form.name)) {
    const TypePair types{instance.in, instance.acc};
    const auto& documented = variant.documented_types;
    const bool is_documented =
        (instance.op == Op::sum || (device && instance.op == Op::maximum)) &&
        std::find(documented.begin(), documented.end(), types) != documented.end();
    if (!device || form.name == "fixed" || is_documented) result.push_back(instance);
  }
  return result;
}

}  // namespace

std::vector<Instance> cub_instances(std::string_view variant, std::string_view form) {
  using Key = std::pair<std::string, std::string>;
  static const std::map<Key, std::vector<Instance>> all = [] {
    std::map<Key, std::vector<Instance>> result;
    for (const Variant& known : cub_variants()) {
      for (const Form& f : known.forms) result[{known.id, f.name}] = read_instances(known, f);
    }
    return result;
  }();
  const auto found = all.find(Key(variant, form));
  return found == all.end() ? std::vector<Instance>{} : found->second;
}

std::optional<Plan> cub_plan(const Case& c) {
  if (!c.variant.starts_with("cub_")) return std::nullopt;
  const Variant* variant = find(c.variant);
  if (variant == nullptr) {
    constexpr std::string_view kNames[] = {"cub_device", "cub_block", "cub_warp"};
    throw CaseError(unknown_word("variant", c.variant, kNames));
  }
  const Form* form = variant->form(c.form);
  if (form == nullptr) {
    std::vector<std::string_view> names;
    for (const Form& known : variant->forms) names.emplace_back(known.name);
    throw CaseError(unknown_word("form", c.form, names));
  }
  const auto instances = cub_instances(c.variant, c.form);
  if (std::find(instances.begin(), instances.end(), Instance{c.in, c.acc, c.op}) ==
      instances.end()) {
    throw CaseError(
        fmt::format("no kernel is compiled for {}@{} {}->{} {}; `gauntlet list` shows what is",
                    c.variant, c.form, name(c.in), name(c.acc), name(c.op)));
  }
  return c.variant == "cub_device" ? cub_device_plan(c, host_of(*form)) : cub_tiles_plan(c);
}

}  // namespace gauntlet::kernels
