// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host as the thing under test: its library is loaded by processes of gauntlet's
// own, in which the stand-in runtime is the machine (host_server.cpp). Each run is a copy of such a
// process, so that none knows what another left.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/launch.hpp"
#include "base/members.hpp"
#include "base/os/process.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

// What of them travels.
GAUNTLET_FIELDS(Observed, buffer, cells, type)
GAUNTLET_FIELDS(ObservedBuffer, name, type, bytes, defined)
GAUNTLET_FIELDS(Observation, completed, buffers, findings, counters)

}  // namespace gauntlet

namespace gauntlet::runtime {

// What host_function.cpp asks of the process that calls a function of the host (host_server.cpp),
// and what it is told: packed structs (base/packed.hpp).

/// In libgauntlet_machine.so: `int gauntlet_serve(int socket, const char* library)`.
inline constexpr char serve_entry[] = "gauntlet_serve";

/// The first message of the process.
struct HostHello {
  std::string problem;  ///< why the library cannot be loaded; else empty
  std::vector<std::string> signatures;
};
GAUNTLET_FIELDS(HostHello, problem, signatures)

/// The device that a function is told of whose input is cut into tiles. Far fewer blocks than a
/// real one, so that the passes of a two-pass reduction hold several tiles a block at sizes that a
/// software machine runs quickly.
struct HostDevice {
  std::uint32_t multiprocessors = 4;
  std::uint32_t blocks_per_multiprocessor = 2;  ///< that are resident, of any kernel
};
GAUNTLET_FIELDS(HostDevice, multiprocessors, blocks_per_multiprocessor)

/// A function of the library.
struct HostCalled {
  std::uint32_t which = 0;
  bool stream = false;     ///< it takes one
  bool alternate = false;  ///< recorded launches may be in several streams (alternating)
  std::optional<HostDevice> device = {};  ///< nothing: the machine's
};
GAUNTLET_FIELDS(HostCalled, which, stream, alternate, device)

struct HostRequest {
  HostCalled called;
  std::string function;  ///< its name, for findings
  bool record = false;   ///< its launches are asked for, not what they do
  std::string schedule;  ///< of every launch
  std::vector<Buffer> arrays;
  std::vector<Launch> calls;  ///< their arguments are the function's
  std::vector<Observed> observed;
  std::vector<std::uint32_t> modules;  ///< whose text is known
};
GAUNTLET_FIELDS(HostRequest, called, function, record, schedule, arrays, calls, observed, modules)

struct HostFill {
  std::uint32_t array = 0;  ///< as Arg::array
  std::vector<std::byte> content;
};
GAUNTLET_FIELDS(HostFill, array, content)

struct HostModule {
  std::uint32_t number = 0;
  std::string ptx;
};
GAUNTLET_FIELDS(HostModule, number, ptx)

/// The launches that were asked for, in whose `module` stands its number.
struct HostRecord {
  std::string unfit;  ///< why they are no plan: "copies, by cudaMemcpy"; else empty
  std::vector<Launch> launches;
  std::uint32_t rehearsals = 0;  ///< launches of all calls but the last
  std::vector<Buffer> arrays;    ///< its own, in numbers behind those of the caller's
  std::vector<HostFill> filled;  ///< what the function fills before it launches
  std::vector<HostModule> modules;
};
GAUNTLET_FIELDS(HostRecord, unfit, launches, rehearsals, arrays, filled, modules)

struct HostReply {
  std::string error;    ///< "returned cudaErrorInvalidValue", "threw ..."; else empty
  std::string problem;  ///< what the stand-in does not support; else empty
  Observation observation;
  HostRecord record;
};
GAUNTLET_FIELDS(HostReply, error, problem, observation, record)

/// Runs of a call that is silent for so long end.
inline constexpr unsigned most_seconds_of_a_call = 120;

class HostFunction {
 public:
  /// `name` is for findings. Throws UsageError where the library cannot be loaded or gauntlet's
  /// program is not found, Interrupted.
  HostFunction(std::string library, std::string name, const std::atomic<bool>& interrupted);
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  /// Of each function in the library a line for each parameter, as the library says it
  /// (properties/language/host.cpp).
  [[nodiscard]] const std::vector<std::string>& signatures() const { return signatures_; }

  /// Calls it as Plan::launches say, each Arg an array or a value of up to 8 bytes, with a stream
  /// of its own if it takes one. From any thread. Throws Interrupted.
  [[nodiscard]] HostReply run(const Case& c, const Plan& plan, const HostCalled& called);

  struct Recorded {
    Plan plan;          ///< the kernels that it launches, in the place of its calls, and its arrays
    std::string unfit;  ///< why there is no such plan: what a sentence with its name says
    std::string error, problem;  ///< as HostReply's
  };
  /// Calls it in the same way, but for its launches, which are not run (recording.hpp). Their
  /// modules are files beside the library.
  [[nodiscard]] Recorded record(const Case& c, Plan plan, const HostCalled& called);

 private:
  [[nodiscard]] std::unique_ptr<os::Process> take();
  /// What the process answers; nothing: it ended, or is `late`.
  [[nodiscard]] std::optional<std::string> ask(const std::string& request, bool& late);
  /// To a request without modules.
  [[nodiscard]] HostReply recorded(HostRequest request);
  [[nodiscard]] std::string module_file(std::string_view number) const;

  const std::string library_, name_;
  const std::atomic<bool>& interrupted_;
  std::vector<std::string> signatures_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<os::Process>> idle_;
  std::map<std::string, std::shared_ptr<const simt::Module>> modules_;  ///< by file
  std::vector<std::uint32_t> known_;                                    ///< their numbers
  std::map<std::string, HostReply> recorded_;  ///< replies by request, without modules
};

/// Launches with their streams: those of each stream in their order, and one of each stream in
/// turn, which is one of the orders that they have.
[[nodiscard]] std::vector<Launch> alternating(std::vector<std::pair<const void*, Launch>> all);

/// The process: `gauntlet host-worker LIBRARY`. Its exit code.
[[nodiscard]] int serve_host_function(const std::string& library, int socket);

}  // namespace gauntlet::runtime
