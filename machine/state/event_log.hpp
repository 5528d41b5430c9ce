// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launch did that other threads can see, in the order of its schedule: for witnesses, and
// for checkers that judge the race detector.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

struct Event {
  enum class What : std::uint8_t {
    read,
    write,
    atomic,
    fence,         ///< scope, order
    warp_barrier,  ///< one event for each lane; `group` is the same for all of them
    block_arrive,  ///< one for each thread; `group` names the barrier's generation
    block_leave,
    copies_arrive,  ///< cp.async.mbarrier.arrive, on `variable`
    copies_commit,  ///< cp.async.commit_group
    copies_wait,    ///< cp.async.wait_group: for all but the last `group` of its groups
    exit
  } what = What::read;
  std::uint32_t block = 0, thread = 0;  ///< linear block, thread within it
  std::uint32_t inst = 0;               ///< index into the kernel's code
  std::uint64_t group = 0;
  // Accesses:
  bool shared = false;
  std::uint64_t address = 0;    ///< global address, or offset in the shared window
  std::uint64_t variable = 0;   ///< under what it synchronises: the address, or an mbarrier's phase
  std::uint32_t width = 0;      ///< bytes
  std::uint32_t element = 0;    ///< of a vector or packed pair, of one element; else the width
  std::uint64_t value = 0;      ///< the first eight bytes read or written; an atomic: what it left
  std::uint64_t undefined = 0;  ///< the bits of `value` that nobody defined
  bool read_only = false;       ///< a load that no order reaches
  CopyStep copy = CopyStep::none;
  bool strong = false;  ///< volatile, relaxed or stronger
  Order order = Order::weak;
  Scope scope = Scope::sys;
  MemoryOp::Decides decides = MemoryOp::Decides::nothing;
};

using EventLog = std::vector<Event>;

}  // namespace gauntlet::simt
