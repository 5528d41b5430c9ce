// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands: registers, special registers, constants and addresses of variables.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

Operand Decoder::constant(std::uint64_t bits, unsigned bytes) {
  if (bytes < 8) bits &= (1ULL << (8 * bytes)) - 1;  // narrow slots keep their upper bits zero
  bytes = bytes > 4 ? 8 : 4;
  const auto key = std::make_pair(bits, bytes);
  if (const auto it = constants_.find(key); it != constants_.end()) {
    return {it->second | Operand::constant_bit, 0};
  }
  const auto at = static_cast<std::uint32_t>(kernel_.pool.size());
  if (at >= Operand::constant_bit / 2) {
    ptx::fail(module_, entry_.ptx_line, "the kernel has more constants than the machine can hold");
  }
  kernel_.pool.resize(at + bytes * 32);
  for (unsigned l = 0; l < 32; ++l) std::memcpy(&kernel_.pool[at + l * bytes], &bits, bytes);
  constants_[key] = at;
  return {at | Operand::constant_bit, 0};
}

Operand Decoder::symbol_address(std::string_view name, std::int64_t addend, unsigned bytes) {
  if (const auto* offset = shared_offset(name)) {
    return constant(*offset + static_cast<std::uint64_t>(addend), bytes);
  }
  if (const auto it = scope_->local.find(name); it != scope_->local.end()) {
    return constant(it->second + static_cast<std::uint64_t>(addend), bytes);
  }
  if (const auto it = entry_params_.find(name); it != entry_params_.end()) {
    return constant(it->second + static_cast<std::uint64_t>(addend), bytes);
  }
  if (module_.variable(name) != nullptr) {
    const auto [relocated, fresh] = addresses_.try_emplace({name, addend}, kernel_.pool.size());
    if (!fresh) return {relocated->second | Operand::constant_bit, 0};
    const auto at = static_cast<std::uint32_t>(kernel_.pool.size());
    kernel_.pool.resize(at + 8 * 32);
    kernel_.relocations.push_back({at, std::string(name), addend});
    return {at | Operand::constant_bit, 0};
  }
  if (const auto at = function_address(module_, name); at != 0 && addend == 0) {
    return constant(at, 8);
  }
  return {0, ~0U};  // not a symbol
}

const std::uint32_t* Decoder::shared_offset(std::string_view name) const {
  for (const auto* names : {&std::as_const(scope_->shared), &shared_}) {
    if (const auto it = names->find(name); it != names->end()) return &it->second;
  }
  return nullptr;
}

unsigned Decoder::register_size(std::string_view name) const {
  const auto it = scope_->register_bytes.find(name);
  return it == scope_->register_bytes.end() ? 0 : it->second;
}

bool is_clock(std::string_view name) {
  return name == "%clock" || name == "%clock64" || name == "%clock_hi" || name == "%globaltimer" ||
         name == "%globaltimer_lo" || name == "%globaltimer_hi";
}

Operand Decoder::special(std::string_view name, unsigned bytes, bool& clock) {
  clock = is_clock(name);
  if (name.starts_with("%reserved_smem_offset_")) {
    // The part of shared memory that the system keeps for itself, which cooperative groups use.
    const auto which = name.substr(name.rfind('_') + 1);
    const auto end = reserved_shared() + reserved_shared_bytes;
    if (which == "begin" || which == "0" || which == "1") return constant(reserved_shared(), bytes);
    if (which == "end" || which == "cap") {
      return constant(which == "end" ? end : reserved_shared_bytes, bytes);
    }
  }
  const auto what = parse<SpecialRegister::What>(name);
  if (!what) return {0, ~0U};
  // Lanes of 4 and of 8 bytes lie differently: %gridid read at both widths has two slots.
  const auto key = std::pair(*what, bytes > 4);
  if (const auto s = specials_.find(key); s != specials_.end()) return s->second;
  const Operand o{temporary().offset, 0};
  kernel_.specials.push_back({*what, o.offset, bytes > 4});
  return specials_[key] = o;
}

Operand Decoder::value(const ptx::Instruction& i, const ptx::Operand& o, unsigned bytes) {
  using K = ptx::Operand::Kind;
  if (o.negated) fail(i, fmt::format("a sign or `!` before {} is no operand", o.name));
  switch (o.kind) {
    case K::integer:
      return constant(o.bits, bytes);
    case K::f32:
      if (bytes != 4) fail(i, "a 32-bit literal where the operand has another width");
      return constant(o.bits, bytes);
    case K::f64: {
      if (bytes > 4) return constant(o.bits, bytes);
      if (bytes < 4) fail(i, "a floating-point literal where the operand has fewer than 32 bits");
      double d;
      std::memcpy(&d, &o.bits, 8);
      const auto f = static_cast<float>(d);
      std::uint32_t bits;
      std::memcpy(&bits, &f, 4);
      return constant(bits, 4);
    }
    case K::name: {
      if (const auto it = scope_->registers.find(o.name); it != scope_->registers.end()) {
        const auto has = register_size(o.name);
        if (has == 0) fail(i, fmt::format("operand {} is a predicate", o.name));
        if (o.offset != 0) fail(i, fmt::format("register {} with an offset", o.name));
        if (std::max(has, 4U) < bytes) {
          fail(i, fmt::format("register {} is narrower than the operand", o.name));
        }
        if (has > 4 && bytes <= 4) {
          fail(i, fmt::format("register {} is wider than the operand", o.name));
        }
        return use(it->second);
      }
      bool clock = false;
      if (const auto s = special(o.name, bytes, clock); s.id != ~0U) {
        if (o.offset != 0) fail(i, fmt::format("register {} with an offset", o.name));
        const auto read = std::ranges::find(kernel_.specials, s.offset, &SpecialRegister::offset);
        if (read != kernel_.specials.end()) ++read->reads;
        return s;
      }
      if (const auto s = symbol_address(o.name, o.offset, bytes); s.id != ~0U) {
        const bool global = bytes != 8 && shared_offset(o.name) == nullptr &&
                            !scope_->local.contains(o.name) && !entry_params_.contains(o.name);
        if (global || bytes < 4) fail(i, fmt::format("the address of {} is wider", o.name));
        return s;
      }
      fail(i, fmt::format("unknown name {}", o.name));
    }
    default:
      fail(i, "operand not understood");
  }
}

Operand Decoder::result(const ptx::Instruction& i, const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::sink) return temporary();  // a slot that nothing reads
  const auto it = scope_->registers.find(o.name);
  if (o.kind != ptx::Operand::Kind::name || it == scope_->registers.end() || o.negated ||
      o.offset != 0) {
    fail(i, "destination is not a register");
  }
  define(it->second);
  return it->second;
}

Operand Decoder::result(const ptx::Instruction& i, const ptx::Operand& o, unsigned bytes) {
  const auto d = result(i, o);
  if (o.kind == ptx::Operand::Kind::sink) return d;
  const auto has = register_size(o.name);
  if ((has == 0) != (bytes == 0)) {
    fail(i, fmt::format("destination {} is {}a predicate", o.name, has == 0 ? "" : "not "));
  }
  if ((has > 4) != (bytes > 4)) {
    fail(i, fmt::format("destination {} has {} bits, the result {}", o.name, 8 * has, 8 * bytes));
  }
  return d;
}

Inst& Decoder::compute(const ptx::Instruction& i, Handler handler, const std::vector<Written>& of) {
  emit(i, Kind::data).fn = handler;
  Operand sources[3];
  auto* next = sources;
  for (const auto& [operand, bytes] : of) {
    *next++ = bytes == 0 ? pred(i, operand) : value(i, operand, bytes);
  }
  Inst& inst = kernel_.code.back();
  inst.a = sources[0];
  inst.b = sources[1];
  inst.c = sources[2];
  return inst;
}

Inst& Decoder::compute(const ptx::Instruction& i, Handler handler, const std::vector<Written>& of,
                       Written to) {
  Inst& inst = compute(i, handler, of);
  inst.d = result(i, to.operand, to.bytes);
  return inst;
}

void Decoder::accesses(const MemoryOp& op) {
  kernel_.code.back().extra = static_cast<std::uint32_t>(kernel_.memory_ops.size());
  kernel_.memory_ops.push_back(op);
}

Operation operation_of(const ptx::Instruction& i) {
  Operation o;
  o.opcode = opcode_named(i.opcode);
  if (!i.operands.empty()) o.inputs = static_cast<std::uint8_t>(i.operands.size() - 1);
  for (const auto word : i.suffixes) {
    if (const auto type = parse<ptx::ScalarType>(word)) {
      if (o.types++ == 0) o.type = *type;
      o.from = *type;
      continue;
    }
    const auto known = parse<Modifier>(word).value_or(Modifier::other);
    o.how.add(o.how.has(known) ? Modifier::other : known);
  }
  return o;
}

Operand Decoder::reserve(unsigned bytes, unsigned align) {
  if (kernel_.poison_slots > most_registers) {
    ptx::fail(module_, entry_.ptx_line,
              fmt::format("the kernel has more than {} registers, calls inlined", most_registers));
  }
  const auto at = static_cast<std::uint32_t>(align_up(kernel_.register_bytes, align));
  kernel_.register_bytes = at + bytes;
  return {at, kernel_.poison_slots++};
}

Operand Decoder::pred(const ptx::Instruction& i, const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::integer) return constant(o.bits != 0 ? 0xFFFF'FFFFU : 0U, 4);
  const auto it = scope_->registers.find(o.name);
  if (o.kind != ptx::Operand::Kind::name || it == scope_->registers.end() ||
      register_size(o.name) != 0 || o.minus || o.offset != 0) {
    fail(i, "operand is not a predicate");
  }
  return use(it->second);
}

}  // namespace gauntlet::simt
