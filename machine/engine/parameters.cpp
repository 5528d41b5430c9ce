// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/parameters.hpp"

#include "machine/isa/handlers.hpp"
#include "machine/state/read_cell.hpp"

namespace gauntlet::simt {

bool Parameters::load_some(Warp& w, std::uint32_t number, std::uint32_t mask) {
  const MemoryOp& op = kernel_.memory_ops[number];
  auto& known = known_[number];
  if (known) {
    give(w, op, 0, *known, mask);
    return true;
  }
  const bool constant = (op.address.offset & Operand::constant_bit) != 0;
  if (op.what != MemoryOp::What::load || (!constant && !op.address_is_constant)) return false;
  const std::uint64_t address = address_of(w, op, 0), width = op.width();
  if (bytes_.size() < width || address > bytes_.size() - width || (address & (width - 1)) != 0) {
    return false;
  }
  for (unsigned k = 0; k < op.count; ++k) {
    const std::uint64_t value = read_cell(bytes_.data() + address + std::size_t{k} * op.size,
                                          op.cell, op.size, op.value_bytes[k]);
    give(w, op, k, value, mask);
    if (op.count == 1) known = value;
  }
  return true;
}

void Parameters::load(Warp& w, const MemoryOp& op, const std::uint64_t* address,
                      std::uint32_t mask) const {
  for (unsigned k = 0; k < op.count; ++k) {
    for (const int l : lanes_of(mask)) {
      give(w, op, k,
           read_cell(bytes_.data() + address[l] + std::size_t{k} * op.size, op.cell, op.size,
                     op.value_bytes[k]),
           1U << l);
    }
  }
}

void Parameters::give(Warp& w, const MemoryOp& op, unsigned k, std::uint64_t value,
                      std::uint32_t mask) const {
  if (mask == all_lanes) return give_all(w, op, k, value);
  const Operand d = op.values[k];
  if (op.value_bytes[k] == 8)
    fill_lanes(w.destination<std::uint64_t>(d), mask, value);
  else
    fill_lanes(w.destination<std::uint32_t>(d), mask, static_cast<std::uint32_t>(value));
  if (w.poison_live) clear_poison(w, d, mask);
}

}  // namespace gauntlet::simt
