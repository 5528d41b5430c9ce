// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of values that nobody defined.
#include <bit>
#include <cstring>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/state/set_poison.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

void Engine::set_undefined_row(Warp& w, const MemoryOp& op, unsigned value, std::uint32_t mask,
                               std::uint32_t undefined, std::uint32_t origin) {
  const Operand d = op.values[value];
  const unsigned bytes = op.value_bytes[value];
  set_poison(w, d, mask, undefined, origin);
  if (op.size >= bytes) return;
  // They are extended as the value is.
  constexpr std::uint64_t all = all_bits;
  const auto bits = read_cell(reinterpret_cast<const std::byte*>(&all), op.cell, op.size, bytes);
  for (const unsigned l : lanes_of(undefined & mask)) {
    set_undefined_bits(w, d, static_cast<int>(l), bits, bytes);
  }
}

void Engine::load_undefined(Access& a, const Region& r, std::uint32_t mask, std::uint32_t lanes,
                            unsigned value, const Allocation* allocation) {
  const auto& op = a.op;
  const unsigned bytes = op.value_bytes[value], offset = value * op.size;
  const std::uint64_t base = r.base - offset;
  // Mostly nothing of them is defined, and all come from one origin.
  bool alike = true;
  if (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t* const stored = r.origin->empty() ? nullptr : r.origin->data();
    with_size(op.size, [&](auto size) {
      for (const unsigned l : lanes_of(lanes)) {
        const auto at = a.address[l] - base;
        alike &= all_undefined(r.state + at, size);
        if (stored != nullptr) alike &= stored[at / 4] == stored[(a.address[first] - base) / 4];
      }
    });
    if (alike) {
      return set_undefined_row(a.warp, op, value, mask, lanes,
                               uninitialised_origin(a, r, first, allocation, offset));
    }
  }
  UndefinedLanes undefined;
  for (const unsigned l : lanes_of(lanes)) {
    const std::uint64_t bits = undefined_in_memory(r.state + (a.address[l] - base), op.size);
    if (bits == 0) continue;  // of an mbarrier
    undefined.lanes |= 1U << l;
    undefined.origin[l] = uninitialised_origin(a, r, l, allocation, offset);
    // They are extended as the value is.
    undefined.bits[l] =
        bits == bits_of(op.size) && op.size >= bytes
            ? all_bits
            : read_cell(reinterpret_cast<const std::byte*>(&bits), op.cell, op.size, bytes);
  }
  set_undefined(a.warp, op.values[value], mask, undefined, bytes);
}

bool Engine::takes_rows(const MemoryOp& op) const {
  return !trials_.under_way() && shadow_ == nullptr && !op.async && !op.copied && !op.mbarrier;
}

std::uint32_t Engine::origin_of_row(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run,
                                    const Region& r, const Allocation* a) {
  const std::uint64_t at = run.address - r.base, first = at / 4;
  if (run.gaps() || !takes_rows(op) || !all_undefined(r.state + at, run.bytes)) return 0;
  if (!r.origin->empty()) {
    const std::uint32_t* const words = r.origin->data() + first;
    const std::uint64_t others = (at + run.bytes - 1) / 4 - first;
    if (std::memcmp(words, words + 1, others * sizeof *words) != 0) return 0;
  }
  Access access{b, w, run.inst, op, op.width(), {}};
  access.address[run.first] = run.address;
  return uninitialised_origin(access, r, run.first, a);
}

std::uint32_t Engine::origin_of_values(const Warp& w, const MemoryOp& op, const MemoryRun& run,
                                       const Allocation* a) const {
  if (run.gaps() || !takes_rows(op) || op.makes_mbarrier || w.has_partly_undefined ||
      (a != nullptr && a->output)) {
    return 0;
  }
  const std::uint32_t origin = w.origin_of(op.values[0], static_cast<int>(run.first));
  std::uint32_t differs = 0;
  for (unsigned k = 0; k < op.count; ++k) {
    if ((run.mask & ~w.poison[op.values[k].id]) != 0) return 0;
    const std::uint32_t* const of = w.origin + op.values[k].id * warp_size + run.first;
    for (std::uint32_t l = 0; l < run.lanes; ++l) differs |= of[l] ^ origin;
  }
  return differs == 0 ? origin : 0;
}

std::optional<std::uint32_t> Engine::origin_of_warp(Block& b, Warp& w, std::uint32_t inst,
                                                    const MemoryOp& op, const Allocation& a,
                                                    std::uint64_t at) {
  if (a.freed || a.make_page) return std::nullopt;
  const MemoryRun run{inst, a.base + at, all_lanes, 0, warp_size, op.streams};
  const bool known = a.defined->has(at, run.bytes);
  std::uint32_t origin = 0, undefined = 0;
  if (op.what == MemoryOp::What::load) {
    if (!known) origin = origin_of_row(b, w, op, run, a, &a);
    return known || origin != 0 ? std::optional(origin) : std::nullopt;
  }
  for (unsigned k = 0; w.poison_live && k < op.count; ++k) undefined |= w.poison[op.values[k].id];
  if (undefined == 0) return known ? std::optional(origin) : std::nullopt;
  origin = origin_of_values(w, op, run, &a);
  const bool mapped = known || all_mapped(a.state + at, run.bytes);
  return mapped && origin != 0 ? std::optional(origin) : std::nullopt;
}

void Engine::spread_origin(Warp& w, const MemoryOp& op, const Allocation& a, std::uint64_t at,
                           std::uint32_t origin) {
  if (op.what == MemoryOp::What::store) {
    if (origin != 0) store_undefined_row(a, at, op.streams, origin, &a);
    return;
  }
  spread_loaded(w, op, all_lanes, origin);
}

void Engine::spread_loaded(Warp& w, const MemoryOp& op, std::uint32_t mask, std::uint32_t origin) {
  for (unsigned k = 0; k < op.count; ++k) {
    origin != 0 ? set_undefined_row(w, op, k, mask, mask, origin)
                : clear_poison(w, op.values[k], mask);
  }
}

void Engine::store_undefined_row(const Region& r, std::uint64_t at, std::uint64_t bytes,
                                 std::uint32_t origin, const Allocation* a) {
  if (r.defined != nullptr) r.defined->undefine(at, bytes);
  if (!all_undefined(r.state + at, bytes)) {
    std::memset(r.state + at, ByteState::uninitialised, bytes);
  }
  note_origin(r, at, bytes, origin, a);
}

bool Engine::undefined_run(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run,
                           const Region& r, const Allocation* a) {
  if (!takes_rows(op) || !all_mapped(r.state + (run.address - r.base), run.bytes)) return false;
  Access access = access_of(b, w, op, run);
  transfer(access, r, run.mask, a);
  return true;
}

bool Engine::gather_undefined(Access& a, const Region& r, std::uint32_t mask,
                              const Allocation* array) {
  if (trials_.under_way() || a.op.copied) return false;
  for (const unsigned l : lanes_of(array == nullptr ? mask : 0)) {
    if (!element_mapped(r.state + (a.address[l] - r.base), a.width)) return false;
  }
  load(a, r, mask, array);
  return true;
}

void Engine::note_origin(const Region& r, std::uint64_t at, std::uint64_t bytes,
                         std::uint32_t origin, const Allocation* allocation) {
  if (beside_.joined() && allocation != nullptr &&
      !beside_.keeps_origin(*allocation, at, bytes, origin + memory_.origins)) {
    return;
  }
  keep_origin(r, at, bytes, origin, allocation);
}

}  // namespace gauntlet::simt
