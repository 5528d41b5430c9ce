// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a module by the names that people write, and whether arguments fit one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "base/types.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::sanitize {

/// Why a file may have no kernel: one of PTX, or of templates.
[[nodiscard]] std::string_view why_no_kernel(std::string_view file);

struct KernelParameter {
  std::uint64_t bytes = 0;
  std::string type;  ///< C++ spelling; empty where the name does not tell (extern "C")
};
GAUNTLET_FIELDS(KernelParameter, type, bytes)

struct KernelEntry {
  std::string symbol;  ///< as PTX names it: "_Z4histILi16EEvPKiPii"
  /// Demangled: "hist<16>(int const*, int*, int)"; with compilers' tags only where it would be
  /// another's too.
  std::string signature;
  std::string name;  ///< without parameters: "hist<16>"
  std::vector<KernelParameter> parameters;
  std::uint32_t max_threads = 0;  ///< of a block, as __launch_bounds__ says; 0: it does not
  bool dynamic_shared = false;    ///< it uses an extern __shared__ array
  bool threads_2d = false;        ///< it reads %tid.y, and not %tid.z
  bool meets_grid = false;        ///< it asks where the blocks of a cooperative launch meet
};
constexpr auto fields(const KernelEntry*) {
  using T = KernelEntry;
  return std::tuple{field("kernel", &T::name), GAUNTLET_MEMBERS(T, signature, symbol, parameters)};
}

/// The kernels with a body, in file order.
[[nodiscard]] std::vector<KernelEntry> kernel_entries(const ptx::Module& module);

/// Fills `signature`, `name` and the parameters' types from `symbol` (Itanium C++ ABI names; any
/// other symbol is its own name).
void demangle(KernelEntry& entry);

/// The one that `text` names: its symbol, signature, name, name without namespaces or template
/// arguments, or a part of the signature that no other one has. Blanks do not count. Throws
/// UsageError: the nearest spelling where there is none, all candidates where there are several.
/// `file`: where they come from.
[[nodiscard]] const KernelEntry& choose_entry(const std::vector<KernelEntry>& entries,
                                              std::string_view text, std::string_view file);

/// What is known of a parameter's C++ type: the numbers it is made of.
struct Numbers {
  bool pointer = false, to_const = false;
  bool untyped = false;  ///< void or bytes: anything may be behind the pointer
  bool table = false;    ///< what is behind the pointer are pointers
  std::optional<Type> element;
  unsigned width = 1;  ///< elements of a vector: 4 of float4, 2 of __half2
};
[[nodiscard]] Numbers numbers_of(std::string_view type);

/// What is passed for a parameter.
struct GivenArgument {
  std::string spelling;  ///< "in:f32[1000]", "n:i32"
  std::uint64_t bytes = 0;
  bool array = false;  ///< its address is passed
  /// Of the number, or of the elements that an address leads to; none: of several numbers.
  std::optional<Type> type;
  bool address = array;
};

/// Throws UsageError, in one line, where number, size or kind of the arguments do not fit the
/// parameters.
void fit_arguments(const KernelEntry& entry, const std::vector<GivenArgument>& given);

// One spelling for names that C++ lets people write in several ways.

/// A kernel's name or signature, or a part of one, to be compared: without blanks and suffixes of
/// numbers, const and volatile behind their type, "unsigned" as "unsigned int". So f<256u, int
/// volatile>, as demanglers write it, equals f<256,volatile int>.
[[nodiscard]] std::string comparable_name(std::string_view text);

}  // namespace gauntlet::sanitize
