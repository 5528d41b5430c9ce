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
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/races/access_map.hpp"
#include "sanitizer/program/call_site.hpp"
#include "sanitizer/program/device_objects.hpp"
#include "sanitizer/program/heap.hpp"
#include "sanitizer/program/host_watch.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/ptx_link.hpp"
#include "sanitizer/program/refusal.hpp"
#include "sanitizer/program/repeat.hpp"
#include "sanitizer/program/report.hpp"
#include "sanitizer/program/stream_order.hpp"
#include "sanitizer/program/virtual_memory.hpp"

namespace gauntlet::runtime {

struct Capture;
struct Graph;
struct GraphExec;
struct GraphNode;
struct LoadedModule;
class DeviceLaunches;
class Recording;
class SavedLaunch;
class State;

/// A kernel that the program registered.
struct Kernel {
  LoadedModule* module = nullptr;
  std::string symbol;
  const simt::Kernel* code = nullptr;  ///< once it is decoded
  std::string refused;                 ///< why the machine cannot run it
  int most_dynamic_shared = -1;        ///< by cudaFuncSetAttribute; -1: not set
  bool large_clusters = false;         ///< of more than 8 blocks, by cudaFuncSetAttribute
  std::size_t in_report = ~std::size_t{0};
  std::optional<bool> wanted;    ///< to be checked (RunOptions::kernels), once that was asked
  unsigned in_other_orders = 0;  ///< launches that other orders were considered for
  /// Launches in one shape - grid, block, dynamic shared memory - that races were to be looked for
  /// in (RunOptions::sample).
  struct Alike {
    std::uint64_t launches = 0;
    bool findings = false;  ///< one of them had some
    Repeats repeats;
    /// Whether races are looked for in the next one.
    [[nodiscard]] bool is_due(std::uint64_t sample) const {
      return sample == 0 || findings || launches < sample || launches % sample == 0;
    }
  };
  std::map<std::array<std::uint32_t, 7>, Alike> alike;
  std::optional<bool> depends_on_data;  ///< what its launches access; once that was asked
  std::optional<std::vector<std::uint64_t>> arrays_at;  ///< simt::parameters_that_name; the same

  /// Its name for people. Made when it is first asked for: that can take a process of its own, and
  /// libraries register thousands of kernels of which a program launches a few.
  [[nodiscard]] const std::string& signature() const;
  /// A launch of it: "sum(int*) <<<1, 64>>>". Valid until the next call.
  [[nodiscard]] const std::string& call(const Dim3& grid, const Dim3& block) const;

 private:
  mutable std::string signature_, call_;
  mutable std::pair<Dim3, Dim3> shape_of_call_;
};

struct RegisteredVariable {
  std::string name;  ///< in PTX
  std::uint64_t bytes = 0;
  bool managed = false;
  void** host_pointer = nullptr;  ///< of a managed one: where the host's code looks for its address
  Address managed_at = 0;  ///< it is placed once, and keeps its value when the device is reset
};

/// Device code that was registered at once, or loaded by the program itself. What is registered is
/// unpacked and parsed when something of it is first needed.
struct LoadedModule {
  std::vector<const std::byte*> fat_binaries;           ///< of relocatable code one for each unit
  std::string ptx;                                      ///< where the program gave a text
  std::map<const void*, RegisteredVariable> variables;  ///< by the host's shadow
  /// Those that were asked for by name.
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
  bool registered = false;  ///< with the program: it comes back behind cudaDeviceReset
  bool unloaded = false;
  std::shared_ptr<simt::Module> code;
  std::unique_ptr<simt::ModuleState> state;
  std::uint32_t ptx_arch = 0;
  KernelArchs kernel_archs;  ///< of those of relocatable code
  /// What the PTX of a kernel was compiled for.
  [[nodiscard]] std::uint32_t arch_of(std::string_view kernel) const {
    const auto known = kernel_archs.find(kernel);
    return known == kernel_archs.end() ? ptx_arch : known->second;
  }
};

struct LaunchShape {
  Dim3 grid, block;
  std::size_t shared_bytes = 0;
  Dim3 cluster{0, 0, 0};  ///< blocks; 0: as the kernel says
  bool cooperative = false;
  cudaStream_t stream = nullptr;
  bool programmatic = false;  ///< it may begin before a kernel before it in the stream has ended
};

/// What is put into a stream, done at once, or into a graph, done when that is launched.
struct Work {
  std::string call;  ///< "cudaMemcpyAsync", "sum(int*) <<<1, 64>>>"
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<void(State&, const OperationPtr&)> run = {};  ///< may throw Refusal
  LaunchOverlap overlap = {};
  Address allocates = 0;  ///< by Heap::promise: an array that is there from this node on
};

/// What a conditional node of a graph depends on.
struct Condition {
  unsigned value = 0;             ///< as kernels set it
  std::optional<unsigned> first;  ///< with which each launch begins; nothing: the old one
};

class State {
 public:
  State();

  std::recursive_mutex mutex;
  RunOptions options;
  Report report;
  Heap heap;
  StreamOrder order;
  VirtualMemory virtual_memory;
  HostWatch host_watch;
  Recording* recording = nullptr;    ///< not null: launches are noted there, and not run
  cudaError_t sticky = cudaSuccess;  ///< after what ends a GPU's context; nothing works any more

  // modules.cpp
  LoadedModule* add_module(const void* wrapper);
  void add_kernel(LoadedModule& module, const void* host, const char* name);
  /// By the host's stub, or by the handle that get_kernel gave; nullptr: neither.
  [[nodiscard]] Kernel* kernel(const void* host_or_handle);
  /// The same in an entry, which ends where there is none.
  [[nodiscard]] Kernel& known_kernel(const void* host_or_handle);
  /// Of a variable.
  struct Symbol {
    Address address = 0;
    std::uint64_t bytes = 0;
  };
  /// By the host's shadow; an entry ends where there is none.
  [[nodiscard]] Symbol known_symbol(const void* shadow);
  /// Unpacks, parses, places variables. Throws BadImage where the machine has nothing to run.
  void load(LoadedModule& module);
  /// The same for what the program loads itself: PTX, a fat binary, or its wrapper. Throws
  /// BadImage.
  LoadedModule& add_image(const void* image);
  [[nodiscard]] bool knows(const LoadedModule* module) const;
  /// In the order in which they came.
  [[nodiscard]] std::uint32_t number_of(const LoadedModule& module) const;
  void unload(LoadedModule& module);
  /// Of a loaded module by the name in its PTX; nullptr, address 0: there is none.
  [[nodiscard]] Kernel* kernel_of(LoadedModule& module, std::string_view name);
  [[nodiscard]] Symbol variable_of(const LoadedModule& module, std::string_view name) const;
  /// False: the machine cannot run it (Kernel::refused); told once.
  bool decode(Kernel& kernel);

  // launch.cpp
  /// `unread`: nobody sees what is returned (<<<>>>), so that somebody has to ask for it.
  void launch(Kernel& kernel, const LaunchShape& shape, void** arguments, bool unread);
  /// The work that it is. What CUDA would refuse is refused now. `later`: others may be launched
  /// before it is done.
  cudaError_t prepare(Kernel& kernel, const LaunchShape& shape, void** arguments, Work& work,
                      bool unread = false, bool later = true);
  /// The program asked for the last error.
  void error_was_read() { unread_.reset(); }

  // state.cpp
  /// Ends the process with one line and exit code 2.
  [[noreturn]] void end(const std::string& why);
  /// Says once what the program does that is not supported ("calls cudaMallocArray"); the program
  /// goes on with cudaErrorNotSupported, and `gauntlet run` ends with code 2.
  cudaError_t refuse(std::string_view what);
  void at_exit();
  /// Tells of a launch that failed and whose error nobody has read.
  void tell_unread();
  /// Before copies of this process are made: reads the modules, and has launches take one thread.
  void get_ready();
  /// What was allocated, created or loaded is gone; variables get their first values when their
  /// module is needed again, but for managed ones (as seen on an H100).
  void reset();

  // streams.cpp. Handles are addresses that were given out.
  /// As on an H100: 0 is the least, -5 the greatest. Nothing runs sooner for it.
  static constexpr int greatest_priority = -5;
  struct Stream {
    unsigned flags = 0;
    int priority = 0;
    Party party = legacy_stream;
    std::map<cudaStreamAttrID, cudaStreamAttrValue> hints;  ///< that change nothing here
    std::shared_ptr<Capture> capture;                       ///< nullptr: none
    std::vector<GraphNode*> last;  ///< of the capture: what the next node comes behind
  };
  struct Event {
    bool recorded = false, timed = true;
    bool shared = false;  ///< with other processes
    std::chrono::steady_clock::time_point when;
    SharedClock clock;
    std::shared_ptr<Capture> capture;  ///< where it was recorded in one
    std::vector<GraphNode*> behind;
  };
  std::map<const void*, Stream> streams;
  std::map<const void*, Event> events;
  Pools pools;
  Limits limits;
  GraphMemory graph_memory;
  Textures textures;
  SharedArrays shared_arrays;
  /// What another process has given is no longer needed here. False: it is no such array.
  bool give_back(Address at);  // api_ipc.cpp
  // api_pool.cpp
  [[nodiscard]] const void* usual_pool();
  [[nodiscard]] const void* current_pool();
  [[nodiscard]] const void* graph_pool();  ///< what graphs have allocated
  [[nodiscard]] static void* new_handle();
  /// Also the default streams; nullptr: there is none.
  [[nodiscard]] Stream* stream(cudaStream_t handle);
  /// The same in an entry, which ends where there is none.
  [[nodiscard]] Stream& known_stream(cudaStream_t handle);
  cudaStream_t add_stream(std::string_view call, unsigned flags);
  /// Does the work, or keeps it where the stream captures.
  void put(cudaStream_t stream, Work work);
  /// The host waits for a stream.
  void synchronise(cudaStream_t stream);
  /// A call of the runtime: memory that the host shares is open to it.
  class Call {
   public:
    explicit Call(State& of) : of_(of) {
      if (of_.calls_++ == 0) of_.host_watch.open();
    }
    ~Call() {
      if (--of_.calls_ == 0) of_.host_watch.close();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    State& of_;
  };
  bool per_thread = false;  ///< this call means by stream 0 the default stream of its thread

  // graph.cpp
  std::map<const Graph*, std::shared_ptr<Graph>> graphs;
  std::map<std::uint64_t, Condition> conditions;  // by handle
  std::map<const GraphExec*, std::unique_ptr<GraphExec>> graph_execs;
  void keep(Stream& stream, Work work);

 private:
  void failed_launch(const Kernel& kernel, cudaError_t error, bool unread);
  void tell_what_is_left(std::string_view call);
  void read_code(LoadedModule& module) const;  // throws BadImage
  void place_variables(LoadedModule& module);
  friend class DeviceLaunches;
  cudaError_t refuse_shape(const Kernel& kernel, const LaunchShape& shape) const;
  /// Decodes it, and gives it a row in the report. False: the machine cannot run it.
  bool ready(Kernel& kernel);
  /// Without parameters.
  void configure(simt::LaunchConfig& config, const Kernel& kernel, const LaunchShape& shape) const;
  /// A launch has run: it is counted, and what was found in it is told.
  void settle(Kernel& kernel, const simt::LaunchConfig& config, simt::LaunchReport&& launched,
              bool checked, bool unsampled, const SavedLaunch* saved);
  /// Launch number `launches_` is to be checked.
  [[nodiscard]] bool checks(Kernel& kernel);
  /// `config`: as `configure` made it; what else a run needs is set anew by each.
  void run(Kernel& kernel, simt::LaunchConfig& config, const OperationPtr& operation, bool unread);
  // repeat.cpp
  /// What tells launches of one shape apart, if what one of them does depends on memory alone.
  std::optional<Repeat::Key> repeated_by(Kernel& kernel, const simt::LaunchConfig& config,
                                         const Operation& operation) const;
  /// Not null: earlier launches with the same parameters.
  [[nodiscard]] Repeat* launches_before(Kernel& kernel, Repeats& repeats,
                                        const simt::LaunchConfig& config,
                                        const Operation& operation) const;
  /// Not null: what the launch accesses, as one before did in which nothing was found.
  [[nodiscard]] const Repeat::Done* same_accesses(Kernel& kernel, const Repeat& before) const;
  /// Behind a launch that was executed.
  void keep_for_repeats(Kernel& kernel, Repeats& repeats, const simt::LaunchConfig& config,
                        const Operation& operation, const LaunchReport& report,
                        const Touched& touched);
  /// The launch does what an earlier one did: what is told and noted of it.
  void repeat(Kernel& kernel, const simt::LaunchConfig& config, const Repeat::Done& done,
              const OperationPtr& operation);
  /// Says once that the detector could do with more memory.
  void tell_no_room(const Kernel& kernel, const simt::LaunchConfig& config);
  void keep_findings(Kernel& kernel, const simt::LaunchConfig& config,
                     simt::LaunchReport&& launched, const SavedLaunch* saved);

  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::map<const void*, Kernel> kernels_;  // by the host's stub
  std::set<const Kernel*> handles_;
  unsigned calls_ = 0;  // nested ones
  std::uint64_t launches_ = 0;
  simt::LaunchConfig config_;  // of the launch at hand: none is made anew
  Stream default_;
  std::map<std::uint64_t, Stream> per_thread_;  // by the number of the thread
  std::vector<std::string> launchers_;          // of a launch inside a kernel: who launched it
  std::map<Party, std::vector<Party>> parties_inside_;  // of such launches, by the host's stream
  std::map<std::string, std::uint64_t, std::less<>> made_;  // streams, by the call that makes them
  simt::AccessMap accesses_, early_accesses_;
  MemoryLimit kept_for_repeats_{512 << 20};
  bool told_no_room_ = false;
  unsigned jobs_;  // threads of a launch: asking the system takes longer than a short one
  std::optional<Mistake> unread_;  // of the last launch that failed
};

/// The state of this process, made at the first call, never destroyed: exit handlers of the program
/// call the runtime.
[[nodiscard]] State& state();
/// nullptr: there was no call yet.
[[nodiscard]] State* made_state();

/// From now on SIGSEGV tells of an access to device memory, where the program does not handle it.
void watch_device_pointers();
/// It still does.
[[nodiscard]] bool watches_device_pointers();

/// The runtime makes the device's primary context current where a thread has none (driver.cpp).
void runtime_called();

/// The last error of this thread.
cudaError_t& last_error();

/// Set by an entry whose program was compiled for a default stream per thread (entries.cmake).
extern "C" __thread char gauntlet_per_thread __attribute__((tls_model("initial-exec")));

/// What an entry of the runtime does: one at a time, nothing after a fatal error, the error kept.
/// `work` returns an error, or nothing.
template <class F>
cudaError_t entry(F&& work, CallKind kind = CallKind::other) {
  const PythonCall python(kind);
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const State::Call call(s);
  s.per_thread = std::exchange(gauntlet_per_thread, 0) != 0;
  if (driver_call().empty()) runtime_called();
  cudaError_t error = s.sticky;
  if (error == cudaSuccess) {
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<F, State&>>) {
        work(s);
      } else {
        error = work(s);
      }
    } catch (const Refusal& refusal) {
      error = refusal.error;
    } catch (const BadImage& bad) {
      s.report.refuse(bad.what());
      error = bad.error;
    } catch (const std::bad_alloc&) {
      error = cudaErrorMemoryAllocation;
    } catch (const std::exception& failure) {
      s.end(failure.what());
    }
  }
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error() = error;
  return error;
}

/// Defines an entry of one expression, in terms of its parameters and the state `s`.
#define GAUNTLET_ENTRY(name, parameters, ...)                             \
  cudaError_t name parameters {                                           \
    return entry([&]([[maybe_unused]] State& s) { return __VA_ARGS__; }); \
  }

/// What an entry does that tells of one value.
template <class T>
cudaError_t give(T* to, std::type_identity_t<T> value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

}  // namespace gauntlet::runtime
