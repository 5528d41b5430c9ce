// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How a texture's elements are weighed. Nothing of it is documented: it is what an H200 gave for
// 527 textures, at 990,000 places, but for 27 of 48,000 in three dimensions whose elements differ
// by many powers of two.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"
#include "machine/state/texture.hpp"

namespace gauntlet::simt {
namespace {

std::int64_t natural_of(const Texture& t, std::uint32_t raw) {
  return raw & ((1U << (8 * t.channel_bytes)) - 1);
}
std::int64_t integer_of(const Texture& t, std::uint32_t raw) {
  return static_cast<std::int32_t>(raw << (32 - 8 * t.channel_bytes)) >> (32 - 8 * t.channel_bytes);
}

/// To `digits` binary ones, or to multiples of 2^`lowest`; halves away from zero.
double rounded_away(double x, int digits, int lowest) {
  if (x == 0) return x;
  const double unit = std::ldexp(1, std::max(std::ilogb(x) + 1 - digits, lowest));
  return std::copysign(std::floor(std::fabs(x) / unit + 0.5) * unit, x);
}

/// Of f32 subnormal numbers are zeros.
float flushed(const Texture& t, double x) {
  const bool subnormal = t.channel_bytes == 4 && std::fabs(x) < 0x1p-126;
  return static_cast<float>(subnormal ? std::copysign(0, x) : x);
}

/// Each plane is a fixed-point sum of its own, which the greatest of its elements aligns.
std::uint32_t sum_of_floats(const Texture& t, const Texels& elements,
                            std::span<const std::uint32_t> raw) {
  const int digits = t.channel_bytes == 4 ? 24 : 11, lowest = t.channel_bytes == 4 ? -149 : -24;
  std::array<double, 8> value{};
  std::array<double, 2> greatest{}, unit{}, sum{};
  double special = -0.0;  // right of infinities, and of zeros alone
  for (unsigned n = 0; n < elements.count; ++n) {
    value[n] = flushed(t, std::bit_cast<float>(channel_value(t, raw[n])));
    special += std::isfinite(value[n]) ? std::copysign(0, value[n]) : value[n];
    double& most = greatest[elements.one[n].of_second_plane];
    if (elements.one[n].weight != 0) most = std::max(most, std::fabs(value[n]));
  }
  const double most = std::max(greatest[0], greatest[1]);
  if (std::isnan(special)) return t.channel_bytes == 4 ? 0x7FFFFFFF : 0x7FFFE000;
  if (most == 0 || std::isinf(special)) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(special));
  }
  for (const unsigned k : {0U, 1U}) {
    unit[k] = std::ldexp(1, std::ilogb(greatest[k] == 0 ? most : greatest[k]) + 1 - digits - 4);
  }
  for (unsigned n = 0; n < elements.count; ++n) {
    const unsigned k = elements.one[n].of_second_plane ? 1 : 0;
    sum[k] += elements.one[n].weight * std::trunc(value[n] / unit[k]);
  }
  const double common = std::max(unit[0], unit[1]) / 2;
  const double total =
      std::floor(sum[0] * unit[0] / common) + std::floor(sum[1] * unit[1] / common);
  return std::bit_cast<std::uint32_t>(
      flushed(t, rounded_away(total * common / 256, digits, lowest)));
}

}  // namespace

std::uint32_t filtered_value(const Texture& t, const Texels& elements,
                             std::span<const std::uint32_t> raw) {
  const auto float_bits_of = [](double x) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  };
  if (t.number == Texture::Number::floating) return sum_of_floats(t, elements, raw);
  const bool natural = t.number == Texture::Number::natural;
  std::int64_t sum = 0;
  for (unsigned n = 0; n < elements.count; ++n) {
    sum += elements.one[n].weight * (natural ? natural_of(t, raw[n]) : integer_of(t, raw[n]));
  }
  // 255 becomes 65535, and 127 becomes 32767.
  if (natural) {
    return float_bits_of(static_cast<double>((sum * (t.channel_bytes == 1 ? 257 : 1) + 128) >> 8) /
                         65535);
  }
  const std::int64_t wide =
      t.channel_bytes == 1 ? sum + ((sum + ((sum >> 12) << 4) + 64) >> 7) : (sum + 128) >> 8;
  return float_bits_of(static_cast<double>(std::max<std::int64_t>(wide, -32767)) / 32767);
}

std::uint32_t border_of(const Texture& t, unsigned channel) {
  const float colour = t.border[channel];
  // As f16, by which colours of 8 bits go too, it loses what does not fit.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(colour);
  const double cut = std::bit_cast<float>(bits & ~0x1FFFU);
  if (t.number == Texture::Number::floating) {
    return t.channel_bytes == 4 ? bits : f16_from_double(cut);
  }
  if (!t.as_fractions) return 0;
  const bool natural = t.number == Texture::Number::natural;
  const float largest =
      std::ldexp(1.F, static_cast<int>(8 * t.channel_bytes) - (natural ? 0 : 1)) - 1;
  const float inside =
      std::clamp(natural && t.channel_bytes == 1 ? static_cast<float>(cut) : colour,
                 natural ? 0.F : -1.F, 1.F);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::ceil(inside * largest - 0.5F)));
}

}  // namespace gauntlet::simt
