// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wgmma (PTX ISA 9.0, 9.7.15): products by four warps, each of which makes 16 rows of D. Their
// reads of shared memory are those of loads that stand before the instruction and do nothing.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/matrix_sum.hpp"
#include "machine/isa/matrix_words.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using N = ptx::ScalarType;
using u32 = std::uint32_t;

constexpr unsigned rows_of_warp = 16;

/// m64nNkK: of a warp's rows.
std::optional<MatrixShape> take_group_shape(std::vector<std::string_view>& words) {
  constexpr std::string_view rows = "m64n";
  for (const std::string_view word : words) {
    if (!word.starts_with(rows)) continue;
    MatrixShape shape{rows_of_warp, 0, 0};
    const char *at = word.data() + rows.size(), *const end = word.data() + word.size();
    const auto n = std::from_chars(at, end, shape.n);
    if (n.ec != std::errc{} || n.ptr == end || *n.ptr != 'k') return std::nullopt;
    const auto k = std::from_chars(n.ptr + 1, end, shape.k);
    if (k.ec != std::errc{} || k.ptr != end) return std::nullopt;
    take(words, word);
    return shape;
  }
  return std::nullopt;
}

bool is_byte(N n) { return n == N::s8 || n == N::u8; }
bool is_half(N n) { return n == N::f16 || n == N::bf16; }

bool exists(const MatrixOp& op) {
  const auto [a, b, d] = std::tuple(op.a_number, op.b_number, op.d_number);
  const auto n = op.shape.n;
  if (n == 0 || n > 256 || n % 8 != 0 || op.held_of_a().k * bits_of(a) != 256) return false;
  if (is_byte(a)) return is_byte(b) && d == N::s32 && (n <= 32 || n % 16 == 0);
  if (op.saturate) return false;
  if (is_fp8(a)) return is_fp8(b) && (d == N::f16 || d == N::f32);
  return a == b && ((a == N::f16 && d == N::f16) || ((is_half(a) || a == N::tf32) && d == N::f32));
}

std::optional<std::int64_t> immediate(const ptx::Operand& o) {
  if (o.kind != ptx::Operand::Kind::integer || o.negated) return std::nullopt;
  return static_cast<std::int64_t>(o.bits);
}

void holds(Warp& w, const Inst& i, u32 mask) {
  *w.destination<u32>(i.d) |= mask;
  clear_poison(w, i.d, mask);
}

}  // namespace

bool Decoder::warpgroup(const ptx::Instruction& i) {
  if (spelt(i, "wait_group sync aligned")) {
    const auto groups = i.operands.size() == 1 ? immediate(i.operands[0]) : std::nullopt;
    if (!groups || *groups < 0) return false;
    group_wait(i);
    return true;
  }
  MatrixOp op;
  if (spelt(i, "fence sync aligned"))
    op.what = MatrixOp::What::order;
  else if (spelt(i, "commit_group sync aligned"))
    op.what = MatrixOp::What::commit;
  else
    return group_product(i);
  if (!i.operands.empty()) return false;
  emit(i, Kind::warp_sync);
  end_matrix(std::move(op));
  return true;
}

/// A loop: until all warps have begun what one of them waits for, it is the others' turn.
void Decoder::group_wait(const ptx::Instruction& i) {
  const Operand over = reserve(4, 4);
  Inst& skipped = emit(i, Kind::data);  // where a guard leaves out the wait
  skipped.has_guard = false;
  skipped.fn = &holds;
  skipped.d = over;
  define(over);
  const auto again = static_cast<u32>(kernel_.code.size());
  emit(i, Kind::warp_sync);
  MatrixOp op;
  op.what = MatrixOp::What::wait;
  op.count = static_cast<u32>(i.operands[0].bits);
  op.d = {over};
  define(over);
  end_matrix(std::move(op));
  Inst& others = emit(i, Kind::yield);
  others.has_guard = false;
  others.a = use(over);
  Inst& back = emit(i, Kind::branch);
  back.has_guard = back.guard_negated = true;
  back.guard = over.offset;
  back.guard_id = over.id;
  back.target = again;
  use(over);
}

bool Decoder::group_product(const ptx::Instruction& i) {
  // wgmma.mma_async{.sp}.sync.aligned.shape{.satfinite}.d.a.b d, a, b {, places, selector}, adds
  // {, scales} {, transposed}
  auto words = i.suffixes;
  MatrixOp op;
  op.what = MatrixOp::What::product;
  if (!take(words, "mma_async") || !take_aligned(words)) return false;
  op.sparse = take(words, "sp");
  const auto shape = take_group_shape(words);
  if (!shape) return false;
  op.shape = *shape;
  op.saturate = take(words, "satfinite");
  const auto numbers = matrix_numbers(words);
  if (!numbers || numbers->size() != 3) return false;
  op.c_number = op.d_number = numbers->at(0);
  op.a_number = numbers->at(1);
  op.b_number = numbers->at(2);
  const auto& o = i.operands;
  using K = ptx::Operand::Kind;
  const std::size_t adds_at = op.sparse ? 5 : 3;
  if (!exists(op) || o.size() <= adds_at) return false;
  auto& [a, b] = op.factors;
  a.in_memory = o[1].kind != K::vector;
  b.in_memory = true;
  const std::size_t scales = is_byte(op.a_number) ? 0 : 2;
  const std::size_t transposes = !is_half(op.a_number) ? 0 : a.in_memory ? 2 : 1;
  if (o.size() != adds_at + 1 + scales + transposes) return false;
  for (std::size_t k = 0; k < scales; ++k) {
    const auto scale = immediate(o[adds_at + 1 + k]);
    if (scale != 1 && scale != -1) return false;
    op.factors[k].negated = scale == -1;
  }
  for (std::size_t k = 0; k < transposes; ++k) {
    const auto transposed = immediate(o[adds_at + 1 + scales + k]);
    if (transposed != 0 && transposed != 1) return false;
    op.factors[2 - transposes + k].transposed = transposed == 1;
  }
  if (parts_of(o[0]).size() != registers_of(MatrixPart::c, op.shape, op.d_number)) return false;
  if (!a.in_memory &&
      parts_of(o[1]).size() != registers_of(MatrixPart::a, op.held_of_a(), op.a_number)) {
    return false;
  }
  if (op.sparse) {
    const auto selector = immediate(o[4]);
    if (!selector || *selector < 0 || *selector > (bits_of(op.a_number) == 8 ? 0 : 1)) return false;
    op.selector = static_cast<std::uint8_t>(*selector);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    if (!op.factors[k].in_memory) continue;
    MemoryOp load;
    load.space = MemorySpace::shared;
    const N number = numbers->at(1 + k);
    load.size = static_cast<std::uint8_t>(bits_of(number) / 8);
    load.cell = load.size == 1 ? N::u8 : load.size == 2 ? number : N::f32;
    load.copied = true;
    BulkOp read;
    read.from_shared = read.product = true;
    kernel_.bulk_ops.push_back(read);
    load.bulk = static_cast<u32>(kernel_.bulk_ops.size());
    op.factors[k].load = static_cast<u32>(kernel_.code.size());
    Inst& inst = emit(i, Kind::memory);
    inst.visible = true;
    inst.extra = static_cast<u32>(kernel_.memory_ops.size());
    kernel_.memory_ops.push_back(load);
  }
  emit(i, Kind::warp_sync);
  for (std::size_t k = 0; k < 2; ++k) {
    if (op.factors[k].in_memory) op.factors[k].tile = value(i, o[1 + k], 8);
  }
  if (!a.in_memory) op.a = values(i, o[1], 4);
  if (op.sparse) op.places = value(i, o[3], 4);
  op.adds = pred(i, o[adds_at]);
  if (o[adds_at].negated) return false;
  op.c = values(i, o[0], 4);
  op.d = results(i, o[0], 4);
  end_matrix(std::move(op));
  return true;
}

/// From each product back over what always comes right before it: an instruction that computes one
/// of its registers, where no wgmma.fence stands between. A move is none: it only names a register
/// anew, wherever the compiler has put it.
void Decoder::find_unfenced_products() {
  std::vector<bool> joins(kernel_.code.size() + 1);
  bool any = false;
  for (const Inst& inst : kernel_.code) {
    if (inst.kind == Kind::branch) joins[inst.target] = true;
  }
  const auto matrix_at = [&](std::size_t at) -> MatrixOp* {
    const Inst& inst = kernel_.code[at];
    if (inst.kind != Kind::warp_sync) return nullptr;
    const WarpOp& op = kernel_.warp_ops[inst.extra];
    return op.what == WarpOp::What::matrix ? &kernel_.matrix_ops[op.matrix] : nullptr;
  };
  for (std::size_t at = 0; at < kernel_.code.size(); ++at) {
    MatrixOp* const op = matrix_at(at);
    if (op == nullptr || op->what != MatrixOp::What::product) continue;
    any = true;
    std::vector<u32> held;
    for (const auto* registers : {&op->a, &op->c}) {
      for (const Operand& o : *registers) held.push_back(o.id);
    }
    std::ranges::sort(held);
    for (std::size_t k = at; k != 0 && !joins[k];) {
      const Inst& inst = kernel_.code[--k];
      if (const MatrixOp* const before = matrix_at(k)) {
        if (before->what == MatrixOp::What::order) break;
        if (before->what == MatrixOp::What::product) continue;
      }
      if (inst.kind == Kind::exit || (inst.kind == Kind::branch && !inst.has_guard)) break;
      const bool writes = std::ranges::any_of(
          defs_[k], [&](u32 slot) { return std::ranges::binary_search(held, slot); });
      if (!writes || kernel_.operation_at(k).opcode == Opcode::mov) continue;
      op->unfenced = static_cast<u32>(k);
      break;
    }
  }
  for (const UndefinedRegister& r : slots_) {
    if (any && r.bytes == 4 * warp_size) kernel_.product_registers.push_back({r.offset, r.slot});
  }
}

}  // namespace gauntlet::simt
