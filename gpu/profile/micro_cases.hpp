// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernels' cases in which counters are compared with a GPU's, each of one launch: bank
// patterns (gpu/profile/kernels/banks.cu) and coalescing patterns
// (gpu/profile/kernels/coalescing.cu).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"
#include "gpu/profile/runner.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::profile {

struct MicroCase {
  std::string name;  ///< "banks:load_b64 stride=2", unique
  Call call;
};

/// Which lanes access which elements of shared memory.
struct BankPattern {
  std::string name;                  ///< "stride=2"
  std::vector<std::uint32_t> index;  ///< 32, in elements of the access
  std::uint32_t mask = 0xFFFF'FFFF;  ///< lanes that take part
};
/// Lane l accesses element l * stride.
[[nodiscard]] BankPattern bank_stride(std::uint32_t stride, std::uint32_t mask = 0xFFFF'FFFF);

/// Bytes of an access by an entry: "load_b32", "atomic_add_u64".
[[nodiscard]] std::uint32_t access_bytes(std::string_view entry);

/// A call of banks.cu's entry ("load_b32", "store_b64", "atomic_add_u32") with this pattern.
[[nodiscard]] Call bank_call(const std::string& entry, const BankPattern& pattern);

/// Thread i accesses element offset + i / alike * stride.
struct CoalescingPattern {
  std::uint32_t threads = 192, block = 32;
  std::uint32_t offset = 0, alike = 1, stride = 1;
};
/// A call of coalescing.cu's entry ("load_b32", "reduce_f32") with this pattern.
[[nodiscard]] Call coalescing_call(const std::string& entry, const CoalescingPattern& pattern);

/// All of them, in a fixed order.
[[nodiscard]] std::vector<MicroCase> micro_cases();

// The catalogue's cases in which counters are compared with a GPU's.

/// Every variant's fixed form in its first documented types: whole blocks and a partial one, and
/// blocks that are not whole warps where the form takes them. Grid filled in. No case in which
/// blocks wait for each other.
[[nodiscard]] std::vector<Case> form_cases();

/// C's naive kernel, the one without divergence, and the one with int4 stores: 10^8 ints, blocks of
/// 8, 32 and 256. Grid filled in; one launch each. ci/gpu-issue records what a profiler calls bank
/// conflicts in them.
[[nodiscard]] std::vector<Case> issue_cases();

/// Gives, of each micro-kernel's case and each of form_cases(), {"case": its name, "launches": the
/// SIMT machine's counters of each}.
void count_cases(const std::function<void(const Json& line)>& take);

}  // namespace gauntlet::profile
