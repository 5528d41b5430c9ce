// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"

namespace gauntlet::simt {
namespace {

/// One or two neighbours along an axis. A weight is a fraction of 8 bits.
struct Along {
  std::array<std::int64_t, 2> index{};
  std::array<bool, 2> inside{true, true};
  std::array<double, 2> weight{1, 0};
};

/// std::floor of a number of a few digits.
std::int64_t floor_of(double x) {
  const auto near = static_cast<std::int64_t>(x);
  return near - (static_cast<double>(near) > x ? 1 : 0);
}

AddressMode mode_of(const Texture& t, unsigned axis) {
  const AddressMode mode = t.mode[axis];
  const bool periodic = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return periodic && !t.normalised ? AddressMode::clamp : mode;
}

/// Into 0 to 1, or left as it is.
double folded(double x, AddressMode mode) {
  const double below = std::floor(x);
  if (mode == AddressMode::wrap) return x - below;
  if (mode == AddressMode::mirror) {
    return std::fmod(below, 2) == 0 ? x - below : 1 - (x - below);
  }
  return x;
}

void resolve(AddressMode mode, std::int64_t size, std::int64_t& index, bool& inside) {
  if (index >= 0 && index < size) return;
  if (mode == AddressMode::border) {
    inside = false;
  } else if (mode == AddressMode::wrap) {
    index = (index % size + size) % size;
  } else {  // the mirror image of the first element is the first one
    index = std::clamp<std::int64_t>(index, 0, size - 1);
  }
}

/// Which plane of a cube map a direction meets, and where (CUDA C++ Programming Guide, cubemap
/// textures). Of components of one size, which the guide leaves open, an H200 takes z before y
/// before x.
std::int64_t plane_met(std::array<double, 3>& x) {
  const std::array<double, 3> size{std::fabs(x[0]), std::fabs(x[1]), std::fabs(x[2])};
  const unsigned axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
  const bool negative = std::signbit(x[axis]);
  const double sign = negative ? -1 : 1;
  const double s = axis == 0 ? -sign * x[2] : axis == 1 ? x[0] : sign * x[0];
  const double t = axis == 1 ? sign * x[2] : -x[1];
  x = {(s / size[axis] + 1) / 2, (t / size[axis] + 1) / 2, 0};
  return 2 * axis + (negative ? 1 : 0);
}

Along along(const Texture& t, unsigned axis, double x, bool whole, bool two) {
  const std::int64_t size = t.size[axis];
  const AddressMode mode = whole && t.linear_memory ? AddressMode::border : mode_of(t, axis);
  if (std::isnan(x)) x = 0;
  if (!whole && t.normalised) x = folded(x, mode) * static_cast<double>(size);
  x = std::clamp(x, -0x1p40, 0x1p40);
  Along found;
  if (!two) {
    found.index[0] = floor_of(x);
    resolve(mode, size, found.index[0], found.inside[0]);
    return found;
  }
  const std::int64_t parts = floor_of((x - 0.5) * 256 + 0.5), first = parts >> 8;
  found.index = {first, first + 1};
  found.weight[1] = static_cast<double>(parts & 0xFF) / 256;
  found.weight[0] = 1 - found.weight[1];
  for (const unsigned k : {0U, 1U}) resolve(mode, size, found.index[k], found.inside[k]);
  return found;
}

}  // namespace

Texels texels_at(const Texture& t, const std::array<double, 3>& coordinates, std::uint32_t layer,
                 bool whole, bool gathered) {
  std::array<double, 3> x = coordinates;
  const bool two = gathered || (t.filtered && !whole);
  std::int64_t plane = t.layers == 0 ? 0 : std::min(layer, t.layers - 1);
  if (t.cube) plane = 6 * plane + plane_met(x);
  std::array<Along, 3> axis;
  for (unsigned d = 0; d < t.dimensions; ++d) axis[d] = along(t, d, x[d], whole, two);
  Texels all;
  const auto add = [&](unsigned i, unsigned j, unsigned k, double weight) {
    Texels::One& one = all.one[all.count++];
    one.inside = axis[0].inside[i] && axis[1].inside[j] && axis[2].inside[k];
    one.at = t.at(axis[0].index[i], axis[1].index[j], axis[2].index[k] + plane);
    one.weight = weight;
  };
  if (gathered) {
    add(0, 1, 0, 1);
    add(1, 1, 0, 1);
    add(1, 0, 0, 1);
    add(0, 0, 0, 1);
    return all;
  }
  const auto most = [&](unsigned d) { return two && d < t.dimensions ? 2U : 1U; };
  for (unsigned k = 0; k < most(2); ++k) {
    for (unsigned j = 0; j < most(1); ++j) {
      for (unsigned i = 0; i < most(0); ++i) {
        const double weight = axis[0].weight[i] * axis[1].weight[j] * axis[2].weight[k];
        if (weight != 0) add(i, j, k, weight);
      }
    }
  }
  return all;
}

bool gives_floats(const Texture& t) {
  return t.number == Texture::Number::floating || t.as_fractions;
}

std::uint32_t channel_value(const Texture& t, std::uint32_t raw) {
  const unsigned bits = 8 * t.channel_bytes;
  const auto natural = bits == 32 ? raw : raw & ((1U << bits) - 1);
  const auto integer = static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits);
  switch (t.number) {
    case Texture::Number::floating:
      return bits == 32 ? raw
                        : std::bit_cast<std::uint32_t>(
                              static_cast<float>(f16_to_double(static_cast<std::uint16_t>(raw))));
    case Texture::Number::natural:
      if (!t.as_fractions) return natural;
      return std::bit_cast<std::uint32_t>(static_cast<float>(
          static_cast<double>(natural) / static_cast<double>((std::uint64_t{1} << bits) - 1)));
    case Texture::Number::integer:
      break;
  }
  if (!t.as_fractions) return static_cast<std::uint32_t>(integer);
  const double largest = static_cast<double>((std::uint64_t{1} << (bits - 1)) - 1);
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::max(integer / largest, -1.0)));
}

}  // namespace gauntlet::simt
