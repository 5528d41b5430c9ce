// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of a kernel, wherever it runs. It names its arrays by number: whoever launches knows
// their addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "base/types.hpp"

namespace gauntlet {

/// Where bytes hold the address of an element of an array of the run, or of a variable.
struct Pointer {
  std::uint64_t at = 0;           ///< from the begin of the bytes
  std::uint32_t array = 0;        ///< its number among those of the run
  std::string symbol = {};        ///< not empty: the variable, in place of an array
  std::uint64_t byte_offset = 0;  ///< of the element
  bool operator==(const Pointer&) const = default;
};

/// One kernel argument: the address of an array of the run, or of a __device__ variable of the
/// module, or a value.
struct Arg {
  enum class Kind : std::uint8_t { array, value, symbol } kind = Kind::value;
  std::uint32_t array = 0;             ///< array: its number among those of the run
  std::string symbol;                  ///< symbol: the variable
  std::uint64_t byte_offset = 0;       ///< added to the address of an array or variable
  std::vector<std::byte> bytes;        ///< value: its bytes as the kernel's parameter holds them
  std::vector<Pointer> pointers = {};  ///< value: written over its bytes

  [[nodiscard]] static Arg of_array(std::uint32_t number, std::uint64_t byte_offset = 0) {
    return {Kind::array, number, {}, byte_offset, {}};
  }
  [[nodiscard]] static Arg of_symbol(std::string name) {
    return {Kind::symbol, 0, std::move(name), 0, {}};
  }
  template <class T>
  [[nodiscard]] static Arg of_value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Arg arg;
    arg.bytes.resize(sizeof value);
    std::memcpy(arg.bytes.data(), &value, sizeof value);
    return arg;
  }
  bool operator==(const Arg&) const = default;
};
constexpr auto names(const Arg::Kind*) { return names_of("array", "value", "symbol"); }
GAUNTLET_FIELDS(Arg, kind, array, symbol, byte_offset, bytes)

struct Launch {
  std::string module;  ///< kernel file without extension
  std::string entry;   ///< PTX entry name
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory
  bool cooperative = false;        ///< all blocks resident; grid barriers may be used
  /// Programmatic dependent launch: it may begin once all blocks of the launch before it have ended
  /// or executed griddepcontrol.launch_dependents. Only griddepcontrol.wait orders what it does
  /// behind that launch (PTX ISA 9.0, 9.7.13.13;
  /// cudaLaunchAttributeProgrammaticStreamSerialization).
  bool programmatic = false;
  std::vector<Arg> args = {};  ///< in the kernel's order
};
GAUNTLET_FIELDS(Launch, module, entry, grid, block, shared_bytes, cooperative, programmatic, args)

}  // namespace gauntlet
