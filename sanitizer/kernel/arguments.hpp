// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel arguments on the command line of `gauntlet sanitize` (docs/sanitize.md):
//
//   NAME:TYPE=VALUE                    passed by value
//   NAME:TYPExCOUNT=VALUE,VALUE,...    a struct of COUNT equal members, such as float4
//   NAME:{TYPE=VALUE,ptr=@ARRAY,...}   any struct, laid out as C++ does
//   NAME:ptr=@ARRAY+ELEMENTS           a pointer into the array of that name; 0: null
//   NAME:ptr[]=@ARRAY,@ARRAY,...       an array of pointers
//   NAME:TYPE[N]                       an array that nobody has written
//   NAME:TYPE[N],OPTION,...=CONTENT    with options and content
//   NAME:TYPE[]=CONTENT                as many elements as the list or file has
//   NAME:TYPE[n]=CONTENT               as many as the value of the argument n
//
// Options: offset:BYTES, pad:ELEMENTS, pad:ELEMENTS:VALUE, const, scratch. More values than the
// type has are alternatives: n:i32=1,33 is an argument of two launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "base/types.hpp"
#include "sanitizer/kernel/content.hpp"

namespace gauntlet::sanitize {

enum class Role : std::uint8_t {
  parameter,
  memory,   ///< an array that pointers alone lead to
  variable  ///< a __device__ or __constant__ variable
};
constexpr auto names(const Role*) { return names_of("parameter", "memory", "variable"); }

/// A pointer within an argument's bytes: the address of an element of another argument's array.
struct Pointer {
  std::uint64_t at = 0;  ///< bytes from the argument's begin
  std::string array;
  std::uint64_t element = 0;
  std::size_t argument = 0;  ///< index of `array`, once link_pointers was called
};

struct Argument {
  std::string text;  ///< as given, of alternatives the one that this is
  std::string name;
  Role role = Role::parameter;
  Type type = Type::i32;
  bool array = false;
  bool structure = false;   ///< members of several types: `type` is that of its bytes
  std::uint64_t count = 1;  ///< elements, without padding
  std::string sized_by;     ///< an array: the argument whose value `count` is; may be empty
  std::optional<Content> content;
  std::vector<Pointer> pointers;  ///< written over the content
  std::uint64_t offset = 0;       ///< bytes that the pointer lies past a 256-byte boundary
  std::uint64_t pad = 0;          ///< mapped elements behind the last one
  std::optional<std::uint64_t> pad_bits;
  bool read_only = false;  ///< const: a store is a finding
  bool scratch = false;    ///< may hold values that nobody defined
  std::string symbol;      ///< of a variable, in the PTX

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
  using T = Argument;
  return std::tuple{GAUNTLET_MEMBERS(T, name, type, array, count, read_only),
                    field("given", &T::text)};
}

/// One argument, each of its values. Throws UsageError, in one line that begins with `where`.
[[nodiscard]] std::vector<Argument> parse_alternatives(std::string_view text, std::string where);
/// The same where only one value is wanted.
[[nodiscard]] Argument parse_argument(std::string_view text);

/// All of them, in order, one value each. Throws UsageError where two have one name.
[[nodiscard]] std::vector<Argument> parse_arguments(const std::vector<std::string>& texts);

/// Throws UsageError where two arguments have one name.
void require_own_names(const std::vector<Argument>& arguments);

/// Gives arrays that are sized by another argument their number of elements. Throws UsageError
/// where that argument is no whole number, or the content has another length.
void resolve_sizes(std::vector<Argument>& arguments);

/// Finds the array of every pointer. Throws UsageError where there is none of that name or it ends
/// before the element.
void link_pointers(std::vector<Argument>& arguments);

/// "--arg in:f32[4]", as messages and replayed command lines name it.
[[nodiscard]] std::string_view option_of(const Argument& argument);

/// Index of the array of that name. Throws UsageError, which begins with `where`.
[[nodiscard]] std::size_t find_array(std::string_view where, std::string_view name,
                                     const std::vector<Argument>& arguments);

}  // namespace gauntlet::sanitize
