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
#include "machine/code/memory_op.hpp"
#include "machine/code/operation.hpp"
#include "machine/code/prologue.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

struct Warp;
struct Inst;

/// Executes one data instruction for the lanes in `mask`.
using Handler = void (*)(Warp&, const Inst&, std::uint32_t mask);

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

struct Inst {
  Handler fn = nullptr;
  Operand d, a, b, c;
  std::uint32_t guard = 0;  ///< offset of the predicate, valid when has_guard
  union {
    std::uint32_t guard_id = 0;
    /// Without a guard: so many instructions of Kind::data and Kind::memory that have none follow
    /// one another, this one the first.
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
    any_votes,
    all_vote,
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
  bool wide = false;        ///< 64-bit slot
  std::uint32_t reads = 0;  ///< operands that name it
};
constexpr auto names(const SpecialRegister::What*) {
  return names_of("%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x",
                  "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid",
                  "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid", "%lanemask_eq",
                  "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
                  "%dynamic_smem_size", "%total_smem_size", "%clusterid.x", "%clusterid.y",
                  "%clusterid.z", "%nclusterid.x", "%nclusterid.y", "%nclusterid.z",
                  "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x",
                  "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank",
                  "%is_explicit_cluster", "%envreg2", "%envreg1");
}

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
    copy,      ///< a register as it is
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
  Prologue prologue;
  std::vector<SharedArray> shared;      ///< static arrays
  std::string dynamic_shared_name;      ///< of the extern array; empty: none
  std::uint32_t static_shared_top = 0;  ///< end of the static arrays in the shared window
  std::uint64_t shared_bytes = 0;       ///< static bytes without the gaps, as a launch counts them
  std::uint32_t local_bytes = 0;        ///< per thread
  std::vector<UndefinedRegister> undefined_registers;
  std::uint32_t max_threads = 0;  ///< .maxntid, 0: none
  Dim3 cluster{0, 0, 0};          ///< .reqnctapercluster, 0: none
  /// It may access shared memory of other blocks, or waits for them.
  /// It reads the clock in loops, and what that says ends none of them.
  bool clock_paces = false;
  bool uses_cluster = false;

  /// Which operation of the text the instruction is, or a part of.
  [[nodiscard]] const Operation& operation_at(std::size_t inst) const {
    return operations[meanings[inst].operation];
  }
};

}  // namespace gauntlet::simt
