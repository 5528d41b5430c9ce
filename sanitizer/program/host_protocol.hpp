// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What host_function.cpp asks of the process that calls a function of the host (host_server.cpp),
// and what it is told. A message is a line of JSON and, behind it, the bytes of arrays.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/counters.hpp"
#include "base/finding.hpp"
#include "base/members.hpp"
#include "base/types.hpp"

namespace gauntlet::runtime {

/// In libgauntlet_machine.so: `int gauntlet_serve(int socket, const char* library)`.
inline constexpr char serve_entry[] = "gauntlet_serve";
/// In the library, of function number `which`: `const char* NAME(unsigned which)`, see
/// HostFunction::signature, null behind the last;
/// `const char* NAME(unsigned which, void* const* values, cudaStream_t stream, long* returned)`,
/// which gives what was thrown, or null, and in `returned` an error's number.
inline constexpr char signature_entry[] = "gauntlet_host_signature";
inline constexpr char call_entry[] = "gauntlet_host_call";

/// The first message of the process.
struct HostHello {
  std::string problem;  ///< why the library cannot be loaded; else empty
  std::vector<std::string> signatures;
};
GAUNTLET_FIELDS(HostHello, problem, signatures)

struct HostArray {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 0, offset = 0;
  bool read_only = false, output = false;
  bool filled = false;  ///< its content is among the bytes
};
GAUNTLET_FIELDS(HostArray, name, bytes, element_bytes, offset, read_only, output, filled)

/// An argument: the address of an array (counted from 1), or bits.
struct HostValue {
  std::uint32_t array = 0;  ///< 0: none
  std::uint64_t bits = 0;
};
GAUNTLET_FIELDS(HostValue, array, bits)

struct HostCells {
  std::string array;
  std::uint64_t cells = 0;
  Type type = Type::f32;
};
GAUNTLET_FIELDS(HostCells, array, cells, type)

struct HostRequest {
  std::uint32_t which = 0;  ///< of the library's functions
  std::string function;     ///< its name, for findings
  bool record = false;      ///< its launches are asked for (HostRecord), not what they do
  std::string schedule;     ///< of every launch
  bool stream = false;      ///< the function takes one
  std::vector<HostArray> arrays;
  std::uint64_t calls = 1;
  std::vector<HostValue> values;  ///< of all calls, one call behind the other
  std::vector<HostCells> observed;
  std::vector<std::uint32_t> modules;  ///< whose text is known
};
GAUNTLET_FIELDS(HostRequest, which, function, record, schedule, stream, arrays, calls, values,
                observed, modules)

/// Behind it, for each observed array, its bytes and one byte for each cell, 1: defined.
struct HostReply {
  bool completed = false;
  std::string error;    ///< "returned cudaErrorInvalidValue", "threw ..."; else empty
  std::string problem;  ///< what the stand-in does not support; else empty
  std::vector<Finding> findings;
  Counters counters;
};
GAUNTLET_FIELDS(HostReply, completed, error, problem, findings, counters)

/// An argument of a kernel: where in an array, counted from 1, or a value.
struct HostArgument {
  std::uint32_t array = 0;  ///< 0: none
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< of a value, among the bytes
};
GAUNTLET_FIELDS(HostArgument, array, offset, bytes)

struct HostLaunch {
  std::uint32_t module = 0;
  std::string entry;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<HostArgument> arguments;
};
GAUNTLET_FIELDS(HostLaunch, module, entry, grid, block, shared_bytes, cooperative, programmatic,
                arguments)

/// Bytes of the array of a number, or of the PTX of a module.
struct HostBytes {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
};
GAUNTLET_FIELDS(HostBytes, number, bytes)

/// The reply where launches are asked for. Behind it the bytes of values, of arrays that the
/// function fills before it launches, and of modules that were not known.
struct HostRecord {
  std::string unfit;  ///< why its launches are no plan: "copies, by cudaMemcpy"; else empty
  std::string error, problem;  ///< as HostReply's
  std::vector<HostLaunch> launches;
  std::uint64_t rehearsals = 0;   ///< launches of all calls but the last
  std::vector<HostArray> arrays;  ///< its own, in numbers behind those of the caller's
  std::vector<HostBytes> filled, modules;
};
GAUNTLET_FIELDS(HostRecord, unfit, error, problem, launches, rehearsals, arrays, filled, modules)

}  // namespace gauntlet::runtime
