// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/statements.hpp"

namespace gauntlet::spec {
namespace {

/// Its size, or UsageError.
Size& size_of_constant(Spec& spec, const Constant& constant) {
  const auto size = std::ranges::find(spec.sizes, constant.size, &Size::name);
  if (size != spec.sizes.end()) return *size;
  std::vector<std::string_view> names;
  for (const Size& known : spec.sizes) names.push_back(known.name);
  constant.where.fail(names.empty() ? fmt::format("{} is no size; write size {} = 32,64,128",
                                                  constant.size, constant.size)
                                    : unknown_word("size", constant.size, names));
}

/// Every value of the size.
void take_values(Constant& constant, const Size& size) {
  constexpr std::uint64_t most = 64;
  constant.values = size.choices;
  if (!size.choices.empty()) return;
  if (size.most - size.least >= most) {
    constant.where.fail(fmt::format(
        "the kernel is compiled for each value, and {} has more than {}; write size {} = "
        "32,64,128",
        size.name, most, size.name));
  }
  for (std::uint64_t k = size.least; k <= size.most; ++k) constant.values.push_back(k);
}

}  // namespace

Constant constant_of(std::string_view text, const Where& where) {
  const auto equals = text.find('='), types = text.find(" for ");
  const auto names = words_of(text.substr(0, equals));
  const auto values =
      words_of(equals == text.npos ? "" : text.substr(equals + 1, types - equals - 1));
  if (equals == text.npos || names.size() != 1 || values.empty()) {
    where.fail("write define B = 32,64,128, the block sizes that it is compiled for");
  }
  Constant constant;
  constant.name = names[0];
  constant.size = "block";
  constant.where = where;
  if (types != text.npos) constant.types = pairs_of(text.substr(types + 5), where);
  std::string list;
  for (const std::string& word : values) list += word;
  if (!std::isdigit(static_cast<unsigned char>(list[0]))) {
    if (values.size() != 1) where.fail("write define B = SIZE, or define B = 32,64,128");
    constant.size = list;
    return constant;
  }
  for (std::string_view rest = list; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto value = parse_number<std::uint64_t>(rest.substr(0, comma), 1, 1024);
    if (!value) where.fail("block sizes are numbers from 1 to 1024; write define B = 32,64,128");
    constant.values.push_back(*value);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
  }
  return constant;
}

void add_constant(Spec& spec, Constant constant) {
  const auto both = [&](const Constant& other) {
    return other.name == constant.name &&
           (other.types.empty() || constant.types.empty() ||
            std::ranges::find_first_of(other.types, constant.types) != other.types.end());
  };
  if (std::ranges::any_of(spec.constants, both)) {
    constant.where.fail(fmt::format("{} is declared twice", constant.name));
  }
  spec.constants.push_back(std::move(constant));
}

void find_constants(Spec& spec, std::string_view form, const Instance& instance) {
  for (Constant& constant : spec.constants) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.empty()) {
      take_values(constant, size);
      continue;
    }
    for (const std::uint64_t value : constant.values) {
      if (size.allows(value)) continue;
      constant.where.fail(fmt::format("{}: {} is {}", value, size.name, size.domain()));
    }
  }
  for (const Constant& constant : constants_of(spec, form, instance)) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.size() == size.most - size.least + 1) continue;  // any
    size.choices = constant.values;
    size.least = std::ranges::min(constant.values);
    size.most = std::ranges::max(constant.values);
  }
}

}  // namespace gauntlet::spec
