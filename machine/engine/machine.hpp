// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The software SIMT machine: loads PTX, launches kernels over a GlobalMemory, reports findings.
//
//   auto module = simt::load_module(ptx_text, "sum.ptx");
//   simt::GlobalMemory memory;
//   auto in = memory.allocate({.name = "in", .bytes = 4000});  memory.write(in, bytes);
//   auto out = memory.allocate({.name = "out", .bytes = 4, .output = true});
//   simt::ModuleState state(*module, memory);       // __device__ variables live here
//   simt::LaunchConfig config{.entry = "sum", .grid = {4}, .block = {256}, .shared_bytes = 1024};
//   config.add(in); config.add(out); config.add(std::uint32_t{1000});
//   simt::LaunchReport report = simt::launch(state, config);
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/counters.hpp"
#include "base/device.hpp"
#include "base/finding.hpp"
#include "base/host_memory.hpp"
#include "base/types.hpp"
#include "machine/code/refusal.hpp"
#include "machine/ptx/ast.hpp"
#include "machine/state/event_log.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

class AccessMap;
class DeviceRuntime;
class LaunchAccesses;
struct LaunchSteps;
class Scheduler;
namespace symbolic {
class Shadow;
}
struct KernelProfile;
class Module;  // parsed and decoded PTX, immutable, shared between threads

/// Parses and decodes a whole module. An instruction that the machine does not know is refused
/// here: throws ptx::Error ("FILE:LINE: ...: `text`").
/// `only`: the one entry that is wanted; what the others hold is then never refused. Empty: all.
[[nodiscard]] std::shared_ptr<const Module> load_module(std::string ptx, std::string file_name,
                                                        std::string_view only = {});

/// The same in two steps, for a module of which only some entries are ever launched: a module that
/// no entry was decoded of, and one entry more (nothing happens where it is there already). Not
/// while another thread uses the module. Throws ptx::Error, std::out_of_range where there is no
/// such entry.
[[nodiscard]] std::shared_ptr<Module> parse_module(std::string ptx, std::string file_name);
void decode_entry(Module& module, std::string_view entry);

struct ParamInfo {
  std::uint32_t offset = 0, bytes = 0;
};
/// Bytes of the module's .global and .const variables: what each ModuleState allocates, twice (the
/// content and a state for each byte).
[[nodiscard]] std::uint64_t variable_bytes(const Module& module);
/// The parameters of an entry (std::out_of_range if absent).
[[nodiscard]] std::vector<ParamInfo> entry_params(const Module& module, std::string_view entry);

/// Schedules under which the races of an entry are to be looked for. `lockstep` alone where
/// barriers and launches order everything: then what is found does not depend on the schedule.
/// Where threads synchronise through memory (fences, release and acquire: locks, flags, tickets),
/// or blocks of a cluster use each other's, who comes first decides, and there are five: lanes,
/// warps and blocks forwards and backwards, and a random one, in which blocks that wait for nothing
/// run beside each other.
[[nodiscard]] std::vector<std::string> schedules_for(const Module& module, std::string_view entry);

/// Whether the entry has any instruction that reads or writes an array (of global or shared
/// memory). A kernel without one proves nothing: nvcc removes what nobody can see.
[[nodiscard]] bool accesses_arrays(const Module& module, std::string_view entry);

/// Whether the entry asks something of the device runtime: LaunchConfig::runtime has to be set.
/// (std::out_of_range where there is no such entry.)
[[nodiscard]] bool uses_device_runtime(const Module& module, std::string_view entry);
/// The name of the function at an address that a kernel has taken; empty: none is there.
[[nodiscard]] std::string_view function_at(const Module& module, std::uint64_t address);

/// Why an entry of a parsed module cannot run: every reason, in the order of the text; none: it
/// can. Throws std::out_of_range where there is no such entry.
[[nodiscard]] std::vector<Refusal> why_refused(const ptx::Module& module, std::string_view entry);

/// A module loaded on one device memory: its __device__ and __constant__ variables are allocations.
class ModuleState {
 public:
  /// `placed`: variables for which the caller has an array already.
  ModuleState(std::shared_ptr<const Module> module, GlobalMemory& memory,
              const std::map<std::string, Address, std::less<>>& placed = {});
  [[nodiscard]] const std::shared_ptr<const Module>& module() const { return module_; }
  [[nodiscard]] GlobalMemory& memory() const { return *memory_; }
  /// Address of a module-scope variable, by PTX name; 0 when there is none.
  [[nodiscard]] Address symbol(std::string_view name) const;
  /// Whether blocks of a kernel may run side by side (LaunchConfig::jobs): by its instructions, and
  /// as its launches so far have shown. Not there: nobody has asked.
  std::map<std::string, bool, std::less<>> splits;

 private:
  std::shared_ptr<const Module> module_;
  GlobalMemory* memory_;
  std::map<std::string, Address, std::less<>> symbols_;
};

/// How far a launch has come, as all of its threads count it.
struct LaunchProgress {
  std::atomic<std::uint64_t> blocks{0};  ///< that have ended
  std::atomic<std::uint64_t> warp_instructions{0};
  /// Called by each of the threads, more than once a second.
  std::function<void()> tell;
};

/// A launch as the machine takes it: parameters in bytes, and what only the machine knows. A Launch
/// becomes one in machine/engine/device.hpp.
struct LaunchConfig {
  std::string entry;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;      ///< dynamic shared memory
  Dim3 cluster{0, 0, 0};               ///< blocks of a cluster; 0: as the kernel says
  bool cooperative = false;            ///< all blocks resident; grid barriers may be used
  std::vector<std::byte> params = {};  ///< laid out as the entry's parameters (see add)
  std::string schedule = "lockstep";   ///< machine/schedules/scheduler.hpp
  std::uint64_t step_limit = 0;        ///< warp instructions of one warp; 0: 10 million
  /// Nobody has chosen the launch to be short: at the step limit only a warp ends that waits, which
  /// reads the same addresses again and again; another one at a hundred times as many.
  bool may_be_long = false;
  bool checks = true;       ///< false: no poison, no findings but fatal ones
  EventLog* log = nullptr;  ///< not null: every visible event is appended
  bool races = false;       ///< detect data races (machine/races/race.hpp); needs checks
  /// Not null: what the detector may take for arrays. Full behind the launch: it did not suffice,
  /// and races were looked for until then.
  MemoryLimit* memory = nullptr;
  std::uint32_t first_block = 0, block_count = 0;  ///< run a window of the grid; 0: all
  std::uint32_t launch_index = 0;  ///< several launches of one run: distinguishes random schedules
  Scheduler* scheduler = nullptr;  ///< not null: chooses instead of what `schedule` names
  bool record = false;             ///< LaunchReport::schedule becomes a replay string
  KernelProfile* profile =
      nullptr;  ///< not null: counters by line are put here (machine/counters/counters.hpp)
  /// Not null: symbolic values are kept beside the concrete ones (machine/symbolic/shadow.hpp).
  symbolic::Shadow* shadow = nullptr;
  /// Not null: the launch ends early once this is true. Looked at between the turns of subwarps,
  /// at most 65,536 warp instructions apart; may be set by another thread or a signal handler.
  const std::atomic<bool>* interrupted = nullptr;
  /// Not null: the bytes of arrays that are accessed are noted here (access_map.hpp).
  AccessMap* accesses = nullptr;
  /// Not empty: a programmatic dependent launch, and the one before it has not run yet. Called,
  /// once, when no thread can go on without it, or all have ended: runs it. False: it did not come
  /// to its end, and this launch does not go on either.
  std::function<bool()> launch_before = {};
  /// Not null: accesses to arrays are noted here (machine/races/launch_order.hpp); needs races.
  LaunchAccesses* ordering = nullptr;
  /// Not null: of what goes into `accesses`, those that come behind no griddepcontrol.wait; needs
  /// races.
  AccessMap* early_accesses = nullptr;
  /// With that: what the launch says of those beside it.
  LaunchSteps* steps = nullptr;
  /// What the kernel asks of the device runtime (machine/engine/device_runtime.hpp).
  DeviceRuntime* runtime = nullptr;
  /// Threads for the blocks of a lockstep launch, which then gives the same bits, findings and
  /// counters: blocks that are not independent run one behind the other (side_by_side.hpp).
  unsigned jobs = 1;
  /// Twice as many warp instructions have to be left where others are asked to help: they take
  /// longer than it takes to start a thread and to look at what it has accessed.
  std::uint64_t alone = 30'000;
  /// Not null: is told now and then how far the launch has come.
  LaunchProgress* progress = nullptr;
  /// Not empty: called with what a thread prints, call by call, the lanes of a warp in order.
  std::function<void(const std::string&)> print = {};
  /// Not null: the same is appended here, up to a MiB, with the word in the place of a value that
  /// nobody defined.
  std::string* printed = nullptr;

  /// Appends a kernel argument at its natural alignment.
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    while (params.size() % alignof(T) != 0) params.push_back(std::byte{0});
    const auto at = params.size();
    params.resize(at + sizeof(T));
    std::memcpy(params.data() + at, &value, sizeof(T));
  }
};

using gauntlet::LaunchReport;

/// Runs one launch to its end. Throws std::invalid_argument for a launch that CUDA itself would
/// refuse (no such entry, empty grid, more than 1024 threads, parameter size, too much shared
/// memory, a cooperative launch of too many blocks), in one line.
[[nodiscard]] LaunchReport launch(ModuleState& state, const LaunchConfig& config);

}  // namespace gauntlet::simt
