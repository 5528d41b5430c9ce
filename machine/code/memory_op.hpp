// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions that access memory, as decoded: loads, stores, atomics, textures and bulk copies.
#pragma once

#include <cstdint>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

/// A register or a constant: 32 lanes of 4 or 8 bytes, or (predicates) one 32-bit mask.
struct Operand {
  static constexpr std::uint32_t constant_bit = 0x8000'0000;
  std::uint32_t offset = 0;  ///< bytes; constant_bit: into the constant pool
  std::uint32_t id = 0;      ///< poison slot; 0: can never hold poison
};

/// The ways to memory between which a fence.proxy is needed: what threads do, what bulk copies and
/// wgmma do, and how these read tensor maps.
enum class Proxy : std::uint8_t { generic, async, maps };
enum class MemorySpace : std::uint8_t { generic, global, shared, local, param, constant };
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, seq_cst };
enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

enum class AtomicOp : std::uint8_t {
  none,
  add,
  exch,
  cas,
  min,
  max,
  inc,
  dec,
  and_,
  or_,
  xor_,
  arrive,       ///< at an mbarrier (machine/isa/mbarrier.hpp)
  arrive_drop,  ///< and nobody comes in its place in the phases to follow
  expect        ///< bytes of bulk copies there, or that they have come
};
/// What becomes of the accesses of an asynchronous copy, which is a thread of its own until its
/// issuer has waited for it.
enum class CopyStep : std::uint8_t {
  none,    ///< no copy
  begins,  ///< it is under way from here on
  waited,  ///< its issuer has waited for it
  landed   ///< the phase of the mbarrier that tracks it has ended: who waits for that is behind it
};

struct MemoryOp {
  enum class What : std::uint8_t { load, store, atomic, reduction } what = What::load;
  MemorySpace space = MemorySpace::generic;
  ptx::ScalarType cell = ptx::ScalarType::u32;  ///< how its bits are taken: no b8 to b64, no pred
  std::uint8_t size = 4;                        ///< bytes of one element
  std::uint8_t count = 1;                       ///< elements (vector loads and stores)
  std::uint8_t alignment = 0;  ///< if more than its bytes: of a vector's first atomic
  bool is_volatile = false;
  bool async = false;           ///< the store of a cp.async, whose values it alone uses
  bool copied = false;          ///< the load of a cp.async, which comes just before that
  bool sent = false;            ///< st.async or red.async, whose `bulk` has the mbarrier
  bool of_map = false;          ///< what a bulk copy reads of its tensor map
  bool mbarrier = false;        ///< an arrival, or the load of a wait
  bool by_parity = false;       ///< of a wait for one: `operand` is a parity, and no token
  bool unheeded = false;        ///< likewise: nothing depends on whether the phase has ended
  bool makes_mbarrier = false;  ///< the store of mbarrier.init or .inval
  /// A load of what the launch is not to write, which nothing orders (PTX ISA 9.0, 8.1): .nc, ldu.
  bool read_only = false;
  bool by_launched = false;  ///< it stands for what a launched kernel does (SystemCall::launched)
  bool shortened = false;    ///< the load of a cp.async of `source_bytes`; zeros follow
  /// By a proof: what the instruction does is all in here (its row in isa/instruction_rows.cpp).
  bool followed = true;
  /// A load or store that Engine::memory_at_once tries first.
  bool plain = false;
  /// ... and, where whole warps access elements side by side, Engine::whole_warp before that: their
  /// bytes; 0: it does not.
  std::uint16_t streams = 0;
  /// Words of each lane's access, log2, where the race detector may keep it by rows
  /// (RaceDetector::access_rows); negative: it may not.
  std::int8_t row_shift = -1;
  Order order = Order::weak;
  Scope scope = Scope::gpu;
  AtomicOp atomic = AtomicOp::none;
  /// Of a texture or surface, which `address` names: 1 and an index of Kernel::texture_ops. A
  /// surface's element is a load or store; a fetch (read_only) is as many loads as it filters.
  std::uint32_t texture = 0;
  /// Of a bulk copy: 1 and an index of Kernel::bulk_ops. Its load and its store follow one another;
  /// the store does what there is to do. What is `sent` has no load.
  std::uint32_t bulk = 0;
  bool address_wide = true;  ///< the address register has 64 bits
  bool address_is_constant = false;
  Operand address;
  std::int64_t offset = 0;
  Operand values[8];                 ///< destinations of a load, sources of a store
  std::uint8_t value_bytes[8] = {};  ///< 4 or 8: storage of the register
  bool has_result = false;           ///< atomic: values[0] receives the old value
  Operand compare;                   ///< cas
  Operand operand;                   ///< of an atomic; of a wait for an mbarrier: which phase
  Operand source_bytes;
  /// What the value of a strong load or atomic decides: whether a loop is left, or a branch that
  /// begins with an acquiring fence (machine/isa/decode_waits.cpp). Such a load is made to
  /// synchronise. arrival: a loop that does nothing but wait is left, and behind it the value is
  /// used: the word says by itself whether it is there.
  enum class Decides : std::uint8_t { nothing, acquire, loop, arrival } decides = Decides::nothing;
  [[nodiscard]] bool polls() const { return decides >= Decides::loop; }
  /// A strong load whose value decides branches, and goes nowhere else.
  bool only_branches = false;
  /// Of a plain load: where this predicate is set, or is not, nothing is made of its value
  /// (machine/isa/decode_dropped.cpp).
  enum class Drops : std::uint8_t { nowhere, where_set, where_not_set } drops = Drops::nowhere;
  Operand dropped_by;
  [[nodiscard]] Proxy proxy() const {
    if (of_map) return Proxy::maps;
    return bulk != 0 && !sent ? Proxy::async : Proxy::generic;
  }
  /// Bytes that are accessed as one: of a packed pair each half is by itself (PTX ISA 9.0, 8.2.3).
  [[nodiscard]] unsigned atom() const {
    return cell == ptx::ScalarType::f16x2 || cell == ptx::ScalarType::bf16x2 ? 2U : size;
  }
  /// Bytes of a lane's access, of all elements.
  [[nodiscard]] std::uint32_t width() const { return std::uint32_t{size} * count; }
  /// Each register has the bytes of its element.
  [[nodiscard]] bool whole_elements() const {
    return size >= 4 && (what != What::load || value_bytes[0] == size);
  }
  /// ... and each lane has one.
  [[nodiscard]] bool whole() const { return count == 1 && whole_elements(); }
};

/// Where a texture is fetched from or a surface accessed, and what becomes of the elements.
struct TextureOp {
  enum class What : std::uint8_t { fetch, gather, surface } what = What::fetch;
  std::uint8_t dimensions = 1;
  bool layered = false;
  bool cube = false;           ///< three coordinates are a direction
  bool whole = false;          ///< coordinates are whole numbers
  std::uint8_t component = 0;  ///< of gather
  /// Of a surface: what an access outside of it does.
  enum class Outside : std::uint8_t { trap, clamp, zero } outside = Outside::trap;
  Operand layer, coordinates[3];
  Operand results[4];  ///< of fetch and gather
  bool wanted[4] = {};
  Operand texel[4];  ///< registers that one element is loaded to
};

/// A bulk copy, or reduction (PTX ISA 9.0, 9.7.9.25.4 and 5), between the addresses of its load and
/// its store, or between shared memory and a box of the tensor whose map one of them has.
struct BulkOp {
  bool to_shared = false;             ///< from global memory, or from shared memory
  bool from_shared = false;           ///< to global memory, or to shared memory
  AtomicOp reduces = AtomicOp::none;  ///< what is there with what comes, by MemoryOp::cell
  std::uint8_t dimensions = 0;        ///< of the box; 0: no tensor
  bool pixels = false;                ///< of a tensor: no box, but a column of pixels (im2col)
  bool by_mbarrier = false;           ///< the bytes count at `barrier`; else groups are waited for
  bool multicast = false;
  bool product = false;  ///< no copy: a wgmma, which reads shared memory as one does
  MemoryOp barrier;
  Operand bytes, blocks, coordinates[5];  ///< blocks: a mask of ranks, of multicast
  Operand offsets[3];                     ///< of pixels, from their second coordinate on
};

}  // namespace gauntlet::simt
