// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies and reductions, of bytes that lie one behind the other or of boxes of tensors, and
// their groups (PTX ISA 9.0, 9.7.9.25.4 and 5): a load and a store, of which the engine makes the
// whole copy. What only warms caches does nothing.
#include <string>

#include "machine/isa/decode.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;

/// The spaces that a copy names, as the text has them: where to, where from.
struct Spaces {
  std::string_view to, from;
};
Spaces take_spaces(std::vector<std::string_view>& words) {
  std::vector<std::string_view> all;
  std::erase_if(words, [&](std::string_view word) {
    const bool space = word == "global" || word == "shared::cta" || word == "shared::cluster";
    if (space) all.push_back(word);
    return space;
  });
  return all.size() == 2 ? Spaces{all[0], all[1]} : Spaces{};
}

std::uint8_t take_dimensions(std::vector<std::string_view>& words) {
  for (std::uint8_t d = 1; d <= 5; ++d) {
    if (take(words, std::to_string(d) + "d")) return d;
  }
  return 0;
}

}  // namespace

bool Decoder::bulk_group(const ptx::Instruction& i) {
  const auto& o = i.operands;
  const bool commit = spelt(i, "async bulk commit_group"),
             read = spelt(i, "async bulk wait_group read");
  if (!commit && !read && !spelt(i, "async bulk wait_group")) return false;
  const bool number = o.size() == 1 && o[0].kind == ptx::Operand::Kind::integer && !o[0].negated;
  if (commit ? !o.empty() : !number) return false;
  Inst& inst = emit(i, Kind::copy_group);
  inst.visible = !commit;
  inst.variant = static_cast<std::uint8_t>(commit ? CopyGroup::bulk_commit
                                           : read ? CopyGroup::bulk_wait_read
                                                  : CopyGroup::bulk_wait);
  inst.extra = commit ? 0 : static_cast<std::uint32_t>(o[0].bits);
  return true;
}

bool Decoder::bulk(const ptx::Instruction& i) {
  if (i.opcode == "tensormap") return tensor_map(i);
  auto words = i.suffixes;
  const auto& o = i.operands;
  using K = ptx::Operand::Kind;
  const bool reduces = take(words, "reduce");
  if (!take(words, "async") || !take(words, "bulk")) return false;
  if (take(words, "prefetch")) {
    if (reduces || o.empty()) return false;
    emit(i, Kind::nop);
    return true;
  }
  BulkOp op;
  MemoryOp load, store;
  const bool tensor = take(words, "tensor");
  if (tensor && (op.dimensions = take_dimensions(words)) == 0) return false;
  const auto [to, from] = take_spaces(words);
  op.to_shared = to.starts_with("shared");
  op.from_shared = from == "shared::cta";
  if (to.empty() || from == "shared::cluster" || (to == "global" && !op.from_shared) ||
      (tensor && op.to_shared && op.from_shared)) {
    return false;
  }
  op.by_mbarrier = take(words, "mbarrier::complete_tx::bytes");
  if (op.by_mbarrier != op.to_shared || (!op.by_mbarrier && !take(words, "bulk_group"))) {
    return false;
  }
  op.multicast = take(words, "multicast::cluster");
  if (op.multicast && (reduces || op.from_shared)) return false;
  const bool policy = take(words, "L2::cache_hint");
  if (tensor && !take(words, "tile")) {
    op.pixels = take(words, op.to_shared ? "im2col" : "im2col_no_offs");
    if (op.pixels && op.dimensions < 3) return false;
  }
  store.what = reduces ? MemoryOp::What::reduction : MemoryOp::What::store;
  if (reduces) {
    for (const AtomicOp one : all<AtomicOp>()) {
      if (op.reduces == AtomicOp::none && take(words, name(one))) op.reduces = one;
    }
    using enum AtomicOp;
    if (op.reduces == none || op.reduces == exch || op.reduces == cas) return false;
    if (!tensor) {  // the map has a tensor's
      (void)take(words, "noftz");
      const auto type = words.size() == 1 ? ptx::stored_type(words[0]) : std::nullopt;
      if (!type || size_of(*type) < 2 || size_of(*type) > 8) return false;
      words.clear();
      store.cell = *type == S::b32 ? S::u32 : *type == S::b64 ? S::u64 : *type;
      store.size = static_cast<std::uint8_t>(size_of(*type));
    }
    store.order = Order::relaxed;
    store.atomic = op.reduces;
  }
  // [to], [from], bytes, [mbarrier] {, offsets} {, blocks} {, policy}; of a tensor one has its map
  // and the box's first coordinates, and the box has as many bytes as it has.
  const std::size_t size_at = 2, after = tensor ? 2 : 3;
  const std::size_t blocks_at = after + 1 + (op.pixels ? 1 : 0);
  const std::size_t wanted =
      (op.by_mbarrier ? blocks_at : after) + (op.multicast ? 1 : 0) + (policy ? 1 : 0);
  if (!words.empty() || o.size() != wanted) return false;
  const std::size_t map_at = op.to_shared ? 1 : 0;
  for (std::size_t k = 0; k < 2; ++k) {
    if (o[k].kind != (tensor && k == map_at ? K::located : K::address)) return false;
  }
  if (tensor && o[map_at].parts.size() != op.dimensions) return false;
  if (op.by_mbarrier && o[after].kind != K::address) return false;
  const bool shifts = op.pixels && op.by_mbarrier;
  if (shifts &&
      (o[after + 1].kind != K::vector || o[after + 1].parts.size() + 2 != op.dimensions)) {
    return false;
  }

  load.space = op.from_shared ? MemorySpace::shared : MemorySpace::global;
  store.space = op.to_shared ? MemorySpace::shared : MemorySpace::global;
  load.copied = store.async = true;
  load.bulk = store.bulk = static_cast<std::uint32_t>(kernel_.bulk_ops.size() + 1);
  const auto place = [&](std::size_t k, MemoryOp& of) {
    ptx::Operand at = o[k];
    at.kind = K::address;
    if (tensor && k == map_at) of.space = MemorySpace::generic;
    address(i, at, of);
  };
  const auto add = [&](const MemoryOp& of) {
    kernel_.code.back().visible = true;
    accesses(of);
  };
  emit(i, Kind::memory);
  place(1, load);
  add(load);
  emit(i, Kind::memory);
  use(load.address);
  place(0, store);
  for (unsigned d = 0; d < op.dimensions; ++d) {
    op.coordinates[d] = value(i, o[map_at].parts[d], 4);
  }
  if (!tensor) op.bytes = value(i, o[size_at], 4);
  if (op.by_mbarrier) {
    op.barrier = mbarrier_word(MemorySpace::shared);
    address(i, o[after], op.barrier);
  }
  for (std::size_t d = 0; shifts && d < o[after + 1].parts.size(); ++d) {
    op.offsets[d] = value(i, o[after + 1].parts[d], 2);
  }
  if (op.multicast) {
    op.blocks = value(i, o[blocks_at], 2);
    kernel_.uses_cluster = true;
  }
  add(store);
  kernel_.bulk_ops.push_back(op);
  return true;
}

}  // namespace gauntlet::simt
