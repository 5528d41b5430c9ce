// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async and its groups (PTX ISA 9.0, 9.7.9.25): a load of the source, and a store that is not
// there before the wait.
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

/// Nothing where the predicate a holds (bit 0 of Inst::variant: where it does not), else all of b.
void bytes_unless(Warp& w, const Inst& i, std::uint32_t mask) {
  const std::uint32_t ignored = predicate(w, i.a, i.variant != 0);
  const auto* all = w.source<std::uint32_t>(i.b);
  for_lanes(w.destination<std::uint32_t>(i.d), mask,
            [=](int l) { return (ignored >> l & 1) != 0 ? 0 : all[l]; });
  spread_poison(w, i.d, mask, i.a);
}

}  // namespace

bool Decoder::async_copy(const ptx::Instruction& i) {
  const auto& o = i.operands;
  using K = ptx::Operand::Kind;
  const auto number = [&](std::size_t k) {
    return k < o.size() && o[k].kind == K::integer && !o[k].negated;
  };
  const bool commit = spelt(i, "async commit_group"), all = spelt(i, "async wait_all");
  if (commit || all || spelt(i, "async wait_group")) {
    if (commit || all ? !o.empty() : o.size() != 1 || !number(0)) return false;
    auto& inst = emit(i, Kind::copy_group);
    inst.visible = !commit;
    inst.variant = static_cast<std::uint8_t>(commit ? CopyGroup::commit
                                             : all  ? CopyGroup::wait_all
                                                    : CopyGroup::wait);
    inst.extra = all || commit ? 0 : static_cast<std::uint32_t>(o[0].bits);
    return true;
  }
  if (i.suffixes.size() > 1 && i.suffixes[1] == "bulk") return bulk_group(i);
  if (i.suffixes.size() > 1 && i.suffixes[1] == "mbarrier") return copies_arrive(i);
  // cp.async.{ca,cg}.shared.global{.L2::cache_hint}{.L2::size}
  const auto& words = i.suffixes;
  if (words.size() < 4 || words.size() > 6 || words[0] != "async") return false;
  const bool every_level = words[1] == "ca";
  if (!every_level && words[1] != "cg") return false;
  if ((words[2] != "shared" && words[2] != "shared::cta") || words[3] != "global") return false;
  bool policy = false;
  for (std::size_t k = 4; k < words.size(); ++k) {
    if (!words[k].starts_with("L2::")) return false;
    policy |= words[k] == "L2::cache_hint";
  }
  // [destination], [source], size {, bytes of the source, or a predicate to ignore it} {, policy}
  const auto operands = o.size() - (policy ? 1 : 0);
  if ((operands != 3 && operands != 4) || !number(2)) return false;
  const auto bytes = o[2].bits;
  if (bytes != 16 && (!every_level || (bytes != 4 && bytes != 8))) return false;
  if (operands == 4 && number(3) && o[3].bits > bytes) return false;

  MemoryOp op;
  op.what = MemoryOp::What::load;
  op.copied = true;
  op.space = MemorySpace::global;
  op.cell = ptx::ScalarType::u32;
  op.size = 4;
  op.count = static_cast<std::uint8_t>(bytes / 4);
  if (operands == 4 && !(number(3) && o[3].bits == bytes)) {
    op.shortened = true;
    if (o[3].kind == K::name && is_register(o[3].name) && register_size(o[3].name) == 0) {
      emit(i, Kind::data).fn = &bytes_unless;
      const auto ignored = pred(i, o[3]);
      auto& inst = kernel_.code.back();
      inst.a = ignored;
      inst.variant = o[3].negated ? 1 : 0;
      kernel_.code.back().b = constant(bytes, 4);
      op.source_bytes = kernel_.code.back().d = temporary();
      define(op.source_bytes);
    } else {
      op.source_bytes = value(i, o[3], 4);
    }
  }
  const auto add = [&](const ptx::Operand& at) {
    kernel_.code.back().visible = true;
    address(i, at, op);
    accesses(op);
  };
  emit(i, Kind::memory);
  if (op.shortened) use(op.source_bytes);
  for (unsigned k = 0; k < op.count; ++k) {
    op.values[k] = temporary();
    op.value_bytes[k] = 4;
    define(op.values[k]);
  }
  add(o[1]);
  op.what = MemoryOp::What::store;
  op.space = MemorySpace::shared;
  op.copied = op.shortened = false;
  op.offset = 0;
  op.address = {};
  op.address_is_constant = false;
  op.async = true;
  emit(i, Kind::memory);
  for (unsigned k = 0; k < op.count; ++k) use(op.values[k]);
  add(o[0]);
  return true;
}

}  // namespace gauntlet::simt
