// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <ranges>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::timing {
namespace {

/// Between commas; of an empty text one part, which is empty.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, ',')) parts.emplace_back(part.begin(), part.end());
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// Nothing where it is no number, or too large.
std::optional<std::uint64_t> size_of_text(std::string_view word) {
  const std::size_t hat = word.find('^');
  if (hat == std::string_view::npos) return parse_number<std::uint64_t>(word);
  const auto base = parse_number<std::uint64_t>(word.substr(0, hat));
  const auto exponent = parse_number<std::uint64_t>(word.substr(hat + 1));
  if (!base || !exponent || *exponent > 64) return std::nullopt;
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < *exponent; ++i) {
    value *= *base;
    if (*base > most_elements || value > most_elements) return std::nullopt;
  }
  return value;
}

std::optional<Type> same_accumulator(Type in) {
  switch (in) {
    case Type::f16:
    case Type::bf16:
      return Type::f32;
    case Type::i8:
    case Type::i16:
      return Type::i32;
    case Type::u8:
      return Type::u32;
    case Type::u16:
      return std::nullopt;
    default:
      return in;
  }
}

TypePair parse_pair(std::string_view word) {
  const std::size_t arrow = word.find("->");
  const auto in = parse<Type>(word.substr(0, arrow));
  std::optional<Type> acc;
  if (in && arrow == std::string_view::npos) acc = same_accumulator(*in);
  if (arrow != std::string_view::npos) acc = parse<Type>(word.substr(arrow + 2));
  const auto& known = kernels::type_pairs();
  if (in && acc && std::ranges::count(known, TypePair{*in, *acc}) != 0) {
    return {*in, *acc};
  }
  std::vector<std::string> texts;
  for (const TypePair& pair : known) texts.push_back(pair_text(pair));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  throw ListError("--types: " + unknown_word("types", word, views));
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view word : split(text)) {
    const auto n = size_of_text(word);
    if (!n || *n == 0 || *n > most_elements) {
      throw ListError(fmt::format(
          "--n: `{}` is not a size; write numbers from 1 to 2^31 - 1 with commas between "
          "them, as in --n 2^10,2^20,100000000",
          word));
    }
    sizes.push_back(*n);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<TypePair> parse_types(std::string_view text) {
  std::vector<TypePair> pairs;
  for (const std::string_view word : split(text)) {
    const TypePair pair = parse_pair(word);
    if (std::ranges::count(pairs, pair) == 0) pairs.push_back(pair);
  }
  return pairs;
}

std::string size_text(std::uint64_t n) {
  if (n >= 1024 && std::has_single_bit(n)) return fmt::format("2^{}", std::bit_width(n) - 1);
  std::uint64_t rest = n;
  int zeros = 0;
  for (; rest != 0 && rest % 10 == 0; rest /= 10) ++zeros;
  return rest == 1 && zeros >= 4 ? fmt::format("10^{}", zeros) : std::to_string(n);
}

std::string pair_text(TypePair types) {
  return types.in == types.acc ? std::string(name(types.in))
                               : fmt::format("{}->{}", name(types.in), name(types.acc));
}

}  // namespace gauntlet::timing
