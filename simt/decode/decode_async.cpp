// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cp.async and its groups (PTX ISA 9.0, 9.7.9.25): a load of the source, and a store that is not
// there before the wait.
#include "simt/decode/decode.hpp"
#include "simt/decode/suffixes.hpp"

namespace gauntlet::simt {

bool Decoder::async_copy(const ptx::Instruction& i) {
  if (i.opcode != "cp") return false;
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
  // cp.async.{ca,cg}.shared.global{.L2::hint}
  const auto& words = i.suffixes;
  if (words.size() < 4 || words.size() > 5 || words[0] != "async") return false;
  const bool every_level = words[1] == "ca";
  if (!every_level && words[1] != "cg") return false;
  if ((words[2] != "shared" && words[2] != "shared::cta") || words[3] != "global") return false;
  if (words.size() == 5 && !words[4].starts_with("L2::")) return false;
  // [destination], [source], size {, bytes that the source has: all of them}
  if ((o.size() != 3 && o.size() != 4) || !number(2)) return false;
  const auto bytes = o[2].bits;
  if (bytes != 16 && (!every_level || (bytes != 4 && bytes != 8))) return false;
  if (o.size() == 4 && (!number(3) || o[3].bits != bytes)) return false;

  MemoryOp op;
  op.what = MemoryOp::What::load;
  op.space = MemorySpace::global;
  op.cell = Cell::u32;
  op.size = 4;
  op.count = static_cast<std::uint8_t>(bytes / 4);
  const auto add = [&](const ptx::Operand& at) {
    auto& inst = kernel_.code.back();
    inst.visible = true;
    address(i, at, op);
    kernel_.code.back().extra = static_cast<std::uint32_t>(kernel_.memory_ops.size());
    kernel_.memory_ops.push_back(op);
  };
  emit(i, Kind::memory);
  for (unsigned k = 0; k < op.count; ++k) {
    op.values[k] = temporary();
    op.value_bytes[k] = 4;
    define(op.values[k]);
  }
  add(o[1]);
  op.what = MemoryOp::What::store;
  op.space = MemorySpace::shared;
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
