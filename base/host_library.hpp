// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host as they are called with a case's arrays and numbers, whose types are known
// when nvcc compiles them alone: entries that the spec's compiler puts behind the user's file
// (properties/language/host.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/launch.hpp"

namespace gauntlet {

/// `gauntlet_host_call`: calls function number `which`, each argument given by its address. Gives
/// what was thrown, or null, and in `returned` an error's number.
using HostCall = const char*(unsigned which, void* const* values, void* stream, long* returned);

/// A library of such functions, loaded into this process.
struct HostLibrary {
  /// `gauntlet_host_signature`: a line for each parameter; null behind the last function.
  const char* (*signature)(unsigned which) = nullptr;
  HostCall* call = nullptr;
  /// `gauntlet_host_error`: takes the CUDA error that nobody has looked at, as cudaGetLastError.
  int (*error)() = nullptr;

  /// Throws std::runtime_error, in one line, where it cannot be loaded.
  [[nodiscard]] static HostLibrary open(const std::string& path);
};

struct HostReturn {
  long returned = 0;   ///< an error's number
  std::string thrown;  ///< "threw an exception: ..."; else empty
};

/// Calls it as a launch says, whose arguments are arrays and values of up to 8 bytes.
[[nodiscard]] HostReturn call_host(HostCall& call, unsigned which, const std::vector<Arg>& args,
                                   const std::function<std::uint64_t(std::uint32_t array)>& address,
                                   void* stream);

}  // namespace gauntlet
