// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps that a kernel changes (PTX ISA 9.0, 9.7.9.27 and 28): a field is stored as any word
// is, and a map is copied by the lanes of a warp, four bytes each. Who copies by it reads it
// through a proxy of its own, which a fence has to tell of that.
#include <array>
#include <cstddef>
#include <string_view>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/suffixes.hpp"
#include "machine/state/tensor_map.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;

struct Field {
  std::string_view word;
  std::size_t offset;
  std::uint8_t bytes = 4;
  unsigned first = 0, count = 0;  ///< of an array: its elements have numbers from `first` on
  std::string_view type = "b32";
};
constexpr std::array<Field, 10> fields{{
    {"global_address", offsetof(TensorMap, base), 8, 0, 0, "b64"},
    {"rank", offsetof(TensorMap, beyond_first), 1},
    {"box_dim", offsetof(TensorMap, box), 2, 0, TensorMap::most_dimensions},
    {"global_dim", offsetof(TensorMap, sizes), 4, 0, TensorMap::most_dimensions},
    {"global_stride", offsetof(TensorMap, strides), 8, 0, TensorMap::most_dimensions - 1, "b64"},
    {"element_stride", offsetof(TensorMap, steps), 1, 0, TensorMap::most_dimensions},
    {"elemtype", offsetof(TensorMap, number), 1},
    {"interleave_layout", 0, 0},
    {"swizzle_mode", offsetof(TensorMap, swizzle), 1},
    {"fill_mode", offsetof(TensorMap, nan_outside), 1},
}};

/// What the machine stores for a number that names something; nullopt: there is no such thing here.
std::optional<std::uint64_t> coded(std::string_view field, std::uint64_t number) {
  if (field == "elemtype") {
    const auto type = tensor_element(number, false);
    return type ? std::optional(static_cast<std::uint64_t>(*type)) : std::nullopt;
  }
  if (field == "interleave_layout" && number != 0) return std::nullopt;
  if (field == "swizzle_mode")
    return number < 4 ? std::optional(swizzle_bytes(number)) : std::nullopt;
  return number < 2 ? std::optional(number) : std::nullopt;
}

/// Where the lane's word of a map is.
template <class A>
void word_of_lane(Warp& w, const Inst& i, std::uint32_t mask) {
  const A* const a = w.source<A>(i.a);
  auto* const d = result_of<std::uint64_t, NoBitRule>(w, i, mask);
  for (unsigned l = 0; l < warp_size; ++l) d[l] = a[l] + std::uint64_t{4} * l;
  finish<std::uint64_t, 1>(w, i, mask);
}

std::optional<MemorySpace> map_space(std::vector<std::string_view>& words) {
  if (take(words, "global")) return MemorySpace::global;
  if (take(words, "shared::cta")) return MemorySpace::shared;
  return std::nullopt;
}

}  // namespace

bool Decoder::tensor_map(const ptx::Instruction& i) {
  return i.suffixes.front() == "replace" ? replace_in_map(i) : copy_map(i);
}

/// tensormap.replace.tile.FIELD.space.b1024.type [map] {, number}, value
bool Decoder::replace_in_map(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  auto words = i.suffixes;
  const auto& o = i.operands;
  if (!take(words, "replace") || !take(words, "tile") || !take(words, "b1024")) return false;
  const auto space = map_space(words).value_or(MemorySpace::generic);
  const auto field =
      std::ranges::find_if(fields, [&](const Field& f) { return take(words, f.word); });
  if (field == fields.end() || words != std::vector{field->type}) return false;
  const std::size_t last = field->count == 0 ? 1 : 2;
  if (o.size() != last + 1 || o[0].kind != K::address) return false;
  const bool number = o[last].kind == K::integer;
  std::uint64_t place = 0;
  if (last == 2) {
    if (o[1].kind != K::integer || o[1].bits >= field->count) return false;
    place = o[1].bits;
  }
  const bool is_code = field >= std::ranges::find(fields, "elemtype", &Field::word);
  if (is_code && (!number || !coded(field->word, o[last].bits))) return false;
  const auto store = [&](std::size_t offset, std::uint8_t bytes, auto&& stored) {
    MemoryOp op;
    op.what = MemoryOp::What::store;
    op.space = space;
    op.size = bytes;
    op.cell = unsigned_of(bytes);
    emit(i, Kind::memory);
    address(i, o[0], op);
    op.offset += static_cast<std::int64_t>(offset);
    op.values[0] = stored();
    op.value_bytes[0] = bytes == 8 ? 8 : 4;
    kernel_.code.back().visible = true;
    accesses(op);
  };
  store(offsetof(TensorMap, mark), 8, [&] { return constant(TensorMap::made, 8); });
  if (field->bytes == 0) return true;
  store(field->offset + place * field->bytes, field->bytes, [&] {
    if (is_code) return constant(*coded(field->word, o[last].bits), 4);
    return value(i, o[last], field->bytes == 8 ? 8 : 4);
  });
  return true;
}

/// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [to],
/// [from], 128
bool Decoder::copy_map(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  auto words = i.suffixes;
  const auto& o = i.operands;
  for (const std::string_view word : {"cp_fenceproxy", "global", "shared::cta",
                                      "tensormap::generic", "release", "sync", "aligned"}) {
    if (!take(words, word)) return false;
  }
  const auto scope = words.size() == 1 ? parse<Scope>(words[0]) : std::nullopt;
  if (!scope || o.size() != 3 || o[0].kind != K::address || o[1].kind != K::address ||
      o[2].kind != K::integer || o[2].bits != TensorMap::bytes) {
    return false;
  }
  const Operand word = temporary();
  for (const std::size_t k : {1U, 0U}) {
    const Operand at = temporary();
    MemoryOp op;
    op.what = k == 1 ? MemoryOp::What::load : MemoryOp::What::store;
    op.space = k == 1 ? MemorySpace::shared : MemorySpace::global;
    emit(i, Kind::data);
    address(i, o[k], op);
    if (op.address_is_constant) return false;
    Inst& inst = kernel_.code.back();
    inst.fn = op.address_wide ? &word_of_lane<std::uint64_t> : &word_of_lane<std::uint32_t>;
    inst.a = op.address;
    inst.d = at;
    define(at);
    matrix_access(i, op, at, 4, op.offset).values[0] = k == 1 ? define(word) : use(word);
  }
  Inst& fence = emit(i, Kind::fence);
  fence.visible = true;
  fence.fence = {*scope, Order::release};
  WarpOp together;
  together.mask = constant(all_lanes, 4);
  Inst& sync = emit(i, Kind::warp_sync);
  sync.visible = true;
  sync.extra = static_cast<std::uint32_t>(kernel_.warp_ops.size());
  kernel_.warp_ops.push_back(together);
  return true;
}

/// fence.proxy.tensormap::generic.release.scope, or .acquire.scope [map], 128, of who copies by it.
bool Decoder::fence_of_maps(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  const auto& o = i.operands;
  ptx::Instruction order = i;
  order.suffixes.erase(order.suffixes.begin(), order.suffixes.begin() + 2);
  order.operands.clear();
  if (order.suffixes.size() != 2) return false;
  if (order.suffixes[0] == "release") return o.empty() && memory(order);
  const bool sized = o.size() == 2 && o[0].kind == K::address && o[1].kind == K::integer &&
                     o[1].bits == TensorMap::bytes;
  if (order.suffixes[0] != "acquire" || !sized || !memory(order)) return false;
  emit(i, Kind::proxy_fence).variant = 4;
  return true;
}

}  // namespace gauntlet::simt
