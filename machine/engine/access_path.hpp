// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How parts of an engine access memory: with faults, definedness, and for all who watch.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/engine/access.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/reports.hpp"
#include "machine/races/race.hpp"
#include "machine/state/event_log.hpp"

namespace gauntlet::simt {

class AccessPath {
 public:
  /// Lanes access elements, wherever their addresses lead.
  virtual void in_space(Access& a, MemorySpace space, std::uint32_t mask) = 0;
  /// The same where nothing is wrong and nothing unusual; false: nothing was done.
  virtual bool at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                       std::uint32_t mask) = 0;
  /// Of lanes that are inside the region. Nobody is told.
  virtual void transfer(Access& a, const Region& r, std::uint32_t mask,
                        const Allocation* allocation) = 0;
  /// What lanes load that may not; `lane`: whose fault it is.
  virtual void load_nothing(Access& a, std::uint32_t mask, std::uint32_t lane) = 0;
  /// Of a lane's access of Access::width bytes to the block's shared memory (nullptr: to global
  /// memory); nullopt: not all of it is anywhere, which is told if `tells`.
  virtual std::optional<Stretch> stretch(Access& a, std::uint32_t lane, Block* of, bool tells) = 0;
  /// The lanes of `mask` have accessed the region; allocation nullptr: shared memory. by_runs: some
  /// of them may be looked at together.
  virtual void watch(const Access& a, const Region& r, std::uint32_t mask,
                     const Allocation* allocation, bool by_runs, CopyStep copy,
                     std::uint32_t number) = 0;
  /// The lanes of `mask` have accessed the array: for who notes which bytes are.
  virtual void note(const Access& a, const Allocation& array, std::uint32_t mask) = 0;
  /// A copy reads or writes what is there.
  virtual void tell_bulk(const Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                         std::uint32_t number) = 0;
  /// For the event log.
  virtual void log_sync(Event::What what, const Block& b, const Warp& w, std::uint32_t lanes,
                        std::uint32_t inst, std::uint64_t group) = 0;
  /// A phase of the mbarrier at this shared address is complete, and with it what it tracks.
  virtual void phase_ended(Block& b, std::uint64_t address) = 0;

 protected:
  ~AccessPath() = default;
};

/// What a part of an engine has of the launch.
struct EnginePart {
  const Kernel& kernel_;
  const LaunchConfig& config_;
  GlobalMemory& memory_;
  Reports& reports_;
  AccessPath& path_;
  RaceDetector* races_ = nullptr;  ///< nobody looks for races
};

}  // namespace gauntlet::simt
