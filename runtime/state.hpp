// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The one device of a process: its modules, kernels, arrays, streams and events, and what was
// found. Launches run at once, on the thread that launches: an order that CUDA allows.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/heap.hpp"
#include "runtime/options.hpp"
#include "runtime/report.hpp"
#include "simt/machine/machine.hpp"

namespace gauntlet::runtime {

struct LoadedModule;
class SavedLaunch;

/// A kernel that the program registered.
struct Kernel {
  LoadedModule* module = nullptr;
  std::string symbol, signature;
  bool decoded = false;
  std::string refused;           ///< why the machine cannot run it
  int most_dynamic_shared = -1;  ///< by cudaFuncSetAttribute; -1: not set
  std::size_t in_report = ~std::size_t{0};
};

struct RegisteredVariable {
  std::string name;  ///< in PTX
  std::uint64_t bytes = 0;
  bool managed = false;
  void** host_pointer = nullptr;  ///< of a managed one: where the host's code looks for its address
};

/// A fat binary. It is unpacked and parsed when something of it is first needed.
struct LoadedModule {
  const std::byte* fat_binary = nullptr;
  std::map<const void*, RegisteredVariable> variables;  ///< by the host's shadow
  std::shared_ptr<simt::Module> code;
  std::unique_ptr<simt::ModuleState> state;
  std::uint32_t ptx_arch = 0;
};

struct LaunchShape {
  Dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool cooperative = false;
};

class State {
 public:
  State();

  std::recursive_mutex mutex;
  RunOptions options;
  Report report;
  Heap heap;
  cudaError_t sticky = cudaSuccess;  ///< after what ends a GPU's context; nothing works any more

  // modules.cpp
  LoadedModule* add_module(const void* wrapper);
  void add_kernel(LoadedModule& module, const void* host, const char* name);
  /// By the host's stub, or by the handle that get_kernel gave; nullptr: neither.
  [[nodiscard]] Kernel* kernel(const void* host_or_handle);
  /// Address and bytes by the host's shadow; address 0: no such variable.
  struct Symbol {
    Address address = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Symbol symbol(const void* shadow);
  /// Unpacks, parses, places variables. Ends the process where the machine has nothing to run.
  void load(LoadedModule& module);
  /// False: the machine cannot run it (Kernel::refused); told once.
  bool decode(Kernel& kernel);
  /// Parameters in the PTX's order. The kernel is decoded.
  [[nodiscard]] std::vector<simt::ParamInfo> parameters(const Kernel& kernel) const;

  // launch.cpp
  /// `unread`: nobody sees what is returned (<<<>>>), so that somebody has to ask for it.
  cudaError_t launch(Kernel& kernel, const LaunchShape& shape, void** arguments, bool unread);
  /// The program asked for the last error.
  void error_was_read() { unread_.reset(); }

  // state.cpp
  /// Ends the process with one line and exit code 2.
  [[noreturn]] void end(const std::string& why);
  void at_exit();

  // Handles. Streams and events are numbers that were given out.
  using Time = std::chrono::steady_clock::time_point;
  struct Event {
    bool recorded = false, timed = true;
    Time when;
  };
  std::map<const void*, unsigned> streams;  ///< with their flags
  std::map<const void*, Event> events;
  std::set<const void*> pools;
  [[nodiscard]] void* new_handle();

 private:
  cudaError_t refuse_shape(const Kernel& kernel, const LaunchShape& shape) const;
  /// False, and told once, where the race detector would take more host memory than there is.
  bool room_for_races(const simt::LaunchConfig& config);
  void keep_findings(Kernel& kernel, const simt::LaunchConfig& config,
                     simt::LaunchReport&& launched, const SavedLaunch* saved);
  void failed_launch(const Kernel& kernel, cudaError_t error, bool unread);

  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::map<const void*, Kernel> kernels_;  // by the host's stub
  std::set<const Kernel*> handles_;
  std::uint64_t launches_ = 0;
  bool told_no_room_ = false;
  std::optional<Mistake> unread_;  // of the last launch that failed
};

/// The state of this process, made at the first call, never destroyed: exit handlers of the program
/// call the runtime.
[[nodiscard]] State& state();

/// From now on SIGSEGV tells of an access to device memory, where the program does not handle it.
void watch_device_pointers();

/// The last error of this thread.
cudaError_t& last_error();

/// What an entry of the runtime does: one at a time, nothing after a fatal error, the error kept.
template <class F>
cudaError_t entry(F&& work) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  cudaError_t error = s.sticky;
  if (error == cudaSuccess) {
    try {
      error = work(s);
    } catch (const std::bad_alloc&) {
      error = cudaErrorMemoryAllocation;
    } catch (const std::exception& failure) {
      s.end(failure.what());
    }
  }
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

}  // namespace gauntlet::runtime
