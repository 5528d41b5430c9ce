// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One buffer of a case in device memory, and what every unit of it must hold before the run. The
// host lays segments out; the support kernels (gpu/executor/support.cu) fill and check them by this
// header.
#pragma once

#include <cstdint>

#include "properties/oracle/element.hpp"

namespace gauntlet::cuda {

/// What the data units of a segment start with.
enum class Content : std::uint8_t { elements, poison, constant, given };

/// A buffer: guard units, data units, then units behind them up to the end of the mapped range.
/// Units are counted from the first datum, so the guard has negative indices.
struct Segment {
  Recipe recipe;                 ///< Content::elements: makes data and what lies behind them
  std::uint64_t begin = 0;       ///< device address of unit 0, a multiple of `unit`
  std::uint64_t units = 0;       ///< data
  std::uint64_t tail_units = 0;  ///< behind the data: allocated; the rest up to `after` is guard
  std::uint64_t after = 0;       ///< mapped units behind the data, tail included
  std::uint32_t before = 0;      ///< guard units in front
  std::uint32_t unit = 1;        ///< bytes: 1, 2, 4 or 8
  Content content = Content::poison;
  bool zero_tail = false;
  bool check_inside = false;   ///< data and tail must be the same after the run
  std::uint64_t constant = 0;  ///< Content::constant: the bits of every data unit
  std::uint64_t key = 0;       ///< of the poison pattern
  std::uint64_t given = 0;     ///< Content::given: device address of the data units' content
};

/// What a check found changed in a segment.
struct Changes {
  std::uint64_t inside = 0, outside = 0;              ///< units of data and tail; of the guard
  std::int64_t first_inside = 0x7fffffffffffffffLL;   ///< smallest index that changed
  std::int64_t first_outside = 0x7fffffffffffffffLL;  ///< likewise, of the guard
};

/// Cells to be brought to the host: their bytes, and for each whether it still holds the poison.
struct Harvest {
  std::uint64_t source = 0;  ///< device address
  std::uint64_t cells = 0;
  std::uint64_t bytes_at = 0, kept_at = 0;  ///< offsets into the harvest
  std::uint64_t key = 0;
  std::uint32_t unit = 1;
  bool poisoned = false;  ///< the cells started with the poison of `key`
};

/// The poison of `unit` bytes at byte offset `at` from the begin of a buffer: different in every
/// place, and telling nothing that a sum would hide.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t poison_bits(std::uint64_t key, std::int64_t at,
                                                              std::uint32_t unit) {
  const auto place = static_cast<std::uint64_t>(at);
  const std::uint64_t word = mix64(key + (place >> 3) * 0x9e3779b97f4a7c15ULL);
  if (unit == 8) return word;
  return (word >> (8 * (place & 7))) & ((std::uint64_t{1} << (8 * unit)) - 1);
}

/// The bits that unit i holds before the run, -before <= i < units + after; not for a data unit of
/// Content::given.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t initial_bits(const Segment& s, std::int64_t i) {
  const std::int64_t units = static_cast<std::int64_t>(s.units);
  if (i >= 0 && i < units && s.content == Content::constant) return s.constant;
  if (i >= 0 && s.content == Content::elements) {
    if (i < units) return element_bits(s.recipe, static_cast<std::uint64_t>(i));
    const auto behind = static_cast<std::uint64_t>(i - units);
    return s.zero_tail && behind < s.tail_units ? 0 : dirty_bits(s.recipe, behind);
  }
  return poison_bits(s.key, i * static_cast<std::int64_t>(s.unit), s.unit);
}

}  // namespace gauntlet::cuda
