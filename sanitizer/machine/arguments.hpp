// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel arguments on the command line of `gauntlet sanitize` (docs/sanitize.md):
//
//   NAME:TYPE=VALUE                    passed by value
//   NAME:TYPExCOUNT=VALUE,VALUE,...    a struct of COUNT equal members, such as float4
//   NAME:TYPE[N]                       an array that nobody has written
//   NAME:TYPE[N],OPTION,...=CONTENT    with options and content
//   NAME:TYPE[]=CONTENT                as many elements as the list or file has
//
// Options: offset:BYTES, pad:ELEMENTS, pad:ELEMENTS:VALUE, const, scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "sanitizer/machine/content.hpp"

namespace gauntlet::sanitize {

struct Argument {
  std::string text;  ///< as given
  std::string name;
  Type type = Type::i32;
  bool array = false;
  std::uint64_t count = 1;  ///< elements, without padding
  std::optional<Content> content;
  std::uint64_t offset = 0;  ///< bytes that the pointer lies past a 256-byte boundary
  std::uint64_t pad = 0;     ///< mapped elements behind the last one
  std::optional<std::uint64_t> pad_bits;
  bool read_only = false;  ///< const: a store is a finding
  bool scratch = false;    ///< may hold values that nobody defined

  /// What the kernel's parameter takes: 8 for an array.
  [[nodiscard]] std::size_t parameter_bytes() const {
    return array ? sizeof(std::uint64_t) : count * size_of(type);
  }
  /// What the array takes in device memory.
  [[nodiscard]] std::uint64_t array_bytes() const { return (count + pad) * size_of(type); }
  /// "in:f32[1000]", for messages.
  [[nodiscard]] std::string spelling() const;
};
constexpr auto fields(const Argument*) {
  return std::tuple{field("name", &Argument::name),           field("type", &Argument::type),
                    field("array", &Argument::array),         field("count", &Argument::count),
                    field("read_only", &Argument::read_only), field("given", &Argument::text)};
}

/// Throws UsageError, in one line.
[[nodiscard]] Argument parse_argument(std::string_view text);

/// All of them, in order. Throws UsageError where two have one name.
[[nodiscard]] std::vector<Argument> parse_arguments(const std::vector<std::string>& texts);

/// What an array must hold after a launch: --expect NAME=VALUE[,VALUE...] compares the first
/// elements, NAME=all:VALUE and any other content all of them.
struct ExpectedContent {
  std::size_t argument = 0;  ///< index
  Content content;
  std::uint64_t count = 0;  ///< elements that are compared
};
[[nodiscard]] ExpectedContent parse_expect(std::string_view text,
                                           const std::vector<Argument>& arguments);

/// --dump NAME or NAME=FILE.npy.
struct Dump {
  std::size_t argument = 0;
  std::string path;  ///< empty: as text
};
[[nodiscard]] Dump parse_dump(std::string_view text, const std::vector<Argument>& arguments);

}  // namespace gauntlet::sanitize
