// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host as the thing under test: its library is loaded by processes of gauntlet's
// own, in which the stand-in runtime is the machine (host_server.cpp). Each run is a copy of such a
// process, so that none knows what another left.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "properties/case/executor.hpp"

namespace gauntlet::runtime {

/// Runs of a call that is silent for so long end.
inline constexpr unsigned most_seconds_of_a_call = 120;

class HostFunction {
 public:
  /// `name` is for findings. Throws UsageError where the library cannot be loaded or gauntlet's
  /// program is not found, Interrupted.
  HostFunction(std::string library, std::string name, const std::atomic<bool>& interrupted);
  ~HostFunction();
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  /// A line for each parameter, as the library says it (properties/language/host.cpp).
  [[nodiscard]] const std::string& signature() const { return signature_; }

  struct Ran {
    Observation observation;
    std::string error;    ///< it returned or threw: what a sentence with its name says; else empty
    std::string problem;  ///< what it calls that is not supported; else empty
  };
  /// Calls it as Plan::launches say, each Arg an array or a value of up to 8 bytes, with a stream
  /// of its own behind them if `stream`. From any thread. Throws Interrupted.
  [[nodiscard]] Ran run(const Case& c, const Plan& plan, bool stream);

 private:
  struct Worker;
  [[nodiscard]] std::unique_ptr<Worker> take();

  const std::string library_, name_;
  const std::atomic<bool>& interrupted_;
  std::string signature_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

/// The process: `gauntlet host-worker LIBRARY`. Its exit code.
[[nodiscard]] int serve_host_function(const std::string& library, int socket);

}  // namespace gauntlet::runtime
