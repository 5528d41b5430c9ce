// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an array holds, in the words of `gauntlet sanitize`:
//
//   VALUE                 every element
//   VALUE,VALUE,...       element by element
//   iota                  0, 1, 2, ...
//   iota:START:STEP       START, START + STEP, ...; integers wrap
//   random:SEED           integers from the whole range of the type, floats from [-1, 1)
//   random:SEED:LOW:HIGH  integers from LOW to HIGH, both included; floats from [LOW, HIGH)
//   FILE.npy              npy.hpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace gauntlet::sanitize {

/// The words between the separators; one at least.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);

/// A number as the bits of `type`: decimal or 0x... for integers, with range check; decimal, inf
/// and nan for floats, rounded to nearest. `where` begins the message. Throws UsageError.
[[nodiscard]] std::uint64_t parse_scalar(std::string_view text, Type type, std::string_view where);

struct Content {
  enum class Kind : std::uint8_t { values, iota, random, file } kind = Kind::values;
  std::vector<std::uint64_t> values;     ///< bits
  std::uint64_t seed = 0;                ///< random
  std::uint64_t first = 0, step = 0;     ///< integers: iota's, or random's lowest and highest value
  double real_first = 0, real_step = 0;  ///< the same for floats
  bool whole_range = false;              ///< random integers without bounds
  std::string path;                      ///< file
  std::uint64_t count = 0;               ///< file: its elements
  std::vector<std::byte> bytes;          ///< file, once it was loaded

  /// Reads a file's elements: parse_content only looks at its header, so that memory can be asked
  /// for first. To be called before element and make. Throws UsageError.
  void load(Type type);
  /// How many elements it tells of by itself: a list's or a file's length.
  [[nodiscard]] std::optional<std::uint64_t> length() const;
  /// The bits of element i; a single value is every element.
  [[nodiscard]] std::uint64_t element(Type type, std::uint64_t i) const;
  /// Elements [0, count) in memory order.
  [[nodiscard]] std::vector<std::byte> make(Type type, std::uint64_t count) const;
};

/// Throws UsageError, in one line that begins with `where`.
[[nodiscard]] Content parse_content(std::string_view text, Type type, std::string_view where);

}  // namespace gauntlet::sanitize
