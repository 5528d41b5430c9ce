// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What host_function.cpp asks of the process that calls a function of the host (host_server.cpp),
// and what it is told: packed structs (base/packed.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/launch.hpp"
#include "base/members.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

// What of them travels.
GAUNTLET_FIELDS(Observed, buffer, cells, type)
GAUNTLET_FIELDS(ObservedBuffer, name, type, bytes, defined)
GAUNTLET_FIELDS(Observation, completed, buffers, findings, counters)

}  // namespace gauntlet

namespace gauntlet::runtime {

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

struct HostRequest {
  std::uint32_t which = 0;           ///< of the library's functions
  std::string function;              ///< its name, for findings
  bool record = false;               ///< its launches are asked for, not what they do
  std::string schedule;              ///< of every launch
  bool stream = false;               ///< the function takes one
  bool alternate = false;            ///< recorded launches may be in several streams (alternating)
  std::optional<HostDevice> device;  ///< nothing: the machine's
  std::vector<Buffer> arrays;
  std::vector<Launch> calls;  ///< their arguments are the function's
  std::vector<Observed> observed;
  std::vector<std::uint32_t> modules;  ///< whose text is known
};
GAUNTLET_FIELDS(HostRequest, which, function, record, schedule, stream, alternate, device, arrays,
                calls, observed, modules)

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

}  // namespace gauntlet::runtime
