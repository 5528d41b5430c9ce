// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"

namespace gauntlet::simt {
namespace {

/// One or two neighbours along an axis. Linear filtering takes `second` parts of 256 of the second.
struct Along {
  std::array<std::int64_t, 2> index{};
  std::array<bool, 2> inside{true, true};
  unsigned second = 0;
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

/// A coordinate in elements; of a mirrored period from the right.
struct Place {
  double x;
  bool mirrored = false;
};

/// Of a normalised coordinate an H200 keeps 21 bits behind the point, of more than 2^13 elements
/// 22, of more than 2^15 23.
Place place_of(double x, AddressMode mode, std::uint32_t size) {
  const auto bits = static_cast<int>(std::bit_width(size - 1));
  const double kept = std::ldexp(1, 21 + std::max(0, bits - 12) / 2);
  double units = std::floor(x * kept);
  const double period = std::floor(units / kept);
  if (mode == AddressMode::wrap || mode == AddressMode::mirror) units -= period * kept;
  return {units / kept * size, mode == AddressMode::mirror && std::fmod(period, 2) != 0};
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
  x = std::isnan(x) ? 0 : std::clamp(x, -0x1p40, 0x1p40);
  const Place place = t.normalised && !whole ? place_of(x, mode, t.size[axis]) : Place{x};
  Along found;
  if (two) {
    const std::int64_t parts = floor_of((place.x - 0.5) * 256 + 0.5);
    found.index = {parts >> 8, (parts >> 8) + 1};
    found.second = static_cast<unsigned>(parts & 0xFF);
  } else {
    found.index[0] = floor_of(place.x);
  }
  for (const unsigned k : {0U, 1U}) {
    if (place.mirrored) found.index[k] = size - 1 - found.index[k];
    resolve(mode, size, found.index[k], found.inside[k]);
  }
  if (mode == AddressMode::clamp && found.index[0] == found.index[1]) found.second = 0;
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
  // Of one dimension an H200 filters between two rows; the one above is the border's, if the second
  // axis has one.
  if (t.dimensions == 1 && two && mode_of(t, 1) == AddressMode::border) {
    axis[1] = along(t, 1, 0, whole, two);
  }
  Texels all;
  const auto add = [&](unsigned i, unsigned j, unsigned k, unsigned weight) {
    Texels::One& one = all.one[all.count++];
    one.inside = axis[0].inside[i] && axis[1].inside[j] && axis[2].inside[k];
    one.at = t.at(axis[0].index[i], axis[1].index[j], axis[2].index[k] + plane);
    one.weight = weight;
    one.of_second_plane = k == 1;
  };
  if (gathered) {
    add(0, 1, 0, 1);
    add(1, 1, 0, 1);
    add(1, 0, 0, 1);
    add(0, 0, 0, 1);
    return all;
  }
  // 256 parts are divided among the planes, those of each plane along x, and these along y. An
  // element whose part is rounded to none is read all the same.
  const auto part = [&](unsigned d, unsigned k) {
    return k == 1 ? axis[d].second : 256 - axis[d].second;
  };
  for (const unsigned k : {0U, 1U}) {
    const unsigned right = (part(2, k) * axis[0].second + 128) >> 8;
    const std::array of_column{part(2, k) - right, right};
    const std::array below{(of_column[0] * axis[1].second + 127) >> 8,
                           (of_column[1] * axis[1].second + 128) >> 8};
    for (const unsigned j : {0U, 1U}) {
      for (const unsigned i : {0U, 1U}) {
        if (part(0, i) * part(1, j) * part(2, k) == 0) continue;
        add(i, j, k, j == 1 ? below[i] : of_column[i] - below[i]);
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
