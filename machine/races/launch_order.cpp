// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/launch_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/numbers.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/recorder.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

void LaunchAccesses::note(const Allocation& allocation, const MemoryOp& op, const Batch& batch) {
  const std::uint8_t ways = access_ways(op);
  const auto note_in = [&](Part& part, std::uint32_t mask) {
    if (mask == 0) return;
    Pages& pages = part[allocation.base];
    pages.resize(ceil_div(ceil_div(allocation.bytes, 4), page_words));
    for (const unsigned lane : lanes_of(mask)) {
      const std::uint64_t at = batch.address[lane] - allocation.base;
      const Who who{batch.inst, batch.block, batch.warp * warp_size + lane};
      for (std::uint64_t begin = at / 4 * 4; begin < at + batch.width; begin += 4) {
        auto& page = pages[begin / 4 / page_words];
        if (page == nullptr) page = std::make_unique<std::array<Word, page_words>>();
        Word& word = (*page)[begin / 4 % page_words];
        const std::uint64_t from = std::max(begin, at) - begin;
        const std::uint64_t to = std::min(begin + 4, at + batch.width) - begin;
        const auto bytes = static_cast<std::uint8_t>((1U << to) - (1U << from));
        const auto any = [&](unsigned k) { return (word.bytes[k] | word.bytes[k + 2]) != 0; };
        if ((ways & (weak_read | strong_read)) != 0 && !any(0)) word.reads = who;
        if ((ways & (weak_write | strong_write)) != 0 && !any(1)) word.writes = who;
        for (unsigned k = 0; k < word.bytes.size(); ++k) {
          if ((ways >> k & 1) != 0) word.bytes[k] |= bytes;
        }
      }
    }
  };
  note_in(before_, batch.mask & ~batch.waited);
  note_in(behind_, batch.mask & batch.waited);
}

bool begins_behind(std::span<const LaunchAccesses> launches, std::size_t k, std::size_t i) {
  if (!launches[k].programmatic) return true;
  if (i + 1 == k) return false;
  return begins_behind(launches, k - 1, i) ||
         (!launches[k - 1].begins_next_at_once && wait_says_ended(launches, k - 1, i));
}

bool wait_says_ended(std::span<const LaunchAccesses> launches, std::size_t k, std::size_t i) {
  const bool ends_behind = i + 1 == k || begins_behind(launches, k - 1, i);
  return ends_behind || (launches[k - 1].waits && wait_says_ended(launches, k - 1, i));
}

/// Compares the launches of a stream.
class LaunchOrder {
 public:
  LaunchOrder(std::span<const LaunchAccesses> launches, const GlobalMemory& memory)
      : launches_(launches), memory_(memory) {}

  std::vector<Finding> run() {
    for (later_ = 1; later_ < launches_.size(); ++later_) {
      for (earlier_ = later_; earlier_-- > 0;) {  // the nearest is told
        if (begins_behind(launches_, later_, earlier_)) continue;
        const LaunchAccesses &e = launches_[earlier_], &l = launches_[later_];
        behind_wait_ = false;
        compare(e.before_, l.before_);
        compare(e.behind_, l.before_);
        if (wait_says_ended(launches_, later_, earlier_)) continue;
        behind_wait_ = true;
        compare(e.before_, l.behind_);
        compare(e.behind_, l.behind_);
      }
    }
    return std::move(findings_);
  }

 private:
  using Word = LaunchAccesses::Word;
  using Who = LaunchAccesses::Who;

  void compare(const LaunchAccesses::Part& earlier, const LaunchAccesses::Part& later) {
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      const Allocation& array = memory_.at(k);
      const auto e = earlier.find(array.base), l = later.find(array.base);
      if (e == earlier.end() || l == later.end()) continue;
      for (std::size_t page = 0; page < std::min(e->second.size(), l->second.size()); ++page) {
        if (e->second[page] == nullptr || l->second[page] == nullptr) continue;
        for (std::size_t word = 0; word < LaunchAccesses::page_words; ++word) {
          compare((*e->second[page])[word], (*l->second[page])[word], array,
                  (page * LaunchAccesses::page_words + word) * 4);
        }
      }
    }
  }

  void compare(const Word& e, const Word& l, const Allocation& array, std::uint64_t at) {
    const auto& [er, ew, esr, esw, e1, e2, e4, e8] = e.bytes;
    const auto& [lr, lw, lsr, lsw, l1, l2, l4, l8] = l.bytes;
    const int sizes_differ = ((e1 | l1) & (e2 | l2)) | ((e1 | l1 | e2 | l2) & (e4 | l4)) |
                             ((e1 | l1 | e2 | l2 | e4 | l4) & (e8 | l8));
    add(FindingKind::race_write_read, ew & lr, e.writes, l.reads, array, at);
    add(FindingKind::race_read_write, er & lw, e.reads, l.writes, array, at);
    add(FindingKind::race_write_write, ew & lw, e.writes, l.writes, array, at);
    add(FindingKind::race_atomic, (esw & lr) | ((ew | (esw & sizes_differ)) & lsr), e.writes,
        l.reads, array, at);
    add(FindingKind::race_atomic, (esr & lw) | ((er | (esr & sizes_differ)) & lsw), e.reads,
        l.writes, array, at);
    add(FindingKind::race_atomic, (esw & lw) | ((ew | (esw & sizes_differ)) & lsw), e.writes,
        l.writes, array, at);
  }

  void add(FindingKind kind, int bytes, const Who& e, const Who& l, const Allocation& array,
           std::uint64_t at) {
    if (bytes == 0) return;
    const Kernel &before = *launches_[earlier_].kernel_, &now = *launches_[later_].kernel_;
    const auto [it, fresh] = seen_.try_emplace(
        {kind, source(before, e.inst), source(now, l.inst), array.base}, findings_.size());
    if (!fresh) {
      ++findings_[it->second].count;
      return;
    }
    const Recorder earlier(before, true);
    Recorder later(now, true);
    const MemoryOp& op = now.memory_ops[now.code[l.inst].extra];
    const auto place = [](const Who& who, Dim3 d) {
      return Dim3{who.block % d.x, who.block / d.x % d.y, who.block / d.x / d.y};
    };
    at += static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(bytes)));
    const std::int64_t element = array.element_bytes != 0 ? array.element_bytes : op.size;
    Finding& f = *later.add(
        kind, l.inst, place(l, launches_[later_].grid_), l.thread / warp_size, l.thread % warp_size,
        {array.name, (static_cast<std::int64_t>(at) - array.index_base) / element, op.size});
    f.other = earlier.party(e.inst, place(e, launches_[earlier_].grid_), e.thread / warp_size,
                            e.thread % warp_size);
    const MemoryOp& before_op = before.memory_ops[before.code[e.inst].extra];
    f.detail = fmt::format(
        "no griddepcontrol.wait orders the {} at {} in launch {} and the {} at {} in launch {}{}",
        verb(before_op), earlier.where(e.inst), earlier_ + 1, verb(op), later.where(l.inst),
        later_ + 1, why());
    findings_.push_back(std::move(f));
  }

  /// A kernel's source line, or line of its PTX.
  using Source = std::tuple<const Kernel*, std::uint32_t, std::uint32_t>;
  [[nodiscard]] static Source source(const Kernel& kernel, std::uint32_t inst) {
    const Inst& i = kernel.code[inst];
    if (i.loc < 0) return {&kernel, ~0U, i.ptx_line};
    const Line& line = kernel.lines[static_cast<std::size_t>(i.loc)];
    return {&kernel, line.file, line.line};
  }
  [[nodiscard]] static std::string_view verb(const MemoryOp& op) {
    return op.what == MemoryOp::What::load    ? "read"
           : op.what == MemoryOp::What::store ? "write"
                                              : "atomic";
  }

  [[nodiscard]] std::string why() const {
    if (earlier_ + 1 == later_) {
      return launches_[earlier_].triggers
                 ? ", which .launch_dependents lets begin without publishing anything"
                 : ", which may begin before that one has ended";
    }
    if (!behind_wait_) return fmt::format(", which may begin before launch {} has ended", later_);
    return fmt::format("; what is waited for is launch {} alone, which does not wait itself",
                       later_);
  }

  std::span<const LaunchAccesses> launches_;
  const GlobalMemory& memory_;
  std::size_t earlier_ = 0, later_ = 0;
  bool behind_wait_ = false;  ///< what is compared of the later one
  std::vector<Finding> findings_;
  using Key = std::tuple<FindingKind, Source, Source, Address>;
  std::map<Key, std::size_t> seen_;
};

std::vector<Finding> launch_races(std::span<const LaunchAccesses> launches,
                                  const GlobalMemory& memory) {
  return LaunchOrder(launches, memory).run();
}

}  // namespace gauntlet::simt
