// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Warp-synchronous instructions (PTX ISA 9.0, 9.7.13.2-4 and 9.7.9.6): who waits for whom, what is
// exchanged, and which contracts were broken.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "machine/engine/access_path.hpp"
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {

class Collectives : EnginePart {
 public:
  /// What lanes do that have come to an instruction of tensor cores together.
  using Matrix = std::function<void(Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes)>;
  Collectives(const EnginePart& part, const ResidentBlocks& residents, Matrix matrix)
      : EnginePart(part), residents_(residents), matrix_(std::move(matrix)) {}

  /// True when the subwarp needed nobody else and may go on; its pc is then still at the
  /// instruction. Otherwise it waits, or it was released together with others.
  bool arrive(Block& b, Warp& w, std::uint32_t subwarp);
  /// Lanes have exited: fewer are waited for.
  void check(Block& b, Warp& w);

 private:
  bool arrive_by_mask(Block& b, Warp& w, std::uint32_t subwarp);
  bool sync_at_once(const Block& b, const Warp& w, const Subwarp& f, const WarpOp& op);
  bool complete(Block& b, Warp& w, std::uint32_t members, const WarpOp& like);
  /// __syncwarp of lanes that are all there.
  void warp_barrier(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes);
  void exchange(Block& b, Warp& w, std::span<const std::uint32_t> subwarps);

  const ResidentBlocks& residents_;
  Matrix matrix_;
};

}  // namespace gauntlet::simt
