// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls (PTX ISA 9.0, 9.7.12.5): every one is inlined; one through a register, for each function
// that it may mean.
#include <algorithm>

#include "machine/isa/decode.hpp"
#include "machine/isa/recursion.hpp"
#include "machine/ptx/source_names.hpp"

namespace gauntlet::simt {
namespace {

/// Functions of the toolkit's device runtime (libcudadevrt.a), which are machine code there. The
/// grid barrier, which Numba calls, under the names of its header
/// (cooperative_groups/details/driver_abi.h): the words that the driver provides count who has
/// come; the top bit flips with the last block. And what of cuda_device_runtime_api.h is made of
/// calls that the engine answers.
constexpr char device_runtime_text[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 1;
  st.param.b64 [handle], %rd1;
  ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<5>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd1, {%r2, %r1};
  setp.ne.u64 %p1, %rd1, 0;
  @%p1 bra COME;
  trap;
COME:
  barrier.sync 0;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %tid.y;
  or.b32 %r3, %r3, %r4;
  mov.u32 %r4, %tid.z;
  or.b32 %r3, %r3, %r4;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra OUT;
  mov.u32 %r5, %nctaid.x;
  mov.u32 %r6, %nctaid.y;
  mul.lo.u32 %r5, %r5, %r6;
  mov.u32 %r6, %nctaid.z;
  mul.lo.u32 %r5, %r5, %r6;
  sub.u32 %r5, 0x80000001, %r5;
  mov.u32 %r7, %ctaid.x;
  mov.u32 %r8, %ctaid.y;
  or.b32 %r7, %r7, %r8;
  mov.u32 %r8, %ctaid.z;
  or.b32 %r7, %r7, %r8;
  setp.eq.u32 %p3, %r7, 0;
  selp.b32 %r9, %r5, 1, %p3;
  fence.acq_rel.gpu;
  atom.relaxed.gpu.global.add.u32 %r10, [%rd1], %r9;
AGAIN:
  ld.acquire.gpu.global.u32 %r11, [%rd1];
  xor.b32 %r12, %r10, %r11;
  setp.ge.s32 %p4, %r12, 0;
  @%p4 bra AGAIN;
OUT:
  barrier.sync 0;
  mov.u32 %r13, 0;
  st.param.b32 [error], %r13;
  ret;
}
.visible .func (.param .b32 error) __cudaCDP2StreamCreateWithFlags(.param .b64 at, .param .b32 flags)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [at];
  {
  .param .b64 made;
  call.uni (made), gauntlet_new_stream, ();
  ld.param.b64 %rd2, [made];
  }
  st.u64 [%rd1], %rd2;
  mov.u32 %r1, 0;
  st.param.b32 [error], %r1;
  ret;
}
.visible .func (.param .b32 error) __cudaCDP2StreamDestroy(.param .b64 stream)
{
  .reg .b32 %r<2>;
  mov.u32 %r1, 0;
  st.param.b32 [error], %r1;
  ret;
}
.visible .func (.param .b32 error) __cudaCDP2Malloc(.param .b64 at, .param .b64 bytes)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [at];
  ld.param.u64 %rd2, [bytes];
  {
  .param .b64 wanted;
  st.param.b64 [wanted], %rd2;
  .param .b64 made;
  call.uni (made), malloc, (wanted);
  ld.param.b64 %rd3, [made];
  }
  st.u64 [%rd1], %rd3;
  setp.eq.u64 %p1, %rd3, 0;
  selp.b32 %r1, 2, 0, %p1;
  st.param.b32 [error], %r1;
  ret;
}
.visible .func (.param .b32 error) __cudaCDP2Free(.param .b64 at)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  {
  .param .b64 given;
  st.param.b64 [given], %rd1;
  call.uni free, (given);
  }
  mov.u32 %r1, 0;
  st.param.b32 [error], %r1;
  ret;
}
.visible .func (.param .b32 error) __cudaCDP2GetDevice(.param .b64 at)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  mov.u32 %r1, 0;
  st.u32 [%rd1], %r1;
  st.param.b32 [error], %r1;
  ret;
}
)";

/// nullptr: not a function that the machine provides.
const ptx::Function* device_runtime(std::string_view name) {
  static const ptx::Module module = ptx::parse(device_runtime_text, "libcudadevrt.a");
  return module.defined(name);
}

}  // namespace

void Decoder::call(const ptx::Instruction& i) {
  if (system_call(i)) return;
  if (i.callee == "__assertfail") {
    auto& inst = emit(i, Kind::assertion);
    if (i.call_args.empty()) return;
    const auto message = scope_->local.find(i.call_args[0].name);
    if (message != scope_->local.end()) inst.extra = message->second + 1;
    return;
  }
  if (i.callee == too_deep) return void(emit(i, Kind::trap).variant = 2);
  // The device runtime's own text asks the driver by functions that have no body anywhere.
  const bool indirect = is_register(i.callee);
  const ptx::Function* const provided = indirect ? nullptr : device_runtime(i.callee);
  const ptx::Function* callee = indirect ? nullptr : module_.defined(i.callee);
  if (!indirect && callee == nullptr && provided == nullptr) {
    refuse(i, "call of a function that has no body in this module");
    return;
  }
  if (provided != nullptr) {
    provided_.push_back(*provided);
    for (ptx::Instruction& inner : provided_.back().body) {
      inner.loc = i.loc;
      inner.ptx_line = i.ptx_line;
    }
    callee = &provided_.back();
  }
  // A guarded call is a branch around it.
  const auto around = kernel_.code.size();
  if (!i.guard.empty()) {
    auto& inst = emit(i, Kind::branch);
    inst.guard_negated = !inst.guard_negated;
  }
  if (indirect)
    indirect_call(i);
  else
    inline_call(i, *callee);
  if (!i.guard.empty()) {
    kernel_.code[around].target = static_cast<std::uint32_t>(kernel_.code.size());
  }
}

bool Decoder::system_call(const ptx::Instruction& i) {
  struct Known {
    std::string_view name;
    SystemCall::What what;
    std::size_t arguments;
    unsigned result_bytes;
  };
  using What = SystemCall::What;
  static constexpr Known known[] = {
      {"vprintf", What::print, 2, 4},
      {"malloc", What::allocate, 1, 8},
      {"free", What::release, 1, 0},
      {"__cudaCDP2GetParameterBufferV2", What::parameter_buffer, 4, 8},
      {"__cudaCDP2LaunchDeviceV2", What::launch, 2, 4},
      {"__cudaCDP2LaunchDeviceV2_ptsz", What::launch, 2, 4},
      {"__cudaCDP2GetLastError", What::last_error, 0, 4},
      {"__cudaCDP2PeekAtLastError", What::peek_error, 0, 4},
      {"gauntlet_new_stream", What::new_stream, 0, 8},
      // The driver's part, by which the runtime's own text does the rest (copies and fills).
      {"__cuda_syscall_cnpv2GetParameterBufferV2", What::parameter_buffer, 4, 8},
      {"__cuda_syscall_cnpv2LaunchDeviceV2", What::launch, 2, 4},
      {"__cuda_syscall_cnpv2GetLastError", What::peek_error, 0, 4},
      {"__cuda_syscall_cnpv2SetLastError", What::set_error, 1, 4},
      {"cudaGraphSetConditional", What::set_condition, 2, 0},
  };
  const auto* const of = std::ranges::find(known, i.callee, &Known::name);
  if (of == std::end(known)) return false;
  if (i.call_args.size() != of->arguments ||
      i.call_returns.size() > (of->result_bytes != 0 ? 1U : 0U)) {
    fail(i, "not the arguments of the function that CUDA provides");
  }
  const auto place = [&](const ptx::Operand& operand) {
    const auto it = scope_->local.find(operand.name);
    if (it == scope_->local.end()) fail(i, "arguments must be .param variables");
    return it->second;
  };
  SystemCall call;
  call.what = of->what;
  for (std::size_t k = 0; k < of->arguments; ++k) call.arguments[k] = place(i.call_args[k]);
  if (of->what == SystemCall::What::allocate && i.call_returns.empty()) {
    fail(i, "malloc without its result");
  }
  if (!i.call_returns.empty()) {
    // The result is defined, and zero until the call puts something there.
    call.result = place(i.call_returns[0]);
    call.result_bytes = static_cast<std::uint8_t>(of->result_bytes);
    emit(i, Kind::memory);
    MemoryOp op;
    op.what = MemoryOp::What::store;
    op.space = MemorySpace::local;
    op.address_is_constant = true;
    op.size = static_cast<std::uint8_t>(of->result_bytes);
    op.offset = call.result;
    op.values[0] = constant(0, of->result_bytes);
    op.value_bytes[0] = static_cast<std::uint8_t>(of->result_bytes);
    accesses(op);
  }
  if (of->what == What::launch) call.launched = stand_for_launched(i);
  emit(i, Kind::system_call).extra = static_cast<std::uint32_t>(kernel_.system_calls.size());
  kernel_.system_calls.push_back(call);
  return true;
}

std::uint32_t Decoder::stand_for_launched(const ptx::Instruction& i) {
  ptx::Instruction plain = i;
  plain.guard = {};
  const auto around = static_cast<std::uint32_t>(kernel_.code.size());
  emit(plain, Kind::branch);
  for (const auto what : {MemoryOp::What::load, MemoryOp::What::store, MemoryOp::What::reduction}) {
    MemoryOp op;
    op.what = what;
    op.space = MemorySpace::global;
    op.cell = ptx::ScalarType::u8;
    op.size = 1;
    op.by_launched = true;
    op.address_is_constant = true;
    op.values[0] = what == MemoryOp::What::load ? reserve(4, 4) : constant(0, 4);
    op.value_bytes[0] = 4;
    if (what == MemoryOp::What::reduction) {
      op.order = Order::relaxed;
      op.scope = Scope::sys;
      op.atomic = AtomicOp::add;
      op.operand = op.values[0];
    }
    emit(plain, Kind::memory);
    accesses(op);
  }
  kernel_.code[around].target = static_cast<std::uint32_t>(kernel_.code.size());
  return around + 1;
}

void Decoder::inline_call(const ptx::Instruction& i, const ptx::Function& callee) {
  ++calls_;  // a call that leaves no instruction takes time, too
  if (calls_ >= most_instructions) fail(i, "more calls than the machine inlines");
  if (callee.params.size() != i.call_args.size() ||
      callee.returns.size() != i.call_returns.size()) {
    fail(i, "argument count differs from the function's");
  }
  Body inner;
  const auto bind = [&](const ptx::Variable& formal, const ptx::Operand& actual) {
    const auto it = scope_->local.find(actual.name);
    if (it == scope_->local.end()) fail(i, "arguments must be .param variables");
    inner.local[formal.name] = it->second;
  };
  for (std::size_t k = 0; k < i.call_args.size(); ++k) bind(callee.params[k], i.call_args[k]);
  for (std::size_t k = 0; k < i.call_returns.size(); ++k) {
    bind(callee.returns[k], i.call_returns[k]);
  }
  const auto outer_line = call_line_;
  if (const auto line = line_of(i.loc); line >= 0) {
    const auto file = kernel_.lines[static_cast<std::size_t>(line)].file;
    if (file < kernel_.files.size() && !ptx::in_toolkit(kernel_.files[file])) call_line_ = line;
  }
  const ptx::Function* body = &callee;
  if (calls_itself(callee)) {
    const auto [known, fresh] = with_stacks_.try_emplace(&callee);
    if (fresh) known->second = with_stack(module_, callee, names_);
    body = &known->second;
  }
  inline_body(*body, inner, ++depth_);
  --depth_;
  call_line_ = outer_line;
}

void Decoder::indirect_call(const ptx::Instruction& i) {
  // A chain of comparisons, each before the body of one function that may be meant.
  constexpr std::string_view is_it = "%is_callee";
  if (scope_->registers.try_emplace(is_it, Operand{}).second) {
    scope_->registers[is_it] = reserve(4, 4);
    scope_->register_bytes[is_it] = 0;
  }
  ptx::Instruction plain = i;
  plain.guard = {};
  ptx::Instruction compared = plain, around = plain;
  compared.opcode = "setp";
  compared.suffixes = {"eq", "u64"};
  compared.operands.assign(3, {});
  compared.operands[0].name = is_it;
  compared.operands[1].name = i.callee;
  compared.operands[2].kind = ptx::Operand::Kind::integer;
  around.guard = is_it;
  around.guard_negated = true;
  std::vector<std::uint32_t> ends;
  const auto here = [&] { return static_cast<std::uint32_t>(kernel_.code.size()); };
  for (const auto& f : module_.functions) {
    if (!may_be_called(f, i)) continue;
    compared.operands[2].bits = function_address(module_, f.name);
    compare(compared);
    const auto next = here();
    emit(around, Kind::branch);
    inline_call(i, f);
    ends.push_back(here());
    emit(plain, Kind::branch);
    kernel_.code[next].target = here();
  }
  emit(plain, Kind::trap).variant = 1;
  for (const auto at : ends) kernel_.code[at].target = here();
}

bool Decoder::may_be_called(const ptx::Function& f, const ptx::Instruction& i) {
  if (f.entry || f.declaration_only || f.params.size() != i.call_args.size() ||
      f.returns.size() != i.call_returns.size()) {
    return false;
  }
  if (addressed_.empty()) {
    addressed_.insert(std::string_view{});
    for (const auto& v : module_.variables) {
      for (const auto& r : v.relocations) addressed_.insert(r.symbol);
    }
    for (const auto& g : module_.functions) {
      for (const auto& x : g.body) {
        if (x.opcode != "mov") continue;
        for (const auto& o : x.operands) addressed_.insert(o.name);
      }
    }
  }
  if (!addressed_.contains(f.name)) return false;
  // The prototype is that of the arguments: the caller's .param variables have
  // their sizes.
  const auto fits = [&](const ptx::Variable& formal, const ptx::Operand& actual) {
    const auto it = scope_->local_bytes.find(actual.name);
    return it != scope_->local_bytes.end() &&
           it->second == size_of(formal.type) * std::max<std::uint64_t>(formal.count, 1);
  };
  return std::equal(f.params.begin(), f.params.end(), i.call_args.begin(), fits) &&
         std::equal(f.returns.begin(), f.returns.end(), i.call_returns.begin(), fits);
}

std::uint64_t function_address(const ptx::Module& module, std::string_view name) {
  const auto found = module.index.functions.find(name);
  return found == module.index.functions.end()
             ? 0
             : function_window + function_bytes * (found->second + 1);
}

}  // namespace gauntlet::simt
