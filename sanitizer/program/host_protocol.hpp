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
#include "base/fields.hpp"
#include "base/finding.hpp"
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
constexpr auto fields(const HostHello*) {
  return std::tuple{field("problem", &HostHello::problem),
                    field("signatures", &HostHello::signatures)};
}

struct HostArray {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 0, offset = 0;
  bool read_only = false, output = false;
  bool filled = false;  ///< its content is among the bytes
};
constexpr auto fields(const HostArray*) {
  using T = HostArray;
  return std::tuple{field("name", &T::name),
                    field("bytes", &T::bytes),
                    field("element_bytes", &T::element_bytes),
                    field("offset", &T::offset),
                    field("read_only", &T::read_only),
                    field("output", &T::output),
                    field("filled", &T::filled)};
}

/// An argument: the address of an array (counted from 1), or bits.
struct HostValue {
  std::uint32_t array = 0;  ///< 0: none
  std::uint64_t bits = 0;
};
constexpr auto fields(const HostValue*) {
  return std::tuple{field("array", &HostValue::array), field("bits", &HostValue::bits)};
}

struct HostCells {
  std::string array;
  std::uint64_t cells = 0;
  Type type = Type::f32;
};
constexpr auto fields(const HostCells*) {
  return std::tuple{field("array", &HostCells::array), field("cells", &HostCells::cells),
                    field("type", &HostCells::type)};
}

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
constexpr auto fields(const HostRequest*) {
  using T = HostRequest;
  return std::tuple{field("which", &T::which),       field("function", &T::function),
                    field("record", &T::record),     field("schedule", &T::schedule),
                    field("stream", &T::stream),     field("arrays", &T::arrays),
                    field("calls", &T::calls),       field("values", &T::values),
                    field("observed", &T::observed), field("modules", &T::modules)};
}

/// Behind it, for each observed array, its bytes and one byte for each cell, 1: defined.
struct HostReply {
  bool completed = false;
  std::string error;    ///< "returned cudaErrorInvalidValue", "threw ..."; else empty
  std::string problem;  ///< what the stand-in does not support; else empty
  std::vector<Finding> findings;
  Counters counters;
};
constexpr auto fields(const HostReply*) {
  using T = HostReply;
  return std::tuple{field("completed", &T::completed), field("error", &T::error),
                    field("problem", &T::problem), field("findings", &T::findings),
                    field("counters", &T::counters)};
}

/// An argument of a kernel: where in an array, counted from 1, or a value.
struct HostArgument {
  std::uint32_t array = 0;  ///< 0: none
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< of a value, among the bytes
};
constexpr auto fields(const HostArgument*) {
  using T = HostArgument;
  return std::tuple{field("array", &T::array), field("offset", &T::offset),
                    field("bytes", &T::bytes)};
}

struct HostLaunch {
  std::uint32_t module = 0;
  std::string entry;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false, programmatic = false;
  std::vector<HostArgument> arguments;
};
constexpr auto fields(const HostLaunch*) {
  using T = HostLaunch;
  return std::tuple{field("module", &T::module),
                    field("entry", &T::entry),
                    field("grid", &T::grid),
                    field("block", &T::block),
                    field("shared_bytes", &T::shared_bytes),
                    field("cooperative", &T::cooperative),
                    field("programmatic", &T::programmatic),
                    field("arguments", &T::arguments)};
}

/// Bytes of the array of a number, or of the PTX of a module.
struct HostBytes {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
};
constexpr auto fields(const HostBytes*) {
  return std::tuple{field("number", &HostBytes::number), field("bytes", &HostBytes::bytes)};
}

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
constexpr auto fields(const HostRecord*) {
  using T = HostRecord;
  return std::tuple{field("unfit", &T::unfit),           field("error", &T::error),
                    field("problem", &T::problem),       field("launches", &T::launches),
                    field("rehearsals", &T::rehearsals), field("arrays", &T::arrays),
                    field("filled", &T::filled),         field("modules", &T::modules)};
}

}  // namespace gauntlet::runtime
