// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which processors code is compiled for. Handlers and what they call are in the inline namespace of
// GAUNTLET_TARGET: `baseline`, what all is compiled for, but in hot_handlers.cpp, product_rows.cpp,
// which are compiled once more for each later processor (machine/CMakeLists.txt).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/code/code.hpp"

#ifndef GAUNTLET_TARGET
#define GAUNTLET_TARGET baseline
#endif

namespace gauntlet::simt {

/// The environment variable that names the target to be used, for comparisons.
inline constexpr const char* target_variable = "GAUNTLET_TARGET";

/// The targets that this processor can run, the fastest one last: "baseline", "x86-64-v3".
[[nodiscard]] std::vector<std::string_view> targets();
/// The one in use: the fastest one, or the one that the environment names. Throws CaseError where
/// that is none.
[[nodiscard]] std::string_view target();

/// The hot handlers of one of `targets()`, in one order for all of them.
[[nodiscard]] std::span<const Handler> handlers_of(std::string_view target);
/// The handler that does the same on the target in use, as fast as it can.
[[nodiscard]] Handler for_target(Handler baseline);

/// Where lanes access a region.
struct Reach {
  bool inside = false;                    ///< all of them: else nothing is said
  std::uint64_t lowest = 0, highest = 0;  ///< from its first byte on
  std::uint64_t bits = 0;                 ///< of any address
  /// Lanes whose element lies behind that of the lane before, or is that of the lane before.
  std::uint32_t behind = 0, again = 0;
};
/// What is asked and done of whole warps beside instructions, on the target in use.
struct WarpCode {
  /// The lanes' addresses are those of elements of `size` bytes side by side.
  bool (*side_by_side32)(const std::uint32_t* address, std::uint32_t size);
  bool (*side_by_side64)(const std::uint64_t* address, std::uint64_t size);
  /// The lanes of `mask` have this address.
  bool (*same32)(const std::uint32_t* address, std::uint32_t mask, std::uint32_t value);
  bool (*same64)(const std::uint64_t* address, std::uint32_t mask, std::uint64_t value);
  /// The lanes whose address lies `step` bytes behind that of the lane before.
  std::uint32_t (*steps64)(const std::uint64_t* address, std::uint64_t step);
  /// Of a region from `base` on, whose last element, of `width` bytes, is `last` bytes behind that.
  Reach (*reach64)(const std::uint64_t* address, std::uint64_t base, std::uint64_t last,
                   std::uint64_t width);
  /// The lanes' addresses, which lie `offset` bytes behind what a register holds.
  void (*addresses32)(std::uint64_t* to, const std::uint32_t* from, std::uint32_t offset);
  void (*addresses64)(std::uint64_t* to, const std::uint64_t* from, std::uint64_t offset);
  /// The lanes of `mask` get the value.
  void (*fill32)(std::uint32_t* lanes, std::uint32_t mask, std::uint32_t value);
  void (*fill64)(std::uint64_t* lanes, std::uint32_t mask, std::uint64_t value);
};
[[nodiscard]] const WarpCode& warp_code();

/// The instructions that kernels are mostly made of.
inline namespace GAUNTLET_TARGET {
[[nodiscard]] std::span<const Handler> hot_handlers();
[[nodiscard]] const WarpCode& hot_warp_code();
}  // namespace GAUNTLET_TARGET

}  // namespace gauntlet::simt
