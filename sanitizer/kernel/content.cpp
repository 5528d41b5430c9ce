// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/content.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>

#include "base/numbers.hpp"
#include "base/scalar.hpp"
#include "base/usage_error.hpp"
#include "properties/oracle/element.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::sanitize {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

/// Range of an integer type, as 128-bit numbers so that one comparison serves all of them.
__int128 least(Type type) {
  return is_signed(type) ? -(static_cast<__int128>(1) << (8 * size_of(type) - 1)) : 0;
}
__int128 most(Type type) {
  const auto bits = 8 * size_of(type) - (is_signed(type) ? 1 : 0);
  return (static_cast<__int128>(1) << bits) - 1;
}

/// False for anything but one whole number of the given range.
bool integer(std::string_view text, __int128 from, __int128 to, std::uint64_t& value) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const auto magnitude =
      parse_number<std::uint64_t>(text, 0, greatest_number<std::uint64_t>, hex ? 16 : 10);
  if (!magnitude) return false;
  const __int128 x = negative ? -static_cast<__int128>(*magnitude) : *magnitude;
  value = negative ? 0 - *magnitude : *magnitude;
  return from <= x && x <= to;
}

template <class T>
bool real(std::string_view text, T& value) {
  const auto read = parse_number<T>(text);
  if (read) value = *read;
  return read.has_value();
}

std::uint64_t random_word(std::uint64_t seed, std::uint64_t i) {
  return mix64(mix64(seed + 0x632be59bd9b4e019ULL) + (i + 1) * 0x9e3779b97f4a7c15ULL);
}

std::string unknown_content(std::string_view text, Type type, std::string_view where) {
  return fmt::format(
      "{}: content `{}` is no {} number; write a number, a list of numbers, iota, "
      "iota:START:STEP, random:SEED, random:SEED:LOW:HIGH or FILE.npy",
      where, text, name(type));
}

}  // namespace

std::uint64_t parse_scalar(std::string_view text, Type type, std::string_view where) {
  if (!is_float(type)) {
    std::uint64_t value = 0;
    if (integer(text, least(type), most(type), value)) return truncate(type, value);
    throw UsageError(
        fmt::format("{}: `{}` is not a whole number from {} to {}", where, text,
                    format_bits(type, truncate(type, static_cast<std::uint64_t>(least(type)))),
                    format_bits(type, static_cast<std::uint64_t>(most(type)))));
  }
  double value = 0;
  float single = 0;
  if (type == Type::f32 && real(text, single)) return std::bit_cast<std::uint32_t>(single);
  if (type != Type::f32 && real(text, value)) return float_bits(type, value);
  throw UsageError(fmt::format("{}: `{}` is not a number of type {}", where, text, name(type)));
}

Content parse_content(std::string_view text, Type type, std::string_view where) {
  Content content;
  const auto bound = [&](std::string_view word, std::uint64_t& bits, double& value, bool step) {
    if (is_float(type)) {
      if (!real(word, value)) throw UsageError(unknown_content(text, type, where));
    } else if (step) {
      // A step may be negative for unsigned types too: the elements wrap.
      if (!integer(word, -most(Type::u64), most(Type::u64), bits)) {
        throw UsageError(unknown_content(text, type, where));
      }
    } else {
      bits = extend(parse_scalar(word, type, where), size_of(type), is_signed(type));
    }
  };
  const auto parts = split(text, ':');
  if (parts[0] == "iota" && (parts.size() == 1 || parts.size() == 3)) {
    content.kind = Content::Kind::iota;
    content.step = 1;
    content.real_step = 1;
    if (parts.size() == 3) {
      bound(parts[1], content.first, content.real_first, false);
      bound(parts[2], content.step, content.real_step, true);
    }
    return content;
  }
  if (parts[0] == "random" && (parts.size() == 2 || parts.size() == 4)) {
    content.kind = Content::Kind::random;
    content.seed = parse_scalar(parts[1], Type::u64, fmt::format("{}: SEED", where));
    content.whole_range = parts.size() == 2;
    content.real_first = -1;
    content.real_step = 1;
    if (parts.size() == 4) {
      bound(parts[2], content.first, content.real_first, false);
      bound(parts[3], content.step, content.real_step, false);
      const bool ordered = is_float(type)    ? content.real_first < content.real_step
                           : is_signed(type) ? static_cast<std::int64_t>(content.first) <=
                                                   static_cast<std::int64_t>(content.step)
                                             : content.first <= content.step;
      if (!ordered) {
        throw UsageError(fmt::format("{}: `{}`: LOW must be below HIGH", where, text));
      }
    }
    return content;
  }
  if (text.ends_with(".npy")) {
    content.kind = Content::Kind::file;
    content.path = text;
    content.count = npy_count(content.path, type);
    return content;
  }
  for (const auto word : split(text, ',')) {
    if (!word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0) &&
        word != "inf" && word != "nan" && word != "infinity") {
      throw UsageError(unknown_content(text, type, where));
    }
    content.values.push_back(parse_scalar(word, type, where));
  }
  return content;
}

void Content::load(Type type) {
  if (kind == Kind::file) bytes = read_npy(path, type, count);
}

std::optional<std::uint64_t> Content::length() const {
  if (kind == Kind::file) return count;
  if (kind == Kind::values && values.size() > 1) return values.size();
  return std::nullopt;
}

std::uint64_t Content::element(Type type, std::uint64_t i) const {
  switch (kind) {
    case Kind::values:
      return values[values.size() == 1 ? 0 : i];
    case Kind::iota:
      return is_float(type) ? float_bits(type, real_first + static_cast<double>(i) * real_step)
                            : truncate(type, first + i * step);
    case Kind::random: {
      const std::uint64_t word = random_word(seed, i);
      if (is_float(type)) {
        const double unit = static_cast<double>(word >> 11) * 0x1p-53;
        const std::uint64_t bits = float_bits(type, real_first + unit * (real_step - real_first));
        // Rounding must not reach the bound that is excluded.
        return float_value(type, bits) < real_step ? bits : float_bits(type, real_first);
      }
      const std::uint64_t span = step - first + 1;  // 0: all 2^64
      return truncate(type, whole_range || span == 0 ? word : first + word % span);
    }
    case Kind::file:
      return load_bits(type, bytes.data() + i * size_of(type));
  }
  return 0;
}

std::vector<std::byte> Content::make(Type type, std::uint64_t count) const {
  if (kind == Kind::file) return bytes;
  const auto size = size_of(type);
  std::vector<std::byte> made(count * size);
  for (std::uint64_t i = 0; i < count; ++i)
    store_bits(type, made.data() + i * size, element(type, i));
  return made;
}

}  // namespace gauntlet::sanitize
