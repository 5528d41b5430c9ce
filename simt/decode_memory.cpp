// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, atomics, fences, block barriers and warp-synchronous instructions
// (PTX ISA 9.0, 9.7.9 and 9.7.13).
#include <algorithm>

#include "simt/decode.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;

Cell cell_of(S t) {
  switch (t) {
    case S::b8:
    case S::u8:
      return Cell::u8;
    case S::s8:
      return Cell::s8;
    case S::b16:
    case S::u16:
      return Cell::u16;
    case S::s16:
      return Cell::s16;
    case S::s32:
      return Cell::s32;
    case S::b64:
    case S::u64:
      return Cell::u64;
    case S::s64:
      return Cell::s64;
    case S::f16:
      return Cell::f16;
    case S::bf16:
      return Cell::bf16;
    case S::f16x2:
      return Cell::f16x2;
    case S::bf16x2:
      return Cell::bf16x2;
    case S::f32:
      return Cell::f32;
    case S::f64:
      return Cell::f64;
    default:
      return Cell::u32;
  }
}

struct Modifiers {
  MemoryOp op;
  S type = S::b32;
  bool ok = true;
  std::vector<std::string_view> rest;
};

/// Space, ordering, scope, vector width and type; caching hints change nothing here.
Modifiers modifiers(const ptx::Instruction& i) {
  Modifiers m;
  bool has_type = false;
  for (const auto x : i.suffixes) {
    if (x == "global")
      m.op.space = MemorySpace::global;
    else if (x == "shared" || x == "shared::cta")
      m.op.space = MemorySpace::shared;
    else if (x == "local")
      m.op.space = MemorySpace::local;
    else if (x == "param" || x == "param::entry" || x == "param::func")
      m.op.space = MemorySpace::param;
    else if (x == "const")
      m.op.space = MemorySpace::constant;
    else if (x == "volatile")
      m.op.is_volatile = true;
    else if (x == "weak")
      m.op.order = Order::weak;
    else if (x == "relaxed" || x == "mmio")
      m.op.order = Order::relaxed;
    else if (x == "acquire")
      m.op.order = Order::acquire;
    else if (x == "release")
      m.op.order = Order::release;
    else if (x == "acq_rel")
      m.op.order = Order::acq_rel;
    else if (x == "cta")
      m.op.scope = Scope::cta;
    else if (x == "cluster")
      m.op.scope = Scope::cluster;
    else if (x == "gpu")
      m.op.scope = Scope::gpu;
    else if (x == "sys")
      m.op.scope = Scope::sys;
    else if (x == "v2")
      m.op.count = 2;
    else if (x == "v4")
      m.op.count = 4;
    else if (x == "v8")
      m.op.count = 8;
    else if (x == "nc" || x == "ca" || x == "cg" || x == "cs" || x == "lu" || x == "cv" ||
             x == "wb" || x == "wt" || x == "noftz" || x.starts_with("L1::") ||
             x.starts_with("L2::") || x == "unified") {
    } else if (S t; parse_scalar_type(x, t)) {
      m.type = t;
      has_type = true;
    } else {
      m.rest.push_back(x);
    }
  }
  m.ok = has_type;
  m.op.cell = cell_of(m.type);
  m.op.size = static_cast<std::uint8_t>(size_of(m.type));
  return m;
}

}  // namespace

void Decoder::address(const ptx::Instruction& i, const ptx::Operand& o, MemoryOp& op) {
  if (o.kind != ptx::Operand::Kind::address) fail(i, "operand is not an address");
  op.offset = o.offset;
  if (o.name.empty()) {
    op.address_is_constant = true;
    return;
  }
  if (is_register(o.name)) {
    op.address = use(scope_->registers.at(o.name));
    op.address_wide = register_size(o.name) == 8;
    return;
  }
  const auto s = symbol_address(o.name, 0, 8);
  if (s.id == ~0U) fail(i, "unknown name in the address");
  op.address = s;
  op.address_wide = true;
  if (op.space == MemorySpace::generic) {
    // A symbol names its own space.
    if (shared_.contains(o.name))
      op.space = MemorySpace::shared;
    else if (scope_->local.contains(o.name))
      op.space = MemorySpace::local;
  }
  // .param variables of device functions are local to the caller's thread.
  if (op.space == MemorySpace::param && scope_->local.contains(o.name)) {
    op.space = MemorySpace::local;
  }
}

bool Decoder::memory(const ptx::Instruction& i) {
  const auto opcode = i.opcode;
  if (opcode == "membar" || opcode == "fence") {
    auto& inst = emit(i, Kind::fence);
    inst.visible = true;
    // variant: scope; extra: order.
    auto scope = Scope::gpu;
    auto order = opcode == "membar" ? Order::seq_cst : Order::acq_rel;
    for (const auto x : i.suffixes) {
      if (x == "cta")
        scope = Scope::cta;
      else if (x == "cluster")
        scope = Scope::cluster;
      else if (x == "gl" || x == "gpu")
        scope = Scope::gpu;
      else if (x == "sys")
        scope = Scope::sys;
      else if (x == "sc")
        order = Order::seq_cst;
      else if (x == "acq_rel")
        order = Order::acq_rel;
      else if (x == "acquire")
        order = Order::acquire;
      else if (x == "release")
        order = Order::release;
      else
        return false;
    }
    inst.variant = static_cast<std::uint8_t>(scope);
    inst.extra = static_cast<std::uint32_t>(order);
    return true;
  }
  if (opcode == "trap" || opcode == "brkpt") {
    emit(i, Kind::trap);
    return true;
  }
  const bool load = opcode == "ld" || opcode == "ldu", store = opcode == "st";
  const bool atom = opcode == "atom", red = opcode == "red";
  if (!load && !store && !atom && !red) return false;

  auto m = modifiers(i);
  if (!m.ok) return false;
  auto& op = m.op;
  const auto& o = i.operands;
  if (load || store) {
    if (!m.rest.empty() || o.size() != 2) return false;
    op.what = load ? MemoryOp::What::load : MemoryOp::What::store;
    const auto& data = o[load ? 0 : 1];
    const bool vector = data.kind == ptx::Operand::Kind::vector;
    if (vector ? data.parts.size() != op.count : op.count != 1) return false;
    const auto part_of = [&](unsigned k) -> const auto& { return vector ? data.parts[k] : data; };
    std::optional<Operand> low[8];
    for (unsigned k = 0; store && k < op.count; ++k) low[k] = low_word(i, part_of(k), op.size);
    emit(i, Kind::memory);
    address(i, o[load ? 1 : 0], op);
    for (unsigned k = 0; k < op.count; ++k) {
      const auto& part = part_of(k);
      op.values[k] = load ? result(i, part) : low[k] ? use(*low[k]) : value(i, part, op.size);
      const auto width = part.kind == ptx::Operand::Kind::name ? register_size(part.name) : op.size;
      if (load && part.kind == ptx::Operand::Kind::name && width < op.size) {
        fail(i, "destination is narrower than the loaded type");
      }
      // 2 marks a 16-bit register: a sign-extended byte must not spill into its upper half.
      op.value_bytes[k] = static_cast<std::uint8_t>(width == 8 ? 8 : width == 2 ? 2 : 4);
    }
  } else {
    if (m.rest.size() != 1) return false;
    static const std::unordered_map<std::string_view, AtomicOp> names = {
        {"add", AtomicOp::add}, {"exch", AtomicOp::exch}, {"cas", AtomicOp::cas},
        {"min", AtomicOp::min}, {"max", AtomicOp::max},   {"inc", AtomicOp::inc},
        {"dec", AtomicOp::dec}, {"and", AtomicOp::and_},  {"or", AtomicOp::or_},
        {"xor", AtomicOp::xor_}};
    const auto it = names.find(m.rest[0]);
    if (it == names.end()) return false;
    op.atomic = it->second;
    op.what = atom ? MemoryOp::What::atomic : MemoryOp::What::reduction;
    op.has_result = atom;
    if (op.order == Order::weak) op.order = Order::relaxed;
    const std::size_t first = atom ? 1 : 0;
    const bool cas = op.atomic == AtomicOp::cas;
    const bool is_float = op.cell >= Cell::f16;
    if (is_float && op.atomic != AtomicOp::add && op.atomic != AtomicOp::min &&
        op.atomic != AtomicOp::max) {
      return false;
    }
    if (o.size() != first + (cas ? 3 : 2) || op.count != 1) return false;
    emit(i, Kind::memory);
    address(i, o[first], op);
    if (cas) {
      op.compare = value(i, o[first + 1], op.size);
      op.operand = value(i, o[first + 2], op.size);
    } else {
      op.operand = value(i, o[first + 1], op.size);
    }
    if (atom) {
      op.values[0] = result(i, o[0], op.size);
      op.value_bytes[0] = op.size == 8 ? 8 : 4;
      if (o[0].kind == ptx::Operand::Kind::sink) op.has_result = false;
    }
  }
  auto& inst = kernel_.code.back();
  inst.visible = op.space == MemorySpace::generic || op.space == MemorySpace::global ||
                 op.space == MemorySpace::shared;
  inst.extra = static_cast<std::uint32_t>(kernel_.memory_ops.size());
  kernel_.memory_ops.push_back(op);
  return true;
}

bool Decoder::barrier(const ptx::Instruction& i) {
  if (i.opcode != "bar" && i.opcode != "barrier") return false;
  const auto has = [&](std::string_view x) {
    return std::find(i.suffixes.begin(), i.suffixes.end(), x) != i.suffixes.end();
  };
  if (has("warp") || has("cluster")) return false;
  BarrierOp b;
  b.aligned = i.opcode == "bar" || has("aligned");
  const auto& o = i.operands;
  std::size_t next = 0;
  emit(i, Kind::barrier).visible = true;
  if (has("red")) {
    b.what = has("popc")  ? BarrierOp::What::red_popc
             : has("and") ? BarrierOp::What::red_and
             : has("or")  ? BarrierOp::What::red_or
                          : BarrierOp::What::sync;
    if (b.what == BarrierOp::What::sync || o.size() < 3) return false;
    next = 1;
    b.predicate = pred(i, o.back());
    b.predicate_negated = o.back().negated;
  } else if (has("arrive")) {
    b.what = BarrierOp::What::arrive;
  } else if (!has("sync")) {
    return false;
  }
  const auto end = o.size() - (next == 1 ? 1 : 0);
  b.id = next < end ? value(i, o[next], 4) : constant(0, 4);
  if (next + 1 < end) {
    b.threads = value(i, o[next + 1], 4);
    b.has_count = true;
  }
  Inst& inst = kernel_.code.back();
  if (has("red")) inst.d = result(i, o[0], has("popc") ? 4 : 0);
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
    emit(i, Kind::activemask);
    kernel_.code.back().d = result(i, o.at(0), 4);
    return true;
  }
  WarpOp w;
  if ((i.opcode == "bar" || i.opcode == "barrier") && has("warp")) {
    if (o.size() != 1) return false;
    emit(i, Kind::warp_sync);
    w.what = W::sync;
    w.mask = value(i, o[0], 4);
  } else if (i.opcode == "shfl") {
    if (!has("sync")) fail(i, "shfl without .sync no longer exists on any supported GPU");
    if (o.size() != 5) return false;
    w.what = has("up")     ? W::shfl_up
             : has("down") ? W::shfl_down
             : has("bfly") ? W::shfl_bfly
                           : W::shfl_idx;
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], 4);
    w.b = value(i, o[2], 4);
    w.c = value(i, o[3], 4);
    w.mask = value(i, o[4], 4);
    w.has_destination = true;
    if (o[0].kind == ptx::Operand::Kind::pair) {
      w.destination = result(i, o[0].parts.at(0), 4);
      w.has_predicate = o[0].parts.at(1).kind != ptx::Operand::Kind::sink;
      if (w.has_predicate) w.predicate = result(i, o[0].parts[1], 0);
    } else {
      w.destination = result(i, o[0], 4);
    }
  } else if (i.opcode == "vote") {
    if (!has("sync")) fail(i, "vote without .sync no longer exists on any supported GPU");
    if (o.size() != 3) return false;
    w.what = has("all")   ? W::vote_all
             : has("any") ? W::vote_any
             : has("uni") ? W::vote_uni
                          : W::vote_ballot;
    emit(i, Kind::warp_sync);
    w.a = pred(i, o[1]);
    w.a_negated = o[1].negated;
    w.mask = value(i, o[2], 4);
    w.destination = result(i, o[0], w.what == W::vote_ballot ? 4 : 0);
    w.has_destination = true;
  } else if (i.opcode == "match") {
    if (o.size() != 3) return false;
    w.what = has("all") ? W::match_all : W::match_any;
    w.is64 = has("b64");
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], w.is64 ? 8 : 4);
    w.mask = value(i, o[2], 4);
    w.has_destination = true;
    if (o[0].kind == ptx::Operand::Kind::pair) {
      w.destination = result(i, o[0].parts.at(0), 4);
      w.has_predicate = o[0].parts.at(1).kind != ptx::Operand::Kind::sink;
      if (w.has_predicate) w.predicate = result(i, o[0].parts[1], 0);
    } else {
      w.destination = result(i, o[0], 4);
    }
  } else if (i.opcode == "redux") {
    if (o.size() != 3 || !(has("u32") || has("s32") || has("b32"))) return false;
    w.what = has("add")   ? W::redux_add
             : has("min") ? W::redux_min
             : has("max") ? W::redux_max
             : has("and") ? W::redux_and
             : has("or")  ? W::redux_or
                          : W::redux_xor;
    w.is_signed = has("s32");
    emit(i, Kind::warp_sync);
    w.a = value(i, o[1], 4);
    w.mask = value(i, o[2], 4);
    w.destination = result(i, o[0], 4);
    w.has_destination = true;
  } else if (i.opcode == "elect") {
    if (o.size() != 2 || o[0].kind != ptx::Operand::Kind::pair) return false;
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
