// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The named repairs. A kernel template takes a set of them, so that "documented" (none), "fixed"
// (all) and "fixed-NAME" (all but one) are one piece of source compiled several times.
#pragma once

#include <type_traits>

namespace gauntlet::device {

namespace fix {
inline constexpr unsigned none = 0;
inline constexpr unsigned bounds_check = 1u << 0;
inline constexpr unsigned power_of_two_block = 1u << 1;
inline constexpr unsigned volatile_shared = 1u << 2;
inline constexpr unsigned syncwarp = 1u << 3;
inline constexpr unsigned small_block = 1u << 4;
inline constexpr unsigned partial_warp = 1u << 5;
inline constexpr unsigned init_shared = 1u << 6;
inline constexpr unsigned shared_size = 1u << 7;
inline constexpr unsigned block_stride = 1u << 8;
inline constexpr unsigned active_range = 1u << 9;
inline constexpr unsigned vector_tail = 1u << 10;
inline constexpr unsigned alignment = 1u << 11;
inline constexpr unsigned index_width = 1u << 12;
inline constexpr unsigned read_write_split = 1u << 13;
inline constexpr unsigned first_offset = 1u << 14;
inline constexpr unsigned release_order = 1u << 15;
inline constexpr unsigned acquire_order = 1u << 16;
inline constexpr unsigned block_barrier = 1u << 17;
inline constexpr unsigned ticket_reset = 1u << 18;
inline constexpr unsigned early_exit = 1u << 19;
inline constexpr unsigned identity = 1u << 20;
inline constexpr unsigned one_word = 1u << 21;
inline constexpr unsigned slot_reset = 1u << 22;
inline constexpr unsigned wait = 1u << 23;
inline constexpr unsigned read_wait = 1u << 24;
inline constexpr unsigned write_wait = 1u << 25;
inline constexpr unsigned wait_by_all = 1u << 26;
}  // namespace fix

__host__ __device__ constexpr bool has_fix(unsigned fixes, unsigned wanted) {
  return (fixes & wanted) != 0;
}

/// The type of an index into the input, and of n: 64 bits with the fix, else what the document
/// declares, in which the index wraps once n is large enough.
template <unsigned fixes, class Printed>
using Index = std::conditional_t<has_fix(fixes, fix::index_width), unsigned long long, Printed>;

}  // namespace gauntlet::device
