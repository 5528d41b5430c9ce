// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host as the thing under test: its library is loaded by processes of gauntlet's
// own, in which the stand-in runtime is the machine (host_server.cpp). Each run is a copy of such a
// process, so that none knows what another left.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/process.hpp"
#include "properties/case/executor.hpp"
#include "sanitizer/program/host_protocol.hpp"

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

  /// Of each function in the library a line for each parameter, as the library says it
  /// (properties/language/host.cpp).
  [[nodiscard]] const std::vector<std::string>& signatures() const { return signatures_; }

  /// Which of the library's functions, and the rest as in HostRequest.
  struct Called {
    std::uint32_t which = 0;
    bool stream = false, alternate = false;
    std::optional<HostDevice> device = {};
  };
  /// Calls it as Plan::launches say, each Arg an array or a value of up to 8 bytes, with a stream
  /// of its own if it takes one. From any thread. Throws Interrupted.
  [[nodiscard]] HostReply run(const Case& c, const Plan& plan, Called called);

  struct Recorded {
    Plan plan;          ///< the kernels that it launches, in the place of its calls, and its arrays
    std::string unfit;  ///< why there is no such plan: what a sentence with its name says
    std::string error, problem;  ///< as HostReply's
  };
  /// Calls it in the same way, but for its launches, which are not run (recording.hpp). Their
  /// modules are files beside the library.
  [[nodiscard]] Recorded record(const Case& c, Plan plan, Called called);

 private:
  struct Worker;
  [[nodiscard]] std::unique_ptr<Worker> take();
  /// What the process answers; nothing: it ended, or is `late`.
  [[nodiscard]] std::optional<std::string> ask(const std::string& request, bool& late);
  /// To a request without modules.
  [[nodiscard]] HostReply recorded(HostRequest request);
  [[nodiscard]] std::string module_file(std::string_view number) const;

  const std::string library_, name_;
  const std::atomic<bool>& interrupted_;
  std::vector<std::string> signatures_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
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
