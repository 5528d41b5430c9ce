// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/launch/case_run.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet {
namespace {

/// The address of element 0.
Address place_input(Device& device, const Case& c, const Plan& plan, std::uint64_t sparse_from) {
  Array array;
  array.name = "in";
  array.element_bytes = static_cast<std::uint32_t>(size_of(c.in));
  array.index_base = c.offset;
  array.read_only = !plan.input_may_change;
  array.bytes = input_bytes(c, plan.padded);
  const std::uint64_t end = initialised_end(c, array.bytes);
  const auto make = input_maker(c);
  if (array.bytes - c.offset > sparse_from) {
    array.make_page = make;
    array.initialised_begin = c.offset;
    array.initialised_end = end;
    return device.allocate(array) + c.offset;
  }
  std::vector<std::byte> content(array.bytes);
  make(0, content);
  const std::span<const std::byte> bytes = content;
  const Address base = device.allocate(array);
  device.write(base, bytes.first(c.offset), false);
  device.write(base + c.offset, bytes.subspan(c.offset, end - c.offset));
  device.write(base + end, bytes.subspan(end), false);
  return base + c.offset;
}

Address place_buffer(Device& device, const Case& c, const Plan& plan, const Buffer& buffer) {
  Array array;
  array.name = buffer.name;
  array.bytes = buffer.bytes + buffer.pad;
  array.element_bytes = buffer.element_bytes;
  // Poison matters where it reaches the answer; in scratch memory it travels on.
  array.output =
      buffer.output || (!plan.observed.empty() && plan.observed.front().buffer == buffer.name);
  array.offset = buffer.offset;
  array.read_only = buffer.read_only;
  array.floats = buffer.floats;
  array.unwritten = buffer.fill == Fill::poison && buffer.content.empty();
  const Address address = device.allocate(array);
  if (!buffer.pad_content.empty()) device.write(address + buffer.bytes, buffer.pad_content);
  if (!buffer.content.empty()) {
    device.write(address, buffer.content);
    return address;
  }
  const std::uint64_t bits = buffer.fill == Fill::identity ? identity_bits(c.acc, c.op) : 0;
  if (!array.unwritten) device.write(address, repeated(c.acc, bits, buffer.bytes));
  return address;
}

Address address_of(Device& device, const Plan& plan, const std::vector<Address>& arrays,
                   const Observed& observed) {
  if (!observed.symbol.empty()) {
    return device.symbol(plan.launches.front().module, observed.symbol);
  }
  const auto buffer = std::ranges::find(plan.buffers, observed.buffer, &Buffer::name);
  return arrays.at(Plan::buffer(static_cast<std::uint32_t>(buffer - plan.buffers.begin())));
}

}  // namespace

std::vector<std::byte> repeated(Type type, std::uint64_t bits, std::uint64_t bytes) {
  std::vector<std::byte> content(bytes);
  const auto size = size_of(type);
  for (std::size_t k = 0; bits != 0 && k < content.size(); ++k) {
    content[k] = static_cast<std::byte>(bits >> (8 * (k % size)));
  }
  return content;
}

std::vector<Address> prepare(Device& device, const Case& c, const Plan& plan,
                             std::uint64_t sparse_from) {
  std::vector<Address> arrays{plan.takes_input ? place_input(device, c, plan, sparse_from) : 0};
  for (const Buffer& buffer : plan.buffers) {
    arrays.push_back(place_buffer(device, c, plan, buffer));
  }
  // Variables come behind all arrays, and pointers may lead to any of both.
  const auto symbol = [&](const std::string& name) {
    return device.symbol(plan.launches.front().module, name);
  };
  const auto write = [&](Address to, std::vector<std::byte> content,
                         const std::vector<Pointer>& pointers) {
    put_addresses(pointers, arrays, content, symbol);
    device.write(to, content);
  };
  for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
    const Buffer& buffer = plan.buffers[k];
    if (!buffer.pointers.empty()) write(arrays[k + 1], buffer.content, buffer.pointers);
  }
  for (const Variable& v : plan.variables) write(symbol(v.symbol), v.content, v.pointers);
  return arrays;
}

ObservedBuffer read_cells(Device& device, std::string name, Type type, std::uint64_t cells,
                          Address from, std::vector<CellState>& states) {
  ObservedBuffer seen{std::move(name), type, {}, {}};
  seen.bytes.resize(cells * size_of(type));
  if (cells != 0) device.read(from, seen.bytes);
  states = device.states(from, static_cast<std::uint32_t>(size_of(type)), seen.bytes);
  for (const CellState state : states) seen.defined.push_back(state == CellState::defined);
  return seen;
}

void collect(Device& device, const Case& c, const Plan& plan, const std::vector<Address>& arrays,
             Observation& observation) {
  for (const Observed& observed : plan.observed) {
    std::vector<CellState> states;
    ObservedBuffer seen =
        read_cells(device, observed.buffer, observed.type.value_or(c.acc), observed.cells,
                   address_of(device, plan, arrays, observed), states);
    // In a window of blocks the other blocks' cells are not due.
    const bool window =
        c.block_count != 0 && observed.cells == plan.grid && observed.coverage.first == 0;
    std::uint64_t cell = 0, first = 0, unwritten = 0;
    for (const CellState state : states) {
      const bool due = !window || cell - c.first_block < c.block_count;
      if (due && state == CellState::unwritten && unwritten++ == 0) first = cell;
      ++cell;
    }
    if (observation.completed && unwritten != 0) {
      observation.findings.push_back(unwritten_output(plan, observed, seen.type, first, unwritten));
    }
    observation.buffers.push_back(std::move(seen));
  }
}

Finding unwritten_output(const Plan& plan, const Observed& observed, Type type, std::uint64_t first,
                         std::uint64_t count) {
  Finding finding;
  finding.kind = FindingKind::unwritten_output;
  if (!plan.launches.empty()) finding.kernel = plan.launches.back().entry;
  finding.array = observed.buffer;
  finding.index = static_cast<std::int64_t>(observed.coverage.first + first);
  finding.size = static_cast<std::uint32_t>(size_of(type));
  finding.count = count;
  finding.detail = "no thread wrote this cell";
  return finding;
}

}  // namespace gauntlet
