// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host does for a Case: which buffers, which launches with which arguments, and what each
// output cell must then hold. Every executor follows the same Plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/case_error.hpp"
#include "base/launch.hpp"
#include "base/members.hpp"
#include "base/names.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::simt {
class Module;
}

namespace gauntlet {

struct Observation;

enum class Fill : std::uint8_t { poison, zero, identity /* of the operator, in the acc type */ };
constexpr auto names(const Fill*) { return names_of("poison", "zero", "identity"); }

/// A buffer beside the input. Index 0 of Plan::buffers is always "out".
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 0;  ///< for array[index] in findings
  Fill fill = Fill::poison;
  std::vector<std::byte> content{};  ///< not empty: in place of `fill`
  std::uint32_t offset = 0;          ///< bytes between an aligned address and the buffer's
  bool read_only = false;            ///< a store is the finding write_to_input
  bool output = false;               ///< storing poison is a finding, as in the first one observed
  bool floats = false;    ///< elements are floats, in findings also where bits are stored
  std::uint64_t pad = 0;  ///< bytes behind it that may be accessed as well
  std::vector<std::byte> pad_content{};  ///< of these; empty: nothing was written there
  std::vector<Pointer> pointers{};       ///< addresses within `content`
};

/// What a __device__ variable of the launches' module holds before them.
struct Variable {
  std::string symbol;
  std::vector<std::byte> content;
  std::vector<Pointer> pointers;  ///< addresses within it
};
GAUNTLET_FIELDS(Buffer, name, bytes, element_bytes, fill, content, offset, read_only, output,
                floats)

/// Which input elements a cell of an observed buffer reduces.
struct Coverage {
  enum class Kind : std::uint8_t {
    whole,        ///< cell 0: all n (a window of blocks: their tiles of `tile`, when not 0)
    tiles,        ///< cell c: [(first+c)*tile, min(n, (first+c+1)*tile))
    grid_stride,  ///< cell c: every i with (i / tile) % cells == c
  } kind = Kind::whole;
  std::uint64_t tile = 0;
  std::uint64_t first = 0;  ///< tiles: cell 0 has this tile; not 0 in a window of blocks
};

struct Observed {
  std::string buffer;       ///< a Plan::buffers name, or what people are told of `symbol`
  std::uint64_t cells = 0;  ///< cells that must be written
  Coverage coverage;
  std::optional<Type> type{};  ///< of a cell, where it is not the case's accumulator type
  std::string symbol{};        ///< not empty: it is no buffer but this __device__ variable
};

struct Plan;

/// A function of the host that makes the launches: those of its plan are its calls, whose module is
/// its library and whose entry its name.
struct HostCalls {
  std::function<Observation(const Case&, const Plan&)> run;  ///< on the SIMT machine
  /// Of a run elsewhere: throws what ends it where the function returned an error, or threw.
  std::function<void(const Case&, const std::string& error)> fail;
  std::uint32_t which = 0;  ///< of the library's functions
  bool stream = false;      ///< it takes one
  explicit operator bool() const { return run != nullptr; }
};

struct Plan {
  /// What Arg::array means in these launches: element 0 of the input, and buffers[k].
  static constexpr std::uint32_t input = 0;
  [[nodiscard]] static constexpr std::uint32_t buffer(std::uint32_t k) { return k + 1; }

  std::string refusal;     ///< not empty: the launch contract refuses, and why; nothing else is set
  std::uint32_t grid = 0;  ///< the case's grid, or the derived one when the case had 0
  bool takes_input = true;   ///< false: all that the kernels take is in `buffers`
  std::uint64_t padded = 0;  ///< elements mapped from the input's begin when the tail is mapped
  std::vector<Buffer> buffers;
  std::vector<Variable> variables{};
  std::vector<Launch> launches;
  HostCalls host{};  ///< set: `launches` are its calls
  /// Gives the decoded kernels of a module that a launch names, from any thread; not set: whoever
  /// runs the plan has them. For the SIMT machine.
  std::function<std::shared_ptr<const simt::Module>(const std::string& name)> module = {};
  std::uint32_t rehearsals = 0;  ///< launches at the front that do all of the work once before, to
                                 ///< show that it can be done again; timing leaves them out
  std::uint32_t capability = 0;  ///< compute capability that the kernels need, 10 * major + minor
  std::vector<Observed> observed;  ///< first the one that decides the total
  std::uint64_t height = 0;  ///< of the summation tree: most roundings any element goes through,
                             ///< host finish excluded
  bool input_may_change = false;  ///< only global_inplace
  bool float_atomics = false;     ///< the order of the final additions depends on the schedule
  /// The final additions are f32 atomics on global memory, which take subnormal operands, and make
  /// subnormal results, zeros (PTX ISA, atom): data of that size are lost, in part or as a whole.
  bool flushes_subnormals = false;
};

/// The case as its plan runs it: the grid that it left open is the plan's. A plan that refuses the
/// case has none.
[[nodiscard]] inline Case resolved(Case c, const Plan& plan) {
  if (c.grid == 0) c.grid = plan.grid;
  return c;
}

/// A GPU is given arrays and numbers. Throws CaseError, in one line, for a plan with more.
inline void require_arrays_and_numbers(const Plan& plan) {
  const auto has_pointers = [](const auto& one) { return !one.pointers.empty(); };
  const bool more = !plan.variables.empty() || std::ranges::any_of(plan.buffers, has_pointers) ||
                    std::ranges::any_of(plan.buffers, [](const Buffer& b) { return b.pad != 0; }) ||
                    std::ranges::any_of(plan.launches, [&](const Launch& launch) {
                      return std::ranges::any_of(launch.args, has_pointers);
                    });
  if (!more) return;
  throw CaseError(
      "pointers within arrays and structs, `pad` and contents of __device__ variables are for the "
      "SIMT machine alone; leave out what asks for a GPU");
}

/// The plan as it is timed: each launch does work of its own.
[[nodiscard]] inline Plan without_rehearsals(Plan plan) {
  plan.launches.erase(plan.launches.begin(), plan.launches.begin() + plan.rehearsals);
  plan.rehearsals = 0;
  return plan;
}

/// How many additions of a plan may flush a subnormal value to zero: three for each block's atomic
/// (two operands, one result), for data that are subnormal; else none.
[[nodiscard]] inline std::uint64_t flushes(const Case& c, const Plan& plan) {
  return plan.flushes_subnormals && c.data == Data::subnormal ? 3 * std::uint64_t{plan.grid} : 0;
}

}  // namespace gauntlet
