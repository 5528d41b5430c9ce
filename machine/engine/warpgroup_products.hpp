// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma (PTX ISA 9.0, 9.7.15). Each warp makes its 16 rows by itself. Who waits for a group waits,
// too, until the other warps of the four have begun as much: from there on all four have ended it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/matrix_product.hpp"
#include "machine/state/group_product.hpp"

namespace gauntlet::simt {

/// Here an origin is as Fragments::origin: one more than its number, and 0 if nothing is undefined.
class WarpgroupProducts : EnginePart {
 public:
  explicit WarpgroupProducts(const EnginePart& part) : EnginePart(part) {}

  /// The warp begins a product, orders its registers, commits a group or waits for one; who has to
  /// wait goes round (its register is 0). `fault`: an origin that makes all of a product undefined.
  void run(const Executed& by, const MatrixOp& op, std::uint32_t fault);
  /// The block has ended, and with it the shared memory that products read.
  void end_of(Block& b);
  /// Some are under way.
  [[nodiscard]] bool any() const { return !products_.empty(); }

 private:
  void begin(const Executed& by, const MatrixOp& op, std::uint32_t fault);
  void tell_unfenced(const Executed& by, const MatrixOp& op);
  /// What is wrong with the operands is told; an origin.
  [[nodiscard]] std::uint32_t told_operands(const Executed& by, const MatrixOp& op);
  /// The same of the places of a sparse A, which may be undefined, or none.
  [[nodiscard]] std::uint32_t told_places(const Executed& by, const MatrixOp& op);
  template <class... Values>
  std::uint32_t breaks_contract(const Executed& by, std::uint32_t lane,
                                fmt::format_string<Values...> text, Values&&... values) {
    reports_.tell(FindingKind::divergent_barrier, by, lane, text, std::forward<Values>(values)...);
    return reports_.fault_origin(by.inst, by.warp, lane) + 1;
  }
  /// In the shared window, of the 18 bits that a descriptor has. Dynamic memory goes first.
  [[nodiscard]] std::uint64_t address_of_tile(const Block& b, std::uint64_t start) const;
  void read_tile(Block& b, Warp& w, const MatrixOp& op, MatrixPart part, Fragments& to,
                 GroupProduct& product);
  void tell_tiles(Block& b, const GroupProduct& product, CopyStep how);
  /// What D holds, or will hold when what is under way has ended.
  [[nodiscard]] Fragments addends(const Block& b, Warp& w, const MatrixOp& op);
  void wait(Block& b, Warp& w, const MatrixOp& op);
  void end(Block& b, Warp& w, const GroupProduct& product);

  std::vector<GroupProduct> products_;  ///< under way; of each warp the earlier ones first
};

}  // namespace gauntlet::simt
