// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a worker is asked to run, and what it answers: a Case reduced to buffers, launches and cells
// to read, so that a worker knows neither the catalogue nor the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/launch.hpp"
#include "base/names.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"
#include "properties/oracle/element.hpp"

namespace gauntlet::cuda {

/// Arrays whose memory is followed by mapped (and checked) memory instead of a fence, by the number
/// that Arg::array gives them: a launch that faults as usual and ends like this has touched such an
/// array's fence.
using Open = std::uint64_t;
inline constexpr Open open_none = 0, open_all = ~Open{0};
/// The last bit stands for all arrays from the 64th on.
[[nodiscard]] constexpr Open open_only(std::size_t array) {
  return Open{1} << (array < 63 ? array : 63);
}

/// Cells to read after the run: of a buffer, or of a __device__ variable in the first launch's
/// module.
struct JobObserved {
  static constexpr std::uint32_t no_buffer = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t buffer = no_buffer;
  std::string symbol;
  std::uint64_t cells = 0;
  std::uint32_t cell_bytes = 4;
};

/// The launches are calls of a function of the host, in the library that is their module.
struct JobHost {
  std::uint32_t which = 0;  ///< of its functions
  bool stream = false;      ///< it takes one
};

struct Job {
  std::uint64_t id = 0;  ///< of this attempt; never used twice
  Recipe recipe;         ///< the n elements of the input
  bool zero_tail = false;
  bool input_may_change = false;
  std::uint32_t offset = 0;     ///< bytes from a 16-byte boundary to element 0
  std::uint64_t allocated = 0;  ///< elements allocated, n or more
  std::uint64_t identity = 0;   ///< bits of the operator's identity in the accumulator type
  Open open = open_none;
  std::uint32_t salt = 0;  ///< selects the poison pattern of buffers
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<JobObserved> observed;
  std::optional<JobHost> host{};

  /// Device memory that the job needs, roughly.
  [[nodiscard]] std::uint64_t bytes() const;
  /// It uses a __device__ variable, which all jobs share, or may (a kernel of a file): nothing else
  /// may run meanwhile.
  [[nodiscard]] bool exclusive() const;
};

/// What changed in a buffer and should not have.
struct Damage {
  std::uint64_t inside = 0, outside = 0;             ///< units
  std::int64_t first_inside = 0, first_outside = 0;  ///< index, 0 where nothing changed
  std::uint32_t unit = 1;                            ///< bytes
  bool operator==(const Damage&) const = default;
};

struct SeenCells {
  std::vector<std::byte> bytes;    ///< cells * cell_bytes
  std::vector<std::uint8_t> kept;  ///< per cell: 1 when it holds the poison that it started with
  bool operator==(const SeenCells&) const = default;
};

struct Result {
  enum class Status : std::uint8_t {
    done,
    rejected,  ///< CUDA refused a launch; nothing is wrong with the worker
    too_big,   ///< not enough device memory
    failed     ///< the function of the host says so, or threw
  };
  std::uint64_t id = 0;
  Status status = Status::done;
  std::string error;  ///< rejected: the CUDA error's name; too_big: how much is missing; failed:
                      ///< what a sentence says of the function
  Damage input;
  std::vector<Damage> buffers;
  std::vector<SeenCells> observed;
  bool operator==(const Result&) const = default;
};
constexpr auto names(const Result::Status*) {
  return names_of("done", "rejected", "too_big", "failed");
}

/// A worker's first message: what it runs on, or why it cannot run.
struct Hello {
  std::uint64_t build = 0;  ///< must equal the parent's build_id()
  std::string unusable;     ///< one line; empty where all is well
  std::string device;       ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;
  std::uint32_t major = 0, minor = 0;  ///< compute capability
  std::uint32_t multiprocessors = 0;
  std::uint32_t launchers = 1;            ///< batches that it runs at once
  std::uint32_t devices = 0;              ///< GPUs that the process sees
  std::uint32_t driver = 0, runtime = 0;  ///< CUDA versions, 1000 * major + 10 * minor
  std::uint64_t memory = 0;               ///< bytes
};

/// A launch's module is a PTX file, by its absolute path, and none of the compiled ones.
[[nodiscard]] inline bool is_ptx_file(std::string_view module) { return module.starts_with('/'); }

/// Of the compiled kernels and the protocol: parent and worker must be the same program.
[[nodiscard]] std::uint64_t build_id();

// From a case and its plan to what a worker is asked.

/// The job of a case with this plan, which must not refuse it.
[[nodiscard]] Job make_job(const Case& c, const Plan& plan);

/// The entry that findings of a plan name; empty where it launches nothing.
[[nodiscard]] std::string first_kernel(const Plan& plan);

/// Adds a finding for what changed inside `array`, an input, and one for its guard cells.
void add_damage(const Damage& damage, const std::string& array, const Plan& plan,
                std::vector<Finding>& findings);

}  // namespace gauntlet::cuda
