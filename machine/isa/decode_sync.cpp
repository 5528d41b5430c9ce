// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Block barriers and, by way of their table (machine/isa/warp_rows.hpp), warp-synchronous
// instructions (PTX ISA 9.0, 9.7.13.1-4 and 9.7.9.6).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "machine/isa/decode.hpp"
#include "machine/isa/suffixes.hpp"
#include "machine/isa/warp_rows.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

bool Decoder::barrier(const ptx::Instruction& i) {
  const auto has = [&](std::string_view x) {
    return std::find(i.suffixes.begin(), i.suffixes.end(), x) != i.suffixes.end();
  };
  if (has("cluster")) return false;
  BarrierOp b;
  const bool bar = i.opcode == "bar";
  b.aligned = bar || has("aligned");
  const auto& o = i.operands;
  const auto form = [&](std::string text) {
    if (has("cta")) text += " cta";
    return spelt(i, !bar && has("aligned") ? text + " aligned" : text);
  };
  const bool red = has("red");
  if (form("sync"))
    b.what = BarrierOp::What::sync;
  else if (form("arrive"))
    b.what = BarrierOp::What::arrive;
  else if (form("red popc u32"))
    b.what = BarrierOp::What::red_popc;
  else if (form("red and pred"))
    b.what = BarrierOp::What::red_and;
  else if (form("red or pred"))
    b.what = BarrierOp::What::red_or;
  else
    return false;
  // {d,} barrier {, threads} {, predicate}; without an operand, barrier 0.
  if (o.size() < (red                                 ? 3U
                  : b.what == BarrierOp::What::arrive ? 2U
                                                      : 0U) ||
      o.size() > (red ? 4U : 2U)) {
    return false;
  }
  emit(i, Kind::barrier).visible = true;
  std::size_t next = 0;
  if (red) {
    next = 1;
    b.predicate = pred(i, o.back());
    b.predicate_negated = o.back().negated;
  }
  const auto end = o.size() - (next == 1 ? 1 : 0);
  if (next < end && o[next].kind == ptx::Operand::Kind::integer &&
      o[next].bits >= std::tuple_size_v<decltype(Block::barriers)>) {
    fail(i, "a block has the barriers 0 to 15");
  }
  b.id = next < end ? value(i, o[next], 4) : constant(0, 4);
  if (next + 1 < end) {
    b.threads = value(i, o[next + 1], 4);
    b.has_count = true;
  }
  Inst& inst = kernel_.code.back();
  if (red) inst.d = result(i, o[0], b.what == BarrierOp::What::red_popc ? 4 : 0);
  inst.extra = static_cast<std::uint32_t>(kernel_.barrier_ops.size());
  kernel_.barrier_ops.push_back(b);
  return true;
}

bool Decoder::warp_op(const ptx::Instruction& i) {
  using K = ptx::Operand::Kind;
  const auto& o = i.operands;
  if (i.opcode == "activemask") {
    if (o.size() != 1 || !spelt(i, "b32")) return false;
    emit(i, Kind::activemask);
    kernel_.code.back().d = result(i, o[0], 4);
    return true;
  }
  if (i.opcode == "setmaxnreg") {
    const bool known = spelt(i, "inc sync aligned u32") || spelt(i, "dec sync aligned u32");
    if (!known || o.size() != 1 || o[0].kind != K::integer) return false;
    if (o[0].negated || o[0].bits < 24 || o[0].bits > 256 || o[0].bits % 8 != 0) {
      fail(i, "a warp has 24 to 256 registers, a multiple of 8");
    }
    emit(i, Kind::nop);  // registers are no bound here
    return true;
  }
  if (i.opcode == "griddepcontrol") {
    const bool wait = spelt(i, "wait");
    if (!o.empty() || (!wait && !spelt(i, "launch_dependents"))) return false;
    Inst& inst = emit(i, Kind::grid_control);
    inst.visible = true;
    if (!wait) inst.wait = Wait::nobody;
    return true;
  }
  if ((i.opcode == "shfl" || i.opcode == "vote") &&
      std::find(i.suffixes.begin(), i.suffixes.end(), "sync") == i.suffixes.end()) {
    fail(i, fmt::format("{} without .sync no longer exists on any supported GPU", i.opcode));
  }
  const auto rows = warp_rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const WarpRow& r) {
    const bool both = r.operands[0] != 'e' || (!o.empty() && o[0].kind == K::pair);
    return r.opcode == i.opcode && r.operands.size() == o.size() && both && spelt(i, r.form);
  });
  if (row == rows.end()) return false;
  emit(i, Kind::warp_sync);
  WarpOp w;
  w.what = row->what;
  w.fold = row->fold;
  w.is_signed = row->is_signed;
  if (row->operands.find('m') == row->operands.npos) w.mask = constant(0xFFFF'FFFF, 4);
  for (std::size_t k = 0; k < o.size(); ++k) {
    switch (row->operands[k]) {
      case 'a':
      case 'A':
        w.has_value = true;
        w.is64 = row->operands[k] == 'A';
        w.a = value(i, o[k], w.is64 ? 8 : 4);
        break;
      case 'v':
        w.votes = true;
        w.a = pred(i, o[k]);
        w.a_negated = o[k].negated;
        break;
      case 'b':
        w.b = value(i, o[k], 4);
        break;
      case 'c':
        w.c = value(i, o[k], 4);
        break;
      case 'm':
        w.mask = value(i, o[k], 4);
        break;
      default:
        break;
    }
  }
  // The destinations; one of a pair may be the sink.
  const char gives = row->operands[0];
  const bool pair = (gives == 'q' || gives == 'e') && o[0].kind == K::pair;
  const auto* const number = pair                           ? &o[0].parts.at(0)
                             : gives == 'd' || gives == 'q' ? &o[0]
                                                            : nullptr;
  const auto* const predicate = gives == 'p' ? &o[0] : pair ? &o[0].parts.at(1) : nullptr;
  w.has_destination = number != nullptr && (gives != 'e' || number->kind != K::sink);
  w.has_predicate = predicate != nullptr && (gives != 'q' || predicate->kind != K::sink);
  if (w.has_destination) w.destination = result(i, *number, 4);
  if (w.has_predicate) w.predicate = result(i, *predicate, 0);
  auto& inst = kernel_.code.back();
  inst.visible = true;
  inst.counted = row->counted;
  inst.extra = static_cast<std::uint32_t>(kernel_.warp_ops.size());
  kernel_.warp_ops.push_back(w);
  return true;
}

}  // namespace gauntlet::simt
