// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A Finding is one thing that a run did wrong, with the place where it did it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace gauntlet {

enum class FindingKind : std::uint8_t {
  // memory
  out_of_bounds_read,
  out_of_bounds_write,
  use_after_free,
  unallocated,  ///< an address that no allocation ever held
  misaligned,
  write_to_input,
  unwritten_output,
  // values that nobody defined, where they first matter
  poison_output,
  poison_address,
  poison_branch,
  poison_mask,
  uninitialised_read,  ///< of global memory, as a vendor tool words it; the SIMT machine follows
                       ///< the
                       ///< value instead
  // contracts of barriers and warp primitives
  partial_barrier,    ///< a barrier that part of the block never reaches
  not_in_own_mask,    ///< a lane executes a _sync instruction whose mask does not name it
  named_lane_exited,  ///< the mask names a lane that has exited or does not exist
  named_lane_absent,  ///< the mask names a lane that never comes
  divergent_barrier,  ///< a block barrier executed by part of a warp
  deadlock,
  step_limit,
  trap,
  assertion,
  // races (happens-before)
  race_read_write,  ///< a write after an unordered read
  race_write_read,  ///< a read after an unordered write
  race_write_write,
  race_atomic,      ///< atomic against plain access
  race_same_value,  ///< note: unordered writes of one value
  // judged from outside
  wrong_result,
  refused,        ///< the launch contract refused the case (never an error by itself)
  executor_fault  ///< a worker crashed, hung or reported a CUDA error
};

enum class Severity : std::uint8_t { note, warning, error };

/// A thread, and the source line it was at.
struct Party {
  std::string file;
  std::uint32_t line = 0;  ///< 0: unknown
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::string value;  ///< the value read or written, where it says something
  bool operator==(const Party&) const = default;
};

struct Finding {
  FindingKind kind{};
  Severity severity = Severity::error;
  std::string kernel;  ///< entry name
  Party at;
  std::string array;       ///< "in", "out", "s"; empty where no array is involved
  std::int64_t index = 0;  ///< in elements of the access's size, from the array's begin; may be < 0
  std::uint32_t size = 0;  ///< bytes accessed
  std::string detail;      ///< one sentence, no full stop: what happened, where a value came from
  std::optional<Party> other;
  std::uint64_t count = 1;  ///< occurrences folded into this one (same kind, line and array)
  bool operator==(const Finding&) const = default;
};

[[nodiscard]] std::string_view name(FindingKind kind);
[[nodiscard]] std::optional<FindingKind> parse_finding_kind(std::string_view text);
[[nodiscard]] std::string_view name(Severity severity);

/// At most five lines of at most 100 characters: what, kernel and thread, source line, array cell,
/// other party.
[[nodiscard]] std::string to_string(const Finding& finding);

}  // namespace gauntlet
