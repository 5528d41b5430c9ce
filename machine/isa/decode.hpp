// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From parsed PTX to decoded code. One Decoder makes one Kernel; decode.cpp knows its structure,
// decode_call.cpp calls, decode_operands.cpp names, decode_data.cpp moves and arithmetic,
// decode_integer.cpp carries and dot products, decode_compare.cpp predicates, decode_address.cpp
// state spaces and clusters,
// decode_convert.cpp and decode_convert_pair.cpp conversions, decode_memory.cpp loads, stores and
// atomics, decode_texture.cpp textures and surfaces, decode_async.cpp asynchronous copies,
// decode_bulk.cpp bulk copies, decode_tensor_map.cpp their maps, decode_mbarrier.cpp mbarriers,
// decode_sync.cpp barriers and warp instructions, decode_matrix.cpp and decode_matrix_memory.cpp
// tensor cores, decode_warpgroup.cpp those of warpgroups, refusal.cpp why a kernel cannot run,
// decode_liveness.cpp what is read unwritten, decode_waits.cpp which loads wait,
// decode_prologue.cpp what one warp computes for the others.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/code/refusal.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

/// Generic addresses of the state spaces that are not global memory.
inline constexpr std::uint64_t shared_window = 0x7F00'0000'0000;
inline constexpr std::uint64_t local_window = 0x7E00'0000'0000;
inline constexpr std::uint64_t param_window = 0x7D00'0000'0000;
inline constexpr std::uint64_t function_window = 0x7C00'0000'0000;  ///< of functions
inline constexpr std::uint64_t function_bytes = 16;                 ///< from one to the next one
/// An address in shared memory of a block of the cluster has its rank and 1 from this bit on; 0: in
/// that of the block itself.
inline constexpr unsigned rank_bit = 24;
inline constexpr std::uint64_t window_bytes = 1ULL << 32;
/// Shared arrays start here and keep this distance, so that an overrun meets no neighbour.
inline constexpr std::uint32_t shared_gap = 1024;
/// Where dynamic shared memory starts in the shared window, above any static array. The low 18
/// bits, which the descriptor of a wgmma has, are not those of an array in the first 64 KiB.
inline constexpr std::uint32_t dynamic_shared_base = 0x110000;
inline constexpr std::uint32_t reserved_shared_bytes = 1024;
/// How findings name it; only the toolkit's headers use it (cooperative groups).
inline constexpr std::string_view reserved_shared_name = "reserved shared memory";
/// What a block may have of shared memory, a thread of local memory, a kernel of parameters.
inline constexpr std::uint64_t most_shared_bytes = 227 * 1024, most_local_bytes = 512 * 1024,
                               most_param_bytes = 32'764;
inline constexpr std::uint64_t most_local_layout = 128 * most_local_bytes;  ///< calls inlined
/// Of one kernel, with its calls inlined: what a module may make the decoder hold.
inline constexpr std::size_t most_instructions = 1 << 20, most_registers = 1 << 18;

struct FlowGraph;

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& entry);
  /// Throws RefusedKernel for what the machine does not know, ptx::Error for what is no PTX.
  Kernel run();

 private:
  struct Body {  // one inlined function body
    const ptx::Function* function = nullptr;
    std::unordered_map<std::string_view, Operand> registers;
    std::unordered_map<std::string_view, std::uint8_t> register_bytes;
    std::unordered_map<std::string_view, std::uint32_t> local;  // .local and .param: byte offset
    std::unordered_map<std::string_view, std::uint64_t> local_bytes;  // sizes of these
    std::unordered_map<std::string_view, std::uint32_t> shared;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<std::pair<std::uint32_t, std::string_view>> branches;  // inst to fix, label
    std::vector<std::uint32_t> returns;                                // inst to fix
    Operand carry;  // CC.CF, once an instruction names it
  };

  // decode.cpp
  void inline_body(const ptx::Function& f, Body& scope, int depth);
  void layout_params();
  /// The array's offset in the shared window; one array, however often its function is inlined.
  std::uint32_t layout_shared(const ptx::Variable& v);
  /// The offset of the reserved part of shared memory, laid out when it is first named.
  std::uint32_t reserved_shared();
  void find_undefined_registers(const FlowGraph& graph);  // decode_liveness.cpp
  void find_prologue();                                   // decode_prologue.cpp
  void find_waits(const FlowGraph& graph);                // decode_waits.cpp
  void find_waiting_loops();
  void find_expected_values();                       // decode_expected.cpp
  void find_dropped_values(const FlowGraph& graph);  // decode_dropped.cpp
  void find_unfenced_products();                     // decode_warpgroup.cpp
  [[noreturn]] void fail(const ptx::Instruction& i, std::string_view what) const {
    ptx::fail(module_, i.ptx_line, what);
  }
  /// The instruction cannot be executed; the kernel is refused once all of it was read.
  void refuse(const ptx::Instruction& i, std::string_view what);
  /// Space in the register file, and a poison slot.
  Operand reserve(unsigned bytes, unsigned align);
  [[nodiscard]] const std::uint32_t* shared_offset(std::string_view name) const;
  Inst& emit(const ptx::Instruction& i, Kind kind);
  /// By the instruction's row (machine/isa/instruction_rows.hpp). False: it is not known.
  bool read(const ptx::Instruction& i);
  std::int32_t line_of(std::int32_t loc);
  struct SourceFile {
    std::uint32_t index = 0;  ///< in Kernel::files
    bool of_toolkit = false, of_groups = false;
  };
  /// The module's file of that number, which is the kernel's from here on.
  SourceFile source_file(std::uint32_t number);
  /// The innermost position that is not inside a toolkit header, of `loc` and those that it was
  /// inlined at; -1: all are.
  std::int32_t outside_toolkit(std::int32_t loc);
  // decode_call.cpp
  void call(const ptx::Instruction& i);
  /// Calls whichever function of the module the register holds the address of.
  void indirect_call(const ptx::Instruction& i);
  /// vprintf, malloc, free; false: of no such name.
  bool system_call(const ptx::Instruction& i);
  /// Instructions for SystemCall::launched; the first of the three.
  std::uint32_t stand_for_launched(const ptx::Instruction& i);
  void inline_call(const ptx::Instruction& i, const ptx::Function& callee);
  /// The function's address is taken somewhere, and the call has arguments of its sizes.
  [[nodiscard]] bool may_be_called(const ptx::Function& f, const ptx::Instruction& i);
  void branch(const ptx::Instruction& i);

  // decode_operands.cpp
  Operand constant(std::uint64_t bits, unsigned bytes);
  Operand symbol_address(std::string_view name, std::int64_t addend, unsigned bytes);
  Operand value(const ptx::Instruction& i, const ptx::Operand& o, unsigned bytes);
  Operand result(const ptx::Instruction& i, const ptx::Operand& o);
  /// The same where the register must have the width of `bytes` (0: be a predicate).
  Operand result(const ptx::Instruction& i, const ptx::Operand& o, unsigned bytes);
  /// cvt and st may name a register wider than their type. Emits a copy of the low word of a 64-bit
  /// register where `bytes` are at most 4; nothing otherwise. To be called before emit(i).
  std::optional<Operand> low_word(const ptx::Instruction& i, const ptx::Operand& o, unsigned bytes);
  Operand temporary() { return reserve(8 * 32, 64); }
  /// The instruction emitted last is this part of its operation.
  /// Emit what makes a register of two halves, takes a part of one from bit `first` on, and puts
  /// one in there (at 0: into an empty one); the operands are still to be said.
  Inst& pack_halves(const ptx::Instruction& i);
  Inst& take_part(const ptx::Instruction& i, unsigned first, unsigned bits);
  Inst& insert_part(const ptx::Instruction& i, unsigned first, unsigned bits);
  void means(Meaning::Part part) { kernel_.meanings.back().part = part; }
  /// The instruction's index in Kernel::operations.
  std::uint32_t number_of(const ptx::Instruction& i);
  Operand pred(const ptx::Instruction& i, const ptx::Operand& o);
  Operand special(std::string_view name, unsigned bytes, bool& clock);
  unsigned register_size(std::string_view name) const;
  bool is_register(std::string_view name) const { return scope_->registers.contains(name); }
  /// An operand as it is written, of so many bytes; 0: a predicate.
  struct Written {
    const ptx::Operand& operand;
    unsigned bytes;
  };
  /// Emits an instruction that computes `to` of at most three others; without `to`, Inst::d is
  /// still to be said.
  Inst& compute(const ptx::Instruction& i, Handler handler, const std::vector<Written>& of);
  Inst& compute(const ptx::Instruction& i, Handler handler, const std::vector<Written>& of,
                Written to);
  /// The instruction emitted last does this.
  void accesses(const MemoryOp& op);
  /// Instructions by the registers that they define, or use.
  std::vector<std::vector<std::uint32_t>> by_register(
      const std::vector<std::vector<std::uint32_t>>& of) const;
  Operand define(Operand o) {
    defs_.back().push_back(o.id);
    return o;
  }
  Operand use(Operand o) {
    if (o.id != 0) uses_.back().push_back(o.id);
    return o;
  }

  // decode_data.cpp
  bool data(const ptx::Instruction& i);
  bool convert(const ptx::Instruction& i);
  bool convert_pair(const ptx::Instruction& i);
  bool address_space(const ptx::Instruction& i);
  bool cluster(const ptx::Instruction& i);
  bool integers(const ptx::Instruction& i);  // decode_integer.cpp
  bool nothing(const ptx::Instruction& i);
  // decode_compare.cpp
  bool predicates(const ptx::Instruction& i);
  bool compare(const ptx::Instruction& i);
  bool set(const ptx::Instruction& i);
  bool select_by_sign(const ptx::Instruction& i);
  bool test_property(const ptx::Instruction& i);
  bool move(const ptx::Instruction& i);
  bool move_each(const ptx::Instruction& i, unsigned parts, unsigned bytes);

  // decode_memory.cpp
  bool memory(const ptx::Instruction& i);
  bool vector_atomic(const ptx::Instruction& i, const MemoryOp& of);
  bool cache_policy(const ptx::Instruction& i);
  bool texture(const ptx::Instruction& i);     // decode_texture.cpp
  bool async_copy(const ptx::Instruction& i);  // decode_async.cpp
  bool bulk(const ptx::Instruction& i);        // decode_bulk.cpp
  bool bulk_group(const ptx::Instruction& i);
  // decode_tensor_map.cpp
  bool tensor_map(const ptx::Instruction& i);
  bool replace_in_map(const ptx::Instruction& i);
  bool copy_map(const ptx::Instruction& i);
  bool fence_of_maps(const ptx::Instruction& i);
  bool mbarrier(const ptx::Instruction& i);       // decode_mbarrier.cpp
  bool copies_arrive(const ptx::Instruction& i);  // cp.async.mbarrier.arrive
  void arrive(const ptx::Instruction& i, MemoryOp op, Operand count, const ptx::Operand* state);
  bool barrier(const ptx::Instruction& i);
  bool warp_op(const ptx::Instruction& i);
  // decode_matrix.cpp, decode_matrix_memory.cpp
  bool matrix(const ptx::Instruction& i);
  bool multiply(const ptx::Instruction& i);
  bool matrix_tile(const ptx::Instruction& i);
  bool matrix_rows(const ptx::Instruction& i);
  bool move_matrix(const ptx::Instruction& i);
  // decode_warpgroup.cpp
  bool warpgroup(const ptx::Instruction& i);
  bool group_product(const ptx::Instruction& i);
  void group_wait(const ptx::Instruction& i);
  /// Completes the instruction emitted last: one that all lanes of the warp come to.
  void end_matrix(MatrixOp op);
  /// Of a list of registers.
  std::vector<Operand> values(const ptx::Instruction& i, const ptx::Operand& list, unsigned bytes);
  std::vector<Operand> results(const ptx::Instruction& i, const ptx::Operand& list, unsigned bytes);
  /// Emits a load or store of one element or whole register at an address made before; what it
  /// loads or stores, values[0], is still to be said.
  template <class Access>
  void matrix_register(const ptx::Instruction& i, const ptx::Operand& o, bool load, unsigned bits,
                       Access access);
  MemoryOp& matrix_access(const ptx::Instruction& i, MemoryOp op, Operand address, unsigned bytes,
                          std::int64_t offset = 0);
  /// All instructions of the matrix are there, from `begin` on. `pieces`: of its loads.
  void end_tile(std::size_t begin, std::vector<std::uint8_t> pieces);
  void address(const ptx::Instruction& i, const ptx::Operand& o, MemoryOp& op);

  const ptx::Module& module_;
  const ptx::Function& entry_;
  Kernel kernel_;
  Body* scope_ = nullptr;
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
  std::map<std::pair<std::string_view, std::int64_t>, std::uint32_t> addresses_;  // in the pool
  std::unordered_map<std::string_view, std::uint32_t> shared_;        // of the module: offset
  std::unordered_map<const ptx::Variable*, std::uint32_t> laid_out_;  // in shared memory: offset
  std::deque<ptx::Function> provided_;  // of the device runtime, for each call
  std::unordered_map<const ptx::Function*, ptx::Function> with_stacks_;  // recursive ones
  std::deque<std::string> names_;                                        // of these
  std::unordered_set<std::string_view> addressed_;  // names that a mov or an initial value uses
  std::size_t calls_ = 0;
  int depth_ = 0;                                                        // of inlined calls
  std::map<std::pair<SpecialRegister::What, bool>, Operand> specials_;   // and whether it is wide
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> lines_;  // by position, call_line_
  std::unordered_map<std::uint32_t, SourceFile> source_files_;           // by number in the module
  std::unordered_map<std::int32_t, std::int32_t> outside_;  // by position, in toolkit headers
  std::int32_t call_line_ = -1;  // the user's line of the innermost call that is being inlined
  std::map<std::pair<std::string, std::size_t>, std::uint32_t> operations_;  // text, inputs
  std::unordered_map<std::string_view, std::uint32_t> entry_params_;         // name: offset
  std::uint64_t shared_top_ = shared_gap;
  std::uint32_t reserved_ = 0;  // offset of the reserved shared memory; 0: nobody named it
  std::uint64_t stack_ = 0;     // local bytes of the functions that are being inlined
  std::vector<UndefinedRegister> slots_;
  std::vector<std::vector<std::uint32_t>> defs_, uses_;  // poison slots per instruction
  std::vector<Refusal> refusals_;                        // each text once
};

/// What a function's address is to the machine; 0: there is no function of that name.
[[nodiscard]] std::uint64_t function_address(const ptx::Module& module, std::string_view name);

constexpr std::uint64_t align_up(std::uint64_t x, std::uint64_t a) { return (x + a - 1) / a * a; }
/// Opcode, types, modifiers and operands of an instruction.
[[nodiscard]] Operation operation_of(const ptx::Instruction& i);
/// Space, order, scope and type of a load or store, without its operands; none: it is not known.
[[nodiscard]] std::optional<MemoryOp> access_of(const ptx::Instruction& i);
/// A special register that tells the time.
[[nodiscard]] bool is_clock(std::string_view name);

}  // namespace gauntlet::simt
