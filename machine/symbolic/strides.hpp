// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One block stands for many. A block of a kernel that cuts its input into tiles of T elements meets
// its number c and the number of elements n only in indices such as c * T + t. While the machine
// runs block 0 of n = m elements, every integer has a stride beside it: by how much it grows with
// the block's number (n then has T elements more for each block before it), and with each element
// that n has more behind the tile. Comparisons whose outcome does not change with either, and
// addresses that move with their tile, are the same in all those blocks; anything else is a Cause,
// and the block stands for itself alone. What is read as a number of a certain type (an index that
// is widened, compared or shifted) must not have wrapped: that bounds n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"
#include "machine/symbolic/kernel_view.hpp"

namespace gauntlet::simt::symbolic {

/// Growth of a value, modulo the width of its register.
struct Stride {
  std::int64_t block = 0;    ///< with the block's number
  std::int64_t element = 0;  ///< with n behind the block's tile
  bool operator==(const Stride&) const = default;
};

class Strides {
 public:
  struct Array {
    enum class Use : std::uint8_t {
      input,  ///< read only: at addresses that move by `stride` bytes a block
      own,    ///< and each block stays inside its own `stride` bytes
      sum     ///< one cell in which all blocks combine atomically: no stride
    } use = Use::input;
    Address begin = 0;  ///< of block 0's tile
    Address base = 0;
    std::uint64_t bytes = 0, stride = 0;
  };
  struct Setup {
    std::uint64_t tile = 0;           ///< T
    std::uint64_t elements = 0;       ///< n = m of this run
    bool elements_behind = false;     ///< blocks with more elements behind their tile are stood for
    std::vector<std::size_t> counts;  ///< the arguments, of 8 bytes, that are n
    std::vector<Array> arrays;
  };
  struct Cause {
    std::string what;
    std::uint32_t inst = 0;
  };

  /// Before each run, of one launch.
  void begin(Setup setup);
  void begin_launch(const Kernel& kernel, std::shared_ptr<const KernelView> view);
  void start_block(const Block& b);
  /// Before an instruction is executed: `lanes` come to it, its guard lets `m` through; `symbolic`
  /// of them have an operand that is made of elements.
  void instruction(const Warp& w, std::uint32_t pc, std::uint32_t lanes, std::uint32_t m,
                   std::uint32_t symbolic);

  /// Lanes in which a register is another one in other blocks, or for other n, or may be.
  [[nodiscard]] std::uint32_t moves(const Warp& w, Operand o) const { return source(w, o).any(); }
  /// Why the block does not stand for others.
  [[nodiscard]] const std::optional<Cause>& cause() const { return cause_; }
  /// It does for every smaller n that fits it.
  [[nodiscard]] std::uint64_t below() const { return below_; }
  /// The instruction whose operand wraps there.
  [[nodiscard]] std::uint32_t wraps_at() const { return wraps_at_; }

 private:
  struct Slot {
    std::uint32_t moving = 0;   ///< lanes with `by`
    std::uint32_t unknown = 0;  ///< lanes of which nothing is known
    Stride by;
    [[nodiscard]] std::uint32_t any() const { return moving | unknown; }
  };
  /// A product of 32 bits with 64.
  [[nodiscard]] bool is_wide(std::uint32_t pc) const {
    return kernel_->operation_at(pc).how.has(Modifier::wide);
  }

  [[nodiscard]] Slot source(const Warp& w, Operand o) const;
  void put(const Warp& w, Operand d, std::uint32_t m, Slot value, unsigned bytes);
  void forget(const Warp& w, std::uint32_t pc, std::uint32_t m);
  void fail(std::string_view what, std::uint32_t pc);
  [[nodiscard]] static Slot sum(const Slot& a, const Slot& b, std::int64_t sign, std::uint32_t m);
  [[nodiscard]] Slot product(const Warp& w, const Inst& i, const Rule& rule, std::uint32_t m,
                             std::uint32_t pc);
  [[nodiscard]] Slot result(const Warp& w, const Inst& i, const Rule& rule, std::uint32_t m,
                            std::uint32_t pc);
  void data(const Warp& w, std::uint32_t pc, std::uint32_t m, std::uint32_t symbolic);
  void parameter(const Warp& w, std::uint32_t pc, std::uint32_t m);
  void memory(const Warp& w, std::uint32_t pc, std::uint32_t m);
  void global(const MemoryOp& op, std::uint32_t pc, const Slot& moves, std::uint32_t lane,
              Address address);
  /// `x` is read as a number of `type`, which must not have wrapped: notes up to which n.
  void numeric(const Warp& w, Operand o, const Slot& x, Type type, std::uint32_t m,
               std::uint32_t pc);
  void bound(__int128 room, std::int64_t block, std::int64_t element, std::uint32_t pc);
  /// Lanes of `m` in which `a relation b` is the same for all blocks and every n.
  [[nodiscard]] std::uint32_t settled(const Warp& w, const Inst& i, Relation relation, Type type,
                                      std::uint32_t m) const;
  [[nodiscard]] static Slot chosen(const Slot& a, const Slot& b, std::uint32_t first,
                                   std::uint32_t m);

  const Kernel* kernel_ = nullptr;
  std::shared_ptr<const KernelView> view_;
  Setup setup_;
  std::unordered_map<std::uint32_t, Slot> specials_;  ///< by offset in the register file
  std::vector<Slot> slots_;                           ///< by warp and slot
  std::optional<std::uint32_t> operation_;            ///< of the cell that all blocks combine in
  std::optional<Cause> cause_;
  std::uint64_t below_ = ~std::uint64_t{0};
  std::uint32_t wraps_at_ = 0;
};

}  // namespace gauntlet::simt::symbolic
