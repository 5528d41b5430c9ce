// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, atomics and fences (PTX ISA 9.0, 9.7.9 and 9.7.13).
#include <algorithm>
#include <span>
#include <unordered_map>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/operations.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;

/// Bits are unsigned integers.
S cell_of(S t) {
  if (t == S::pred) return S::u32;
  const bool bits = t == S::b8 || t == S::b16 || t == S::b32 || t == S::b64;
  return bits ? unsigned_of(size_of(t)) : t;
}

struct AccessModifiers {
  MemoryOp op;
  S type = S::b32;
  bool ok = true;
  std::vector<std::string_view> rest;
};

/// Space, ordering, scope, vector width and type, one of each; caching hints change nothing here.
AccessModifiers modifiers(const ptx::Instruction& i) {
  AccessModifiers m;
  static const std::unordered_map<std::string_view, MemorySpace> spaces = {
      {"global", MemorySpace::global},      {"shared", MemorySpace::shared},
      {"shared::cta", MemorySpace::shared}, {"shared::cluster", MemorySpace::shared},
      {"local", MemorySpace::local},        {"param", MemorySpace::param},
      {"param::entry", MemorySpace::param}, {"param::func", MemorySpace::param},
      {"const", MemorySpace::constant}};
  int with_space = 0, with_order = 0, with_scope = 0, with_count = 0, with_type = 0;
  bool mmio = false;
  for (const auto x : i.suffixes) {
    const auto space = spaces.find(x);
    const auto order = x == "volatile" ? Order::weak : parse<Order>(x);
    const auto scope = parse<Scope>(x);
    if (space != spaces.end()) {
      m.op.space = space->second;
      ++with_space;
    } else if (order && order != Order::seq_cst) {
      m.op.order = *order;
      m.op.is_volatile = x == "volatile";
      ++with_order;
    } else if (x == "mmio") {
      mmio = true;
    } else if (scope) {
      m.op.scope = *scope;
      ++with_scope;
    } else if (x == "v2" || x == "v4" || x == "v8") {
      m.op.count = static_cast<std::uint8_t>(x[1] - '0');
      ++with_count;
    } else if (x == "nc") {
      m.op.read_only = true;
    } else if (x == "ca" || x == "cg" || x == "cs" || x == "lu" || x == "cv" || x == "wb" ||
               x == "wt" || x == "noftz" || x.starts_with("L1::") || x.starts_with("L2::") ||
               x == "unified") {
    } else if (const auto type = ptx::stored_type(x)) {
      m.type = *type;
      ++with_type;
    } else {
      m.rest.push_back(x);
    }
  }
  if (mmio && with_order == 0) m.op.order = Order::relaxed;
  m.ok = with_type == 1 && m.type != S::pred && with_space <= 1 && with_order <= 1 &&
         with_scope <= 1 && with_count <= 1;
  m.op.cell = cell_of(m.type);
  m.op.size = static_cast<std::uint8_t>(size_of(m.type));
  return m;
}

/// st.async and red.async, of a block to another one of its cluster (PTX ISA 9.0, 9.7.9.12 and
/// 9.7.13.7); those to global memory are of later devices. Takes the words of theirs.
bool may_be_sent(AccessModifiers& m, bool store) {
  (void)take(m.rest, "mbarrier::complete_tx::bytes");
  const auto& op = m.op;
  const auto is = [&](std::string_view word) { return m.rest.size() == 1 && m.rest[0] == word; };
  if ((op.space != MemorySpace::shared && op.space != MemorySpace::generic) || op.size < 4 ||
      op.is_volatile || op.read_only) {
    return false;
  }
  if (store) return op.order == Order::weak && op.count <= 4;
  if (op.order != Order::relaxed || op.scope != Scope::cluster) return false;
  switch (m.type) {
    case S::u32:
      return is("inc") || is("dec") || is("min") || is("max") || is("add");
    case S::s32:
      return is("min") || is("max") || is("add");
    case S::b32:
      return is("and") || is("or") || is("xor");
    default:
      return m.type == S::u64 && is("add");
  }
}

}  // namespace

std::optional<MemoryOp> access_of(const ptx::Instruction& i) {
  const auto m = modifiers(i);
  return m.ok && m.rest.empty() ? std::optional(m.op) : std::nullopt;
}

void Decoder::address(const ptx::Instruction& i, const ptx::Operand& o, MemoryOp& op) {
  if (o.kind != ptx::Operand::Kind::address) fail(i, "operand is not an address");
  op.offset = o.offset;
  if (o.name.empty()) {
    op.address_is_constant = true;
    return;
  }
  if (is_register(o.name)) {
    if (register_size(o.name) < 4) fail(i, "the address is no 32-bit or 64-bit register");
    op.address = use(scope_->registers.at(o.name));
    op.address_wide = register_size(o.name) == 8;
    return;
  }
  const auto s = symbol_address(o.name, 0, 8);
  if (s.id == ~0U) fail(i, "unknown name in the address");
  op.address = s;
  op.address_wide = true;
  // A symbol names its own space. .param variables of device functions are local to the caller's
  // thread.
  using Space = MemorySpace;
  const bool shared = shared_offset(o.name) != nullptr, local = scope_->local.contains(o.name);
  const bool param = !shared && !local && entry_params_.contains(o.name);
  const bool fits = op.space == Space::generic ? true
                    : shared                   ? op.space == Space::shared
                    : local ? op.space == Space::local || op.space == Space::param
                    : param ? op.space == Space::param
                            : op.space == Space::global || op.space == Space::constant;
  if (!fits) fail(i, "the variable lies in another state space");
  if (!shared && !local && !param) return;
  op.space = shared ? Space::shared : local ? Space::local : Space::param;
  op.offset = static_cast<std::int32_t>(op.offset);  // these spaces have 32-bit addresses
}

/// What a cache is to keep: a number that only hints name, which change nothing here.
bool Decoder::cache_policy(const ptx::Instruction& i) {
  auto words = i.suffixes;
  const auto& o = i.operands;
  const auto priority = [](std::string_view word) { return word.starts_with("L2::evict_"); };
  if (!take(words, "b64")) return false;
  if (take(words, "fractional")) {
    if (o.size() != 1 && o.size() != 2) return false;
  } else if (take(words, "range")) {
    take(words, "global");
    if (o.size() != 4 || o[1].kind != ptx::Operand::Kind::address) return false;
  } else {
    if (!take(words, "cvt") || !take(words, "L2") || !words.empty() || o.size() != 2) return false;
    words = {"L2::evict_normal"};
  }
  if (words.empty() || words.size() > 2 || !std::ranges::all_of(words, priority)) return false;
  emit(i, Kind::data);
  const Operand a = constant(0, 8), d = result(i, o[0], 8);
  Inst& inst = kernel_.code.back();
  inst.fn = &unary<std::uint64_t, std::uint64_t, ops::Move>;
  inst.a = a;
  inst.d = d;
  return true;
}

bool Decoder::memory(const ptx::Instruction& i) {
  const auto opcode = i.opcode;
  if (opcode == "createpolicy") return cache_policy(i);
  if (opcode == "fence" && !i.suffixes.empty() && i.suffixes[0] == "proxy") {
    if (i.suffixes.size() > 1 && i.suffixes[1] == "tensormap::generic") return fence_of_maps(i);
    // Orders accesses through different proxies: those of bulk copies are the asynchronous one's.
    const bool shared =
                   spelt(i, "proxy async shared::cta") || spelt(i, "proxy async shared::cluster"),
               global = spelt(i, "proxy async global"), all = spelt(i, "proxy async");
    if (!i.operands.empty() || !(shared || global || all || spelt(i, "proxy alias"))) return false;
    Inst& inst = emit(i, shared || global || all ? Kind::proxy_fence : Kind::nop);
    inst.variant = (shared || all ? 1 : 0) + (global || all ? 2 : 0);
    return true;
  }
  if (opcode == "fence" && spelt(i, "mbarrier_init release cluster")) {
    if (!i.operands.empty()) return false;
    Inst& inst = emit(i, Kind::fence);
    inst.visible = true;
    inst.fence = {Scope::cluster, Order::release};
    return true;
  }
  if (opcode == "membar" || opcode == "fence") {
    auto& inst = emit(i, Kind::fence);
    inst.visible = true;
    const bool fence = opcode == "fence";
    auto scope = Scope::gpu;
    auto order = fence ? Order::acq_rel : Order::seq_cst;
    int with_scope = 0, with_order = 0;
    for (const auto x : i.suffixes) {
      if (!fence && x == "gl") {
        ++with_scope;
      } else if (const auto s = parse<Scope>(x); s && (fence || s != Scope::gpu)) {
        scope = *s;
        ++with_scope;
      } else if (const auto o = parse<Order>(x); fence && o > Order::relaxed) {
        order = *o;
        ++with_order;
      } else {
        return false;
      }
    }
    if (with_scope != 1 || with_order > 1 || !i.operands.empty()) return false;
    inst.fence = {scope, order};
    return true;
  }
  if (opcode == "trap" || opcode == "brkpt") {
    if (!i.suffixes.empty() || !i.operands.empty()) return false;
    emit(i, Kind::trap);
    return true;
  }
  const bool load = opcode == "ld" || opcode == "ldu", store = opcode == "st";
  const bool atom = opcode == "atom";

  auto m = modifiers(i);
  if (!m.ok) return false;
  auto& op = m.op;
  std::span<const ptx::Operand> o = i.operands;
  const ptx::Operand* policy = nullptr;
  if (std::ranges::find(i.suffixes, "L2::cache_hint") != i.suffixes.end()) {
    if (o.empty()) return false;
    policy = &o.back();
    o = o.first(o.size() - 1);
  }
  const ptx::Operand* mbarrier = nullptr;
  if ((op.sent = take(m.rest, "async"))) {
    if (policy != nullptr || o.size() != 3 || !may_be_sent(m, store)) return false;
    mbarrier = &o[2];
    o = o.first(2);
  }
  if (load || store) {
    if (!m.rest.empty() || o.size() != 2) return false;
    const bool strong = op.is_volatile || op.order != Order::weak;
    if (op.read_only && (!load || op.space != MemorySpace::global || strong)) return false;
    op.read_only |= opcode == "ldu";
    if (op.order == Order::acq_rel || op.order == (load ? Order::release : Order::acquire)) {
      return false;
    }
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
    if (m.rest.size() != 1 || op.is_volatile || op.read_only) return false;
    const auto atomic = parse<AtomicOp>(m.rest[0]);
    if (!atomic) return false;
    op.atomic = *atomic;
    op.what = atom ? MemoryOp::What::atomic : MemoryOp::What::reduction;
    op.has_result = atom;
    if (op.order == Order::weak) op.order = Order::relaxed;
    const std::size_t first = atom ? 1 : 0;
    const bool cas = op.atomic == AtomicOp::cas;
    const bool is_float = op.cell >= S::f16;
    if (is_float && op.atomic != AtomicOp::add && op.atomic != AtomicOp::min &&
        op.atomic != AtomicOp::max) {
      return false;
    }
    if (o.size() != first + (cas ? 3 : 2)) return false;
    if (op.count > 1) return vector_atomic(i, op);
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
  if (policy != nullptr) (void)value(i, *policy, 8);
  if (mbarrier != nullptr) {
    BulkOp sends;
    sends.to_shared = sends.by_mbarrier = true;
    sends.reduces = op.atomic;
    sends.barrier = mbarrier_word(op.space);
    address(i, *mbarrier, sends.barrier);
    kernel_.bulk_ops.push_back(sends);
    op.async = true;
    op.bulk = static_cast<std::uint32_t>(kernel_.bulk_ops.size());
    kernel_.uses_cluster = true;
  }
  kernel_.code.back().visible = op.space == MemorySpace::generic ||
                                op.space == MemorySpace::global || op.space == MemorySpace::shared;
  accesses(op);
  return true;
}

/// Each element is an operation by itself (PTX ISA 9.0, 9.7.13.5). A result that is a later
/// element's operand is not followed.
bool Decoder::vector_atomic(const ptx::Instruction& i, const MemoryOp& of) {
  using K = ptx::Operand::Kind;
  const bool half = of.cell == S::f16 || of.cell == S::bf16;
  const bool pair = of.cell == S::f16x2 || of.cell == S::bf16x2;
  const bool sum = of.cell == S::f32 && of.atomic == AtomicOp::add;
  if ((of.space != MemorySpace::global && of.space != MemorySpace::generic) ||
      !(half || ((pair || sum) && of.count <= 4))) {
    return false;
  }
  const std::size_t at = of.has_result ? 1 : 0;
  for (const std::size_t k : {std::size_t{0}, at + 1}) {
    const auto& o = i.operands[k];
    if (k != at && (o.kind != K::vector || o.parts.size() != of.count)) return false;
  }
  ptx::Instruction element = i;
  std::erase_if(element.suffixes,
                [](auto word) { return word == "v2" || word == "v4" || word == "v8"; });
  for (std::size_t k = 0; k < of.count; ++k) {
    const auto& operands = i.operands[at + 1].parts;
    for (std::size_t before = 0; of.has_result && before < k; ++before) {
      const auto& result = i.operands[0].parts[before];
      if (result.kind == K::name && result.name == operands[k].name) return false;
    }
    if (of.has_result) element.operands[0] = i.operands[0].parts[k];
    element.operands[at + 1] = operands[k];
    if (!memory(element)) return false;
    if (k == 0) kernel_.memory_ops.back().alignment = static_cast<std::uint8_t>(of.size * of.count);
    element.operands[at].offset += of.size;
  }
  return true;
}

}  // namespace gauntlet::simt
