// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoded code: what the machine executes. A kernel is a flat array of fixed-size instructions with
// calls inlined; operands are offsets into a warp's register file or into the constant pool.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "base/types.hpp"
#include "machine/code/matrix.hpp"
#include "machine/code/operation.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

struct Warp;
struct Inst;

/// Executes one data instruction for the lanes in `mask`.
using Handler = void (*)(Warp&, const Inst&, std::uint32_t mask);

/// A register or a constant: 32 lanes of 4 or 8 bytes, or (predicates) one 32-bit mask.
struct Operand {
  static constexpr std::uint32_t constant_bit = 0x8000'0000;
  std::uint32_t offset = 0;  ///< bytes; constant_bit: into the constant pool
  std::uint32_t id = 0;      ///< poison slot; 0: can never hold poison
};

enum class Kind : std::uint8_t {
  data,    ///< arithmetic, moves, conversions: Inst::fn
  branch,  ///< to Inst::target; Inst::variant is a Back
  exit,
  memory,     ///< loads, stores, atomics: Inst::extra indexes Kernel::memory_ops
  barrier,    ///< block barriers: Kernel::barrier_ops
  warp_sync,  ///< shfl, vote, match, redux, mma, bar.warp.sync: Kernel::warp_ops
  activemask,
  fence,
  proxy_fence,  ///< Inst::variant: for shared memory (1), for global memory (2), for tensor maps
                ///< (4)
  trap,
  assertion,     ///< Inst::extra: 1 and where the message's address is in local memory; 0: nowhere
  copy_group,    ///< what asynchronous copies are waited for by: Inst::variant is a CopyGroup
  yield,         ///< a test of an mbarrier: where it failed (Inst::a), it is the others' turn
  clock,         ///< %clock and its kin: reads the warp's instruction count
  system_call,   ///< what CUDA provides: Inst::extra is an index of system_calls
  cluster,       ///< barrier.cluster: Inst::variant is a ClusterStep
  grid_control,  ///< griddepcontrol: waits for the launch before, or (Wait::nobody) lets the next
                 ///< one begin
  nop
};
/// What a branch back leads through.
enum class Back : std::uint8_t {
  nothing,        ///< of what follows; also of a branch that leads on
  of_waiting,     ///< a loop that may be one in which a warp waits (decode_waits.cpp)
  around_waiting  ///< other instructions, too, and a part of such a loop
};
/// What executions are counted as, beside instructions (machine/counters).
enum class Counted : std::uint8_t {
  nothing,
  branches,
  accesses,  ///< as its MemoryOp says
  barriers,
  warp_barriers,
  shuffles,
  votes
};
constexpr auto names(const Counted*) {
  return names_of("", "branches", "accesses", "barriers", "warp barriers", "shuffles", "votes");
}
/// Parts of a barrier of a cluster (PTX ISA 9.0, 9.7.13.4). `comes` publishes what a fence before
/// it releases.
enum class ClusterStep : std::uint8_t { arrive, comes, wait };
/// For whom the lanes that come to an instruction wait.
enum class Wait : std::uint8_t { nobody, lanes, block, launch };
constexpr auto names(const Wait*) {
  return names_of("", "the lanes of its mask", "the block", "the launch before");
}

/// What all instructions of a kind have in common.
struct KindRow {
  std::string_view instructions;  ///< for people
  Counted counted = Counted::nothing;
  Wait wait = Wait::nobody;
  bool without_data = false;  ///< no operand or result could have a term (machine/symbolic)
};
constexpr auto kind_rows = std::to_array<KindRow>({
    // in the order of Kind
    {"arithmetic, moves, conversions"},
    {"bra ret", Counted::branches, Wait::nobody, true},
    {"exit", Counted::nothing, Wait::nobody, true},
    {"ld st atom red cp.async cp.async.bulk mbarrier tex tld4 suld sust", Counted::accesses},
    {"bar barrier", Counted::barriers, Wait::block},
    {"those of a warp", Counted::nothing, Wait::lanes},  // counted by rows of their own
    {"activemask", Counted::votes},
    {"fence membar", Counted::nothing, Wait::nobody, true},
    {"fence.proxy", Counted::nothing, Wait::nobody, true},
    {"trap brkpt", Counted::nothing, Wait::nobody, true},
    {"call __assertfail", Counted::nothing, Wait::nobody, true},
    {"cp.async.commit_group .wait_group .wait_all", Counted::nothing, Wait::nobody, true},
    {"behind mbarrier.test_wait .try_wait"},
    {"mov of a clock"},
    {"call vprintf malloc free, and of the device runtime"},
    {"barrier.cluster", Counted::barriers, Wait::block, true},
    {"griddepcontrol", Counted::nothing, Wait::launch, true},
    {"nanosleep prefetch pragma", Counted::nothing, Wait::nobody, true},
});
static_assert(kind_rows.size() == static_cast<std::size_t>(Kind::nop) + 1);
constexpr const KindRow& row_of(Kind kind) { return kind_rows[static_cast<std::size_t>(kind)]; }

/// The ways to memory between which a fence.proxy is needed: what threads do, what bulk copies and
/// wgmma do, and how these read tensor maps.
enum class Proxy : std::uint8_t { generic, async, maps };
enum class MemorySpace : std::uint8_t { generic, global, shared, local, param, constant };
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, seq_cst };
enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

struct Inst {
  Handler fn = nullptr;
  Operand d, a, b, c;
  std::uint32_t guard = 0;  ///< offset of the predicate, valid when has_guard
  union {
    std::uint32_t guard_id = 0;
    /// Without a guard: so many instructions of Kind::data that have none follow one another, this
    /// one the first.
    std::uint32_t run;
  };
  Kind kind = Kind::nop;
  bool has_guard = false;
  bool guard_negated = false;
  bool visible = false;      ///< touches memory that other threads see, or synchronises
  std::uint8_t variant = 0;  ///< small immediate whose meaning is the handler's
  ptx::ScalarType type = ptx::ScalarType::pred;  ///< cvt.sat of integers: of the result
  Counted counted = Counted::nothing;
  Wait wait = Wait::nobody;
  struct Fence {
    Scope scope;
    Order order;
  };
  union {
    Operand second = {};   ///< setp: the other destination; bfi: the length; add.cc: the carry
    std::uint32_t target;  ///< branches: an instruction
    std::uint32_t extra;   ///< an index: of memory_ops, barrier_ops, warp_ops
    std::uint32_t keep;    ///< cvt, mov: mask of the destination's register
    std::uint32_t window;  ///< cvta, isspacep: the high word of a state space's addresses
    Fence fence;
  };
  std::int32_t loc = -1;  ///< index into Kernel::lines
  std::uint32_t ptx_line = 0;
};

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
/// cp.async.commit_group, .wait_group (Inst::extra: so many groups may be under way), .wait_all,
/// and cp.async.mbarrier.arrive (Inst::extra: of memory_ops, for the mbarrier's address); of bulk
/// copies, whose groups are apart: commit_group, wait_group, and .read, which waits for sources.
enum class CopyGroup : std::uint8_t {
  commit,
  wait,
  wait_all,
  tracked,
  bulk_commit,
  bulk_wait,
  bulk_wait_read
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
  bool is_volatile = false;
  bool async = false;           ///< the store of a cp.async, whose values it alone uses
  bool copied = false;          ///< the load of a cp.async, which comes just before that
  bool sent = false;            ///< st.async or red.async, whose `bulk` has the mbarrier
  bool of_map = false;          ///< what a bulk copy reads of its tensor map
  bool mbarrier = false;        ///< an arrival, or the load of a wait
  bool makes_mbarrier = false;  ///< the store of mbarrier.init or .inval
  /// A load of what the launch is not to write, which nothing orders (PTX ISA 9.0, 8.1): .nc, ldu.
  bool read_only = false;
  bool by_launched = false;  ///< it stands for what a launched kernel does (SystemCall::launched)
  bool shortened = false;    ///< the load of a cp.async of `source_bytes`; zeros follow
  /// By a proof: what the instruction does is all in here (its row in isa/instruction_rows.cpp).
  bool followed = true;
  /// A load, or a store of one element, that Engine::memory_at_once tries first.
  bool plain = false;
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
  /// Of a parameter: nothing else writes the register, which holds it from its first load on; a bit
  /// of RegisterFile::held. 0: it may not.
  std::uint64_t held = 0;
  Operand compare;  ///< cas
  Operand operand;  ///< atomic operand
  Operand source_bytes;
  /// What the value of a strong load or atomic decides: whether a loop is left, or a branch that
  /// begins with an acquiring fence (machine/isa/decode_waits.cpp). Such a load is made to
  /// synchronise. arrival: a loop that does nothing but wait is left, and behind it the value is
  /// used: the word says by itself whether it is there.
  enum class Decides : std::uint8_t { nothing, acquire, loop, arrival } decides = Decides::nothing;
  [[nodiscard]] bool polls() const { return decides >= Decides::loop; }
  /// A strong load whose value decides branches, and goes nowhere else.
  bool only_branches = false;
  [[nodiscard]] Proxy proxy() const {
    if (of_map) return Proxy::maps;
    return bulk != 0 && !sent ? Proxy::async : Proxy::generic;
  }
  /// Bytes that are accessed as one: of a packed pair each half is by itself (PTX ISA 9.0, 8.2.3).
  [[nodiscard]] unsigned atom() const {
    return cell == ptx::ScalarType::f16x2 || cell == ptx::ScalarType::bf16x2 ? 2U : size;
  }
  /// Each lane's one register has the bytes of its element.
  [[nodiscard]] bool whole() const {
    return count == 1 && size >= 4 && (what != What::load || value_bytes[0] == size);
  }
};

/// Where a texture is fetched from or a surface accessed, and what becomes of the elements.
struct TextureOp {
  enum class What : std::uint8_t { fetch, gather, surface } what = What::fetch;
  std::uint8_t dimensions = 1;
  bool layered = false;
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

struct BarrierOp {
  enum class What : std::uint8_t { sync, arrive, red_popc, red_and, red_or } what = What::sync;
  Operand id, threads;  ///< threads: valid when has_count
  bool has_count = false;
  bool aligned = true;
  Operand predicate;  ///< red: source predicate
  bool predicate_negated = false;
};

/// What the lanes of a warp bring to an instruction that they execute together.
struct Brought {
  std::uint32_t lanes = 0;       ///< that take part
  std::uint32_t votes = 0;       ///< those whose predicate is true
  std::uint64_t value[32] = {};  ///< of these lanes
};
/// What each of them is given: a number, or a predicate, or both.
struct Given {
  std::uint32_t value[32] = {};
  std::uint32_t predicate = 0;
};
using Fold = void (*)(const Brought&, Given&);

struct WarpOp {
  enum class What : std::uint8_t {
    sync,
    shfl_up,
    shfl_down,
    shfl_bfly,
    shfl_idx,
    ballot,
    redux_add,
    redux_min,
    redux_max,
    elect,
    fold,   ///< any other fold, of which a proof knows nothing
    matrix  ///< of all lanes, which come to one instruction: `matrix` indexes Kernel::matrix_ops
  } what = What::sync;
  Fold fold = nullptr;  ///< of all but sync, shfl and matrix
  bool is_signed = false;
  bool is64 = false;  ///< the value has 64 bits
  Operand mask;
  Operand destination;  ///< 32-bit register
  bool has_destination = false;
  Operand predicate;  ///< the destination, or a second one (shfl, match.all, elect)
  bool has_predicate = false;
  Operand a, b, c;
  bool has_value = false;  ///< `a` is a register
  bool votes = false;      ///< `a` is a predicate
  bool a_negated = false;  ///< and it is this one's negation
  std::uint32_t matrix = 0;
  /// Lanes at both instructions do one thing together.
  [[nodiscard]] bool like(const WarpOp& o) const {
    return what == o.what && fold == o.fold && is64 == o.is64;
  }
};

/// What the lanes of a warp do with their matrix together; loads and stores of the elements are
/// memory instructions of their own behind it.
struct MatrixOp {
  enum class What : std::uint8_t {
    multiply,   ///< mma, wmma.mma
    transpose,  ///< movmatrix: of 8 x 8 elements of 16 bits, a[0] to d[0]
    tile,       ///< wmma.load, wmma.store: addresses of a matrix's elements
    rows,       ///< ldmatrix, stmatrix: of 8 x 8 matrices, whose rows' addresses the lanes bring
    // wgmma:
    product,  ///< mma_async: 16 of its 64 rows, those of the warp
    order,    ///< fence
    commit,   ///< commit_group
    wait      ///< wait_group: `count` groups may be under way; d[0], a predicate: it is over
  } what = What::multiply;
  MatrixShape shape;
  ptx::ScalarType a_number{}, b_number{}, c_number{}, d_number{};
  bool saturate = false;
  std::vector<Operand> a, b, c, d;
  // tile, rows:
  MatrixPart part{};
  bool by_columns = false;  ///< tile: columns are contiguous; rows: of the transposed matrices
  MemoryOp base;            ///< where the matrix, or the lane's row, begins
  Operand stride;           ///< of tile, in elements
  std::uint32_t count = 0;  ///< tile: registers of the text; rows: matrices; wait: groups
  /// Where a register's element is: the 64-bit register that receives the address.
  struct Piece {
    Operand address;
    std::uint8_t reg = 0, element = 0;
  };
  std::vector<Piece> pieces;
  /// product: A and B; B is in shared memory always.
  struct Factor {
    bool in_memory = false;
    Operand tile;            ///< its descriptor (machine/isa/matrix_tile.hpp)
    std::uint32_t load = 0;  ///< the instruction that its accesses are told as
    bool negated = false, transposed = false;
  } factors[2];
  Operand adds;  ///< product: a predicate: D is added
  /// product: of A a half is held, and `places` tell which (sparse_place in
  /// machine/code/matrix.hpp).
  bool sparse = false;
  std::uint8_t selector = 0;
  Operand places;
  [[nodiscard]] MatrixShape held_of_a() const {
    return sparse ? MatrixShape{shape.m, shape.n, static_cast<std::uint16_t>(shape.k / 2)} : shape;
  }
  /// product: the instruction that computes a register of it behind the last wgmma.fence; none: ~0.
  std::uint32_t unfenced = ~0U;
};

struct Line {
  std::uint32_t file = 0;  ///< index into Kernel::files
  std::uint32_t line = 0;
  bool of_groups = false;  ///< what is done there is inside the headers of cooperative groups
};

struct SharedArray {
  std::string name;
  std::uint32_t offset = 0, bytes = 0, element_bytes = 4;
};

struct Param {
  std::uint32_t offset = 0, bytes = 0, align = 1;
};

/// A call of what CUDA provides: where its arguments and its result lie in a thread's local memory.
struct SystemCall {
  enum class What : std::uint8_t {
    print,     ///< (address of the format, address of the values)
    allocate,  ///< (bytes)
    release,   ///< (address)
    // Of the device runtime (machine/engine/device_runtime.hpp), with the arguments that NVIDIA's
    // header cuda_device_runtime_api.h gives them:
    parameter_buffer,  ///< (kernel, grid, block, bytes of shared memory)
    launch,            ///< (buffer, stream)
    new_stream,        ///< ()
    last_error,        ///< (); it is then forgotten
    peek_error,        ///< ()
    set_error,         ///< (error)
    set_condition      ///< (handle, value)
  } what = What::print;
  std::uint32_t arguments[4] = {};
  std::uint32_t result = 0;
  std::uint8_t result_bytes = 0;  ///< 0: there is none, or nobody wants it
  /// Of a launch: of the instructions by which the race detector names what the launched kernel
  /// reads, writes and updates, the first. Nobody executes them.
  std::uint32_t launched = 0;
  [[nodiscard]] bool of_runtime() const { return what >= What::parameter_buffer; }
};

/// A pool constant that is an address known only when the module sits on a memory.
struct Relocation {
  std::uint32_t pool_offset = 0;
  std::string symbol;
  std::int64_t addend = 0;
};

struct SpecialRegister {
  enum class What : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    is_explicit_cluster,
    grid_workspace_low,  ///< %envreg2 and %envreg1: where the blocks of a cooperative launch meet
    grid_workspace_high
  } what;
  std::uint32_t offset = 0;
  bool wide = false;  ///< 64-bit slot
};

/// A register that may be read before it is written.
struct UndefinedRegister {
  std::uint32_t slot = 0, offset = 0, bytes = 0;
};

/// What of the text an instruction does, for who reads decoded code in another way than by running
/// it: an operation of the text may be several instructions.
struct Meaning {
  enum class Part : std::uint8_t {
    whole,     ///< the operation
    pack,      ///< mov of a register of two halves
    part,      ///< mov of one part of a register: Inst::variant is its first bit
    insert,    ///< mov of a register of four parts: inserts the one at bit Inst::variant
    low_word,  ///< the low word of a 64-bit register
    other
  } part = Part::whole;
  std::uint32_t operation = 0;               ///< index into Kernel::operations
  std::vector<std::uint32_t> writes, reads;  ///< poison slots; guards are among what is read
};

struct Kernel {
  std::string name;
  std::vector<Inst> code;
  std::vector<Meaning> meanings;      ///< of each instruction
  std::vector<Operation> operations;  ///< each once
  std::vector<MemoryOp> memory_ops;
  std::vector<TextureOp> texture_ops;
  std::vector<BulkOp> bulk_ops;
  std::vector<BarrierOp> barrier_ops;
  std::vector<WarpOp> warp_ops;
  std::vector<SystemCall> system_calls;
  std::vector<MatrixOp> matrix_ops;
  /// Where results of wgmma may be while it is under way: every register of 32 bits.
  std::vector<Operand> product_registers;
  std::vector<Line> lines;
  std::vector<std::string> files;
  std::vector<Param> params;
  std::uint32_t param_bytes = 0;
  std::uint32_t register_bytes = 0;  ///< of one warp's register file
  std::uint32_t poison_slots = 1;
  std::vector<std::byte> pool;  ///< constants, 32 lanes each
  std::vector<Relocation> relocations;
  std::vector<SpecialRegister> specials;
  std::vector<SharedArray> shared;      ///< static arrays
  std::string dynamic_shared_name;      ///< of the extern array; empty: none
  std::uint32_t static_shared_top = 0;  ///< end of the static arrays in the shared window
  std::uint64_t shared_bytes = 0;       ///< static bytes without the gaps, as a launch counts them
  std::uint32_t local_bytes = 0;        ///< per thread
  std::vector<UndefinedRegister> undefined_registers;
  std::uint32_t max_threads = 0;  ///< .maxntid, 0: none
  Dim3 cluster{0, 0, 0};          ///< .reqnctapercluster, 0: none
  /// It may access shared memory of other blocks, or waits for them.
  bool uses_cluster = false;

  /// Which operation of the text the instruction is, or a part of.
  [[nodiscard]] const Operation& operation_at(std::size_t inst) const {
    return operations[meanings[inst].operation];
  }
};

}  // namespace gauntlet::simt
