// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/warp.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet::simt {

Subwarp& Warp::split(std::uint32_t subwarp, std::uint32_t of_lanes) {
  // Member by member: a copy of the whole would have to wait for what was just written to it.
  Subwarp& f = subwarps[subwarp];
  f.lanes &= ~of_lanes;
  Subwarp& part = subwarps[subwarp_count++];
  part.state = f.state;
  part.pc = f.pc;
  part.lanes = of_lanes;
  part.spent = f.spent;
  return part;
}

void Warp::release(Subwarp& f, std::uint64_t quantum) {
  // A wait that ended is progress, as a rule. But a loop with barriers may itself wait, for what
  // only a block does that has not started: after a while its warps are passed over, too.
  constexpr std::uint64_t turns = 4;
  const bool patient = instructions - turn < turns * quantum;
  f.state = Subwarp::State::runnable;
  waiting &= ~f.lanes;
  f.spent = patient ? 0 : quantum;
  ++f.pc;
}

void Warp::merge_subwarps() {
  for (std::uint32_t a = 0; a < subwarp_count; ++a) {
    Subwarp& f = subwarps[a];
    if (f.state != Subwarp::State::runnable) continue;
    for (std::uint32_t b = a + 1; b < subwarp_count;) {
      const Subwarp& other = subwarps[b];
      if (other.state != Subwarp::State::runnable || other.pc != f.pc) {
        ++b;
        continue;
      }
      f.lanes |= other.lanes;
      f.spent = std::max(f.spent, other.spent);
      remove(b);
    }
  }
}

}  // namespace gauntlet::simt
