// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run can do wrong: one row per kind, and all that the program knows of a kind as such. A
// new kind is a row here and the place that raises it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/names.hpp"

namespace gauntlet {

/// What a kind says of a kernel: the property of a single run that it breaks.
enum class FindingClass : std::uint8_t {
  in_bounds,
  input_unchanged,
  defined_values,
  output_written,
  contracts,
  terminates,
  race_free,
  host_calls,
  matches_reference
};
constexpr auto names(const FindingClass*) {
  return names_of("in_bounds", "input_unchanged", "defined_values", "output_written", "contracts",
                  "terminates", "race_free", "host_calls", "matches_reference");
}

enum class Effect : std::uint8_t {
  none,   ///< the launch goes on
  fatal,  ///< CUDA itself would stop the launch
  race,   ///< two accesses without an order, which may change the result; the launch goes on
};

// clang-format off
//  kind                 class              effect  what happened
#define GAUNTLET_FINDING_KINDS(ROW) \
  ROW(out_of_bounds_read,  in_bounds,         fatal, "a read outside the array") \
  ROW(out_of_bounds_write, in_bounds,         fatal, "a write outside the array") \
  ROW(use_after_free,      in_bounds,         fatal, "an access to memory that was freed") \
  ROW(unallocated,         in_bounds,         fatal, "an address that no allocation ever held") \
  ROW(misaligned,          in_bounds,         fatal, "an address that is no multiple of the access's size") \
  ROW(write_to_input,      input_unchanged,   none,  "a write to the input") \
  ROW(unwritten_output,    output_written,    none,  "an output cell that nobody wrote") \
  /* values that nobody defined, where they first matter */ \
  ROW(poison_output,       defined_values,    none,  "an undefined value in an output cell") \
  ROW(poison_address,      defined_values,    none,  "an undefined value in an address") \
  ROW(poison_branch,       defined_values,    none,  "an undefined value decides a branch") \
  ROW(poison_mask,         defined_values,    none,  "an undefined value in a mask or a barrier's operand") \
  ROW(uninitialised_read,  defined_values,    none,  "a read of global memory that nobody wrote, as a vendor tool words it") \
  /* contracts of barriers and warp primitives */ \
  ROW(partial_barrier,     contracts,         none,  "a barrier that part of the block never reaches") \
  ROW(not_in_own_mask,     contracts,         none,  "a lane executes a _sync instruction whose mask does not name it") \
  ROW(named_lane_exited,   contracts,         none,  "the mask names a lane that has exited or does not exist") \
  ROW(named_lane_absent,   contracts,         fatal, "the mask names a lane that never comes") \
  ROW(divergent_barrier,   contracts,         none,  "a block barrier executed by part of a warp") \
  ROW(illegal_instruction, contracts,         fatal, "operands with which a GPU stops as at an illegal instruction") \
  ROW(deadlock,            terminates,        fatal, "threads wait for what cannot come any more") \
  ROW(step_limit,          terminates,        fatal, "more instructions than a launch may take") \
  ROW(trap,                terminates,        fatal, "the kernel executes a trap") \
  ROW(assertion,           terminates,        fatal, "an assertion of the kernel fails") \
  /* accesses that happens-before does not order */ \
  ROW(race_read_write,     race_free,         race,  "a write after an unordered read") \
  ROW(race_write_read,     race_free,         race,  "a read after an unordered write") \
  ROW(race_write_write,    race_free,         race,  "a write after an unordered write") \
  ROW(race_atomic,         race_free,         race,  "an atomic and a plain access, unordered") \
  ROW(race_read_only,      race_free,         race,  "a read-only load (ld.global.nc) of what the launch writes") \
  ROW(race_same_value,     race_free,         none,  "unordered writes of one value: a note") \
  /* of host code: what a function of the host that is tested does (docs/own_kernels.md) */ \
  ROW(host_call,           host_calls,        none,  "a copy, a fill, a free or an error of host code that is wrong") \
  ROW(host_race,           host_calls,        none,  "two operations of streams, or one and the host, that nothing orders") \
  ROW(leak,                host_calls,        none,  "memory that is not freed") \
  /* judged from outside */ \
  ROW(wrong_result,        matches_reference, none,  "a result that is not the reference") \
  ROW(refused,             terminates,        none,  "the launch contract refused the case, which is no error by itself") \
  ROW(executor_fault,      terminates,        none,  "a worker crashed, hung or reported a CUDA error")
// clang-format on

enum class FindingKind : std::uint8_t {
#define GAUNTLET_KIND(kind, of_class, effect, what) kind,
  GAUNTLET_FINDING_KINDS(GAUNTLET_KIND)
#undef GAUNTLET_KIND
};

struct FindingFacts {
  std::string_view name;
  FindingClass of_class;
  Effect effect;
  std::string_view what;  ///< happened, no full stop
};
inline constexpr auto finding_facts = std::to_array<FindingFacts>({
#define GAUNTLET_KIND(kind, of_class, effect, what) \
  {#kind, FindingClass::of_class, Effect::effect, what},
    GAUNTLET_FINDING_KINDS(GAUNTLET_KIND)
#undef GAUNTLET_KIND
});
#undef GAUNTLET_FINDING_KINDS

constexpr auto names(const FindingKind*) {
  std::array<std::string_view, finding_facts.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = finding_facts[i].name;
  return all;
}

[[nodiscard]] constexpr const FindingFacts& facts(FindingKind kind) {
  return finding_facts.at(static_cast<std::size_t>(kind));
}
[[nodiscard]] constexpr bool is_race(FindingKind kind) {
  return facts(kind).effect == Effect::race;
}

}  // namespace gauntlet
