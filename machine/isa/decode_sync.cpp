// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Block barriers and warp-synchronous instructions (PTX ISA 9.0, 9.7.13.1-4 and 9.7.9.6).
#include <algorithm>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/isa/suffixes.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {

bool Decoder::barrier(const ptx::Instruction& i) {
  if (i.opcode != "bar" && i.opcode != "barrier") return false;
  const auto has = [&](std::string_view x) {
    return std::find(i.suffixes.begin(), i.suffixes.end(), x) != i.suffixes.end();
  };
  if (has("warp") || has("cluster")) return false;
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
  using W = WarpOp::What;
  const auto& o = i.operands;
  const auto has = [&](std::string_view x) {
    return std::find(i.suffixes.begin(), i.suffixes.end(), x) != i.suffixes.end();
  };
  if (i.opcode == "activemask") {
    if (o.size() != 1 || !spelt(i, "b32")) return false;
    emit(i, Kind::activemask);
    kernel_.code.back().d = result(i, o.at(0), 4);
    return true;
  }
  WarpOp w;
  // The instruction has this form, with one of the names in place of #.
  const auto one_of = [&](std::string_view form,
                          std::initializer_list<std::pair<std::string_view, W>> names) {
    for (const auto& [name, what] : names) {
      std::string text(form);
      text.replace(text.find('#'), 1, name);
      if (!spelt(i, text)) continue;
      w.what = what;
      return true;
    }
    return false;
  };
  // d or d|p, where p may be the sink.
  const auto destination_and_predicate = [&] {
    w.has_destination = true;
    if (o[0].kind != ptx::Operand::Kind::pair) {
      w.destination = result(i, o[0], 4);
      return;
    }
    w.destination = result(i, o[0].parts.at(0), 4);
    w.has_predicate = o[0].parts.at(1).kind != ptx::Operand::Kind::sink;
    if (w.has_predicate) w.predicate = result(i, o[0].parts[1], 0);
  };
  if (i.opcode == "griddepcontrol") {
    const bool wait = spelt(i, "wait");
    if (!o.empty() || (!wait && !spelt(i, "launch_dependents"))) return false;
    Inst& inst = emit(i, Kind::grid_control);
    inst.visible = true;
    inst.variant =
        static_cast<std::uint8_t>(wait ? GridControl::wait : GridControl::launch_dependents);
    return true;
  }
  if ((i.opcode == "bar" || i.opcode == "barrier") && has("warp")) {
    if (o.size() != 1 || i.opcode != "bar" || !spelt(i, "warp sync")) return false;
    emit(i, Kind::warp_sync);
    w.what = W::sync;
    w.mask = value(i, o[0], 4);
  } else if (i.opcode == "shfl") {
    if (!has("sync")) fail(i, "shfl without .sync no longer exists on any supported GPU");
    if (o.size() != 5) return false;
    if (!one_of("sync # b32", {{"up", W::shfl_up},
                               {"down", W::shfl_down},
                               {"bfly", W::shfl_bfly},
                               {"idx", W::shfl_idx}})) {
      return false;
    }
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], 4);
    w.b = value(i, o[2], 4);
    w.c = value(i, o[3], 4);
    w.mask = value(i, o[4], 4);
    destination_and_predicate();
  } else if (i.opcode == "vote") {
    if (!has("sync")) fail(i, "vote without .sync no longer exists on any supported GPU");
    if (o.size() != 3) return false;
    if (!one_of("sync # pred",
                {{"all", W::vote_all}, {"any", W::vote_any}, {"uni", W::vote_uni}}) &&
        !one_of("sync # b32", {{"ballot", W::vote_ballot}})) {
      return false;
    }
    emit(i, Kind::warp_sync);
    w.a = pred(i, o[1]);
    w.a_negated = o[1].negated;
    w.mask = value(i, o[2], 4);
    w.destination = result(i, o[0], w.what == W::vote_ballot ? 4 : 0);
    w.has_destination = true;
  } else if (i.opcode == "match") {
    if (o.size() != 3) return false;
    w.is64 = has("b64");
    if (!one_of(w.is64 ? "# sync b64" : "# sync b32",
                {{"all", W::match_all}, {"any", W::match_any}})) {
      return false;
    }
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], w.is64 ? 8 : 4);
    w.mask = value(i, o[2], 4);
    destination_and_predicate();
  } else if (i.opcode == "redux") {
    w.is_signed = has("s32");
    w.is_float = has("f32");
    w.is_absolute = w.is_float && has("abs");
    w.keeps_nan = w.is_float && has("NaN");
    const std::string of_floats = std::string("sync #") + (w.is_absolute ? " abs" : "") +
                                  (w.keeps_nan ? " NaN" : "") + " f32";
    if (o.size() != 3 ||
        !(one_of(of_floats, {{"min", W::redux_min}, {"max", W::redux_max}}) ||
          one_of(w.is_signed ? "sync # s32" : "sync # u32",
                 {{"add", W::redux_add}, {"min", W::redux_min}, {"max", W::redux_max}}) ||
          one_of("sync # b32",
                 {{"and", W::redux_and}, {"or", W::redux_or}, {"xor", W::redux_xor}}))) {
      return false;
    }
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], 4);
    w.mask = value(i, o[2], 4);
    w.destination = result(i, o[0], 4);
    w.has_destination = true;
  } else if (i.opcode == "elect") {
    if (o.size() != 2 || o[0].kind != ptx::Operand::Kind::pair || !spelt(i, "sync")) return false;
    w.what = W::elect;
    emit(i, Kind::warp_sync);
    w.mask = value(i, o[1], 4);
    w.has_destination = o[0].parts.at(0).kind != ptx::Operand::Kind::sink;
    if (w.has_destination) w.destination = result(i, o[0].parts[0], 4);
    w.has_predicate = true;
    w.predicate = result(i, o[0].parts.at(1), 0);
  } else {
    return false;
  }
  auto& inst = kernel_.code.back();
  inst.visible = true;
  inst.extra = static_cast<std::uint32_t>(kernel_.warp_ops.size());
  kernel_.warp_ops.push_back(w);
  return true;
}

}  // namespace gauntlet::simt
