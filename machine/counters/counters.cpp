// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/counters/counters.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "machine/counters/banks.hpp"
#include "machine/counters/counter_table.hpp"

namespace gauntlet::simt {
namespace {

template <class T>
T& add(T& to, const T& from) {
  for_each_field<T>([&](const auto& one) {
    if constexpr (requires { to.*one.member; }) to.*one.member += from.*one.member;
  });
  return to;
}

bool is_atomic(const MemoryOp& op) {
  return op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction;
}

std::vector<LineProfile> sorted(
    const std::map<std::pair<std::string, std::uint32_t>, LineCounters>& lines) {
  std::vector<LineProfile> result;
  for (const auto& [where, counters] : lines) {
    result.push_back({where.first, where.second, counters});
  }
  return result;
}

}  // namespace

double LineCounters::active_lanes() const {
  return warp_instructions == 0
             ? 0.0
             : static_cast<double>(thread_instructions) / static_cast<double>(warp_instructions);
}

GlobalCounters& GlobalCounters::operator+=(const GlobalCounters& other) {
  return add(*this, other);
}
SharedCounters& SharedCounters::operator+=(const SharedCounters& other) {
  const std::uint32_t most = std::max(degree, other.degree);  // of one request: no sum
  add(*this, other).degree = most;
  return *this;
}
LineCounters& LineCounters::operator+=(const LineCounters& other) { return add(*this, other); }

LineCounters KernelProfile::at(std::string_view file, std::uint32_t line) const {
  LineCounters result;
  for (const auto& l : lines) {
    if (l.file == file && l.line == line) result += l.counters;
  }
  return result;
}

LineCounters Profile::total() const {
  LineCounters result;
  for (const auto& l : launches) result += l.total;
  return result;
}

void CounterTable::global(std::uint32_t interval, std::uint32_t inst, Addresses address,
                          std::uint32_t mask) {
  const auto& op = kernel_.memory_ops[kernel_.code[inst].extra];
  const auto width = std::uint32_t{op.size} * op.count;
  auto& counters = at(interval, inst).global;
  ++counters.requests;
  counters.lanes += static_cast<std::uint64_t>(std::popcount(mask));
  counters.sectors +=
      is_atomic(op) ? atomic_sectors(address, mask, width) : sectors(address, mask, width);
}

void CounterTable::shared(std::uint32_t interval, std::uint32_t inst, Addresses address,
                          std::uint32_t mask) {
  const auto& op = kernel_.memory_ops[kernel_.code[inst].extra];
  const auto width = std::uint32_t{op.size} * op.count;
  const auto use = is_atomic(op)                      ? atomic_bank_use(address, mask, width)
                   : op.what == MemoryOp::What::store ? store_bank_use(address, mask, width)
                                                      : load_bank_use(address, mask, width);
  auto& counters = at(interval, inst).shared;
  ++counters.requests;
  counters.lanes += static_cast<std::uint64_t>(std::popcount(mask));
  counters.bytes += distinct_bytes(address, mask, width);
  counters.wavefronts += use.wavefronts;
  counters.conflicts += use.wavefronts - use.ideal;
  counters.degree = std::max(counters.degree, use.degree);
}

LineCounters CounterTable::counters(const Cell& cell, const Inst& inst) const {
  LineCounters c;
  c.warp_instructions = cell.executions;
  c.thread_instructions = cell.lanes;
  c.predicated_on = cell.on_lanes;
  c.divergent_branches = cell.divergent;
  switch (inst.counted) {
    case Counted::nothing:
      break;
    case Counted::branches:
      c.branches = cell.executions;
      break;
    case Counted::barriers:
      c.barriers = cell.effective;
      break;
    case Counted::warp_barriers:
      c.warp_barriers = cell.effective;
      break;
    case Counted::shuffles:
      c.shuffles = cell.effective;
      break;
    case Counted::votes:
      c.votes = cell.effective;
      break;
    case Counted::accesses:
      switch (kernel_.memory_ops[inst.extra].what) {
        case MemoryOp::What::load:
          c.global_load = cell.global;
          c.shared_load = cell.shared;
          break;
        case MemoryOp::What::store:
          c.global_store = cell.global;
          c.shared_store = cell.shared;
          break;
        default:
          c.global_atomic = cell.global;
          c.shared_atomic = cell.shared;
          c.atomics = cell.on_lanes;
          break;
      }
      break;
  }
  return c;
}

void CounterTable::report(KernelProfile& profile) const {
  using Where = std::pair<std::string, std::uint32_t>;
  std::map<Where, LineCounters> all;
  profile.intervals.clear();
  for (const auto& row : cells_) {
    std::map<Where, LineCounters> lines;
    IntervalProfile interval;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k].executions == 0) continue;
      const auto& inst = kernel_.code[k];
      Where where;
      if (inst.loc >= 0) {
        const auto& l = kernel_.lines[static_cast<std::size_t>(inst.loc)];
        where = {l.file < kernel_.files.size() ? kernel_.files[l.file] : std::string{}, l.line};
      }
      const auto c = counters(row[k], inst);
      lines[where] += c;
      interval.total += c;
    }
    for (const auto& [where, c] : lines) all[where] += c;
    interval.lines = sorted(lines);
    profile.intervals.push_back(std::move(interval));
  }
  profile.total = {};
  for (const auto& i : profile.intervals) profile.total += i.total;
  profile.lines = sorted(all);
}

}  // namespace gauntlet::simt
