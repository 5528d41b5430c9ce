// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/happens_before.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "machine/isa/mbarrier.hpp"
#include "tests/machine/races/happens_before_rules.hpp"

namespace gauntlet::simt::test {
namespace {

using namespace checker;

/// For each thread of the launch, how many of its events are known.
using Clock = std::vector<std::uint32_t>;

/// This and the loop over earlier accesses are most of the checker's time: by pointers, since the
/// tests are compiled with little optimisation.
void join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  std::uint32_t* to = into.data();
  const std::uint32_t* const end = from.data() + from.size();
  for (const std::uint32_t* k = from.data(); k != end; ++k, ++to) {
    if (*to < *k) *to = *k;
  }
}

struct Knowledge {
  Clock known;                              ///< ordered before what the thread does next
  Clock seen_in_block, seen_on_device;      ///< brought by strong reads, waiting for a fence
  Clock fenced_in_block, fenced_on_device;  ///< what a strong write publishes
  bool flag_due = false;                    ///< ... and no strong write has come since
};

void join(Knowledge& into, const Knowledge& from) {
  join(into.known, from.known);
  join(into.seen_in_block, from.seen_in_block);
  join(into.seen_on_device, from.seen_on_device);
  join(into.fenced_in_block, from.fenced_in_block);
  join(into.fenced_on_device, from.fenced_on_device);
  into.flag_due = into.flag_due || from.flag_due;
}

/// One byte of memory: -1 or the block whose shared memory it is in, and its address.
using Byte = std::pair<std::int64_t, std::uint64_t>;

struct Published {
  std::map<std::uint32_t, Clock> block;
  Clock device;
};

class Checker {
 public:
  Checker(const EventLog& log, std::uint32_t threads) : log_(log), threads_(threads) {}

  std::map<RacingPair, bool> run() {
    for (const auto& e : log_) {
      next_copy_ = std::max(next_copy_, (e.block + 1) * threads_);
      if (e.what == What::warp_barrier) members_[e.group].push_back(thread_of(e));
      if (e.what == What::block_arrive) ++arrivals_[e.group];
      if (e.what == What::block_leave) ++leaves_[e.group];
    }
    for (const auto& e : log_) step(e);
    return std::move(races_);
  }

 private:
  [[nodiscard]] std::uint32_t thread_of(const Event& e) const {
    return e.block * threads_ + e.thread;
  }
  void step(const Event& e) {
    const auto t = thread_of(e);
    auto& mine = minds_[t];
    if (mine.known.size() <= t) mine.known.resize(t + 1);
    ++mine.known[t];
    switch (e.what) {
      case What::read:
      case What::write:
      case What::atomic:
        if (e.copy == CopyStep::none)
          access(e, t, mine);
        else
          copy(e, t, mine);
        break;
      case What::copies_arrive: {
        Clock& ended = published_[{std::int64_t{e.block}, e.variable}].block[e.block];
        for (const Copy& one : copies_[t]) learn(ended, one);
        break;
      }
      case What::copies_commit:
        ++groups_[t];
        for (Copy& one : copies_[t]) {
          if (one.group == 0) one.group = groups_[t];
        }
        break;
      case What::copies_wait:
        wait_for_copies(e, t, mine);
        break;
      case What::fence:
        fence(e, t, mine);
        break;
      case What::warp_barrier:
        if (!done_.insert(e.group).second) break;
        together(members_[e.group]);
        break;
      case What::block_arrive:
        join(meeting_[e.group], mine);
        break;
      case What::block_leave:
        join(mine, meeting_[e.group]);
        if (done_.insert(e.group).second) {
          full_ = arrivals_[e.group] == leaves_[e.group] &&
                  leaves_[e.group] >= threads_ - exited_[e.block];
        }
        if (full_) reads_[t].clear();
        break;
      case What::exit:
        ++exited_[e.block];
        break;
    }
  }

  void together(const std::vector<std::uint32_t>& threads) {
    Knowledge all;
    for (const auto t : threads) join(all, minds_[t]);
    for (const auto t : threads) minds_[t] = all;
  }

  void fence(const Event& e, std::uint32_t t, Knowledge& mine) {
    if (e.order != Order::release) {
      join(mine.known, mine.seen_in_block);
      if (e.scope >= Scope::gpu) join(mine.known, mine.seen_on_device);
    }
    if (e.order != Order::acquire) {
      mine.flag_due = true;
      join(mine.fenced_in_block, mine.known);
      if (e.scope >= Scope::gpu) join(mine.fenced_on_device, mine.known);
      reads_[t].clear();
    }
  }

  void access(const Event& e, std::uint32_t t, Knowledge& mine) {
    const std::int64_t space = e.shared ? std::int64_t{e.block} : -1;
    const Byte variable{space, e.variable};
    const auto p = published_.find(variable);
    const bool is_published =
        p != published_.end() && (!p->second.block.empty() || !p->second.device.empty());
    if (e.strong && e.what != What::write && is_published) {
      const auto own = p->second.block.find(e.block);
      const bool acquire = acquires(e.order);
      if (own != p->second.block.end()) {
        join(acquire ? mine.known : mine.seen_in_block, own->second);
      }
      if (device_wide(e)) join(acquire ? mine.known : mine.seen_on_device, p->second.device);
      if (device_wide(e)) seen_[variable].push_back({t, mine.known[t], index_of(e)});
    }
    bool publishes = false, on_device = false, first = false;
    if (e.what != What::read) {
      if (e.what == What::write && p != published_.end()) published_.erase(p);
      if (e.strong) {
        Clock block = mine.fenced_in_block;
        Clock device = device_wide(e) ? mine.fenced_on_device : Clock{};
        if (releases(e.order)) {
          join(block, mine.known);
          if (device_wide(e)) join(device, mine.known);
        }
        publishes = !block.empty();
        on_device = !device.empty();
        first = std::exchange(mine.flag_due, false);
        if (publishes) {
          auto& to = published_[variable];
          if (e.variable != e.address) {  // an mbarrier: what its phase before published, too
            const auto before = published_.find({space, mbarrier::variable_before(e.variable)});
            if (before != published_.end()) {
              join(to.block[e.block], before->second.block[e.block]);
            }
          }
          join(to.block[e.block], block);
          join(to.device, device);
        }
      }
    }
    bytes(e, t, mine, [&](const Byte& byte) {
      // A thread that reads what it then writes computes; it sets no flag.
      const bool flag =
          publishes && (e.what == What::atomic || releases(e.order) || reads_[t].count(byte) == 0);
      return Access{&e, t, mine.known[t], flag, on_device, first};
    });
    if (e.what == What::read && e.strong) {
      for (std::uint64_t k = 0; k < e.width; ++k) reads_[t].insert({space, e.address + k});
    }
  }

  /// Compares an access with those of each byte so far, and keeps it.
  template <class Made>
  void bytes(const Event& e, std::uint32_t t, const Knowledge& mine, const Made& made) {
    for (std::uint64_t k = 0; k < e.width; ++k) {
      const Byte byte{e.shared ? std::int64_t{e.block} : -1, e.address + k};
      const Access now = made(byte);
      auto& accesses = accesses_[byte];
      Access* last = nullptr;
      Access* const end = accesses.data() + accesses.size();
      for (Access* before = accesses.data(); before != end; ++before) {
        if (of_read_only(*before, now)) {
          add(*before, now, FindingKind::race_read_only);
        } else if (before->thread == t) {
          if (polls_again(*before, now)) last = before;
        } else if (before->event->what != What::read || e.what != What::read) {
          compare(*before, now, mine);
        }
      }
      if (last == nullptr)
        accesses.push_back(now);
      else
        *last = now;
    }
  }

  /// A copy that is under way: each of its accesses is a thread, begun by its issuer.
  struct Copy {
    std::vector<std::uint32_t> threads;
    std::uint32_t group = 0;  ///< of its issuer's; 0: not committed
  };
  static void learn(Clock& clock, const Copy& copy) {
    for (const auto thread : copy.threads) {
      if (clock.size() <= thread) clock.resize(thread + 1);
      clock[thread] = 1;
    }
  }

  void copy(const Event& e, std::uint32_t t, const Knowledge& mine) {
    if (e.what == What::write) {
      published_.erase({e.shared ? std::int64_t{e.block} : -1, e.variable});
    }
    if (e.copy != CopyStep::begins) return;  // who comes to know of its end, other events say
    const std::uint32_t thread = next_copy_++;
    bytes(e, thread, mine, [&](const Byte&) { return Access{&e, thread, 1}; });
    sources_[t].push_back(thread);
    if (e.what == What::write) copies_[t].push_back({std::exchange(sources_[t], {})});
  }

  void wait_for_copies(const Event& e, std::uint32_t t, Knowledge& mine) {
    std::erase_if(copies_[t], [&](const Copy& one) {
      if (one.group == 0 || groups_[t] - one.group < e.group) return false;
      learn(mine.known, one);
      for (const auto thread : one.threads) waited_[thread] = {t, mine.known[t]};
      return true;
    });
  }

  static bool knows(const Clock& clock, std::uint32_t thread, std::uint32_t stamp) {
    return thread < clock.size() && clock[thread] >= stamp;
  }
  [[nodiscard]] std::size_t index_of(const Event& e) const {
    return static_cast<std::size_t>(&e - log_.data());
  }

  bool ordered(const Access& a, const Access& b, const Knowledge& mine) {
    const bool through_caches = b.event->what == What::read && is_volatile(*b.event);
    const auto before = [&](std::uint32_t thread, std::uint32_t stamp) {
      if (knows(mine.known, thread, stamp)) return true;
      // A copy is in no cache: that its issuer has waited for it has to be seen.
      const auto waited = waited_.find(thread);
      if (waited != waited_.end()) std::tie(thread, stamp) = waited->second;
      const bool done = a.event->copy == CopyStep::none || waited != waited_.end();
      return through_caches && done &&
             (knows(mine.seen_in_block, thread, stamp) ||
              knows(mine.seen_on_device, thread, stamp));
    };
    if (before(a.thread, a.stamp)) return true;
    // A strong read that comes later in the variable's own order, and is itself before.
    const Event& x = *a.event;
    if (x.what == What::read || !x.strong || !device_wide(x)) return false;
    const auto& seen = seen_[{x.shared ? std::int64_t{x.block} : -1, x.address}];
    return std::any_of(seen.begin(), seen.end(), [&](const Seen& z) {
      return z.index > index_of(x) && z.index != index_of(*b.event) && before(z.thread, z.stamp);
    });
  }

  /// Of two threads, and not both reads.
  void compare(const Access& a, const Access& b, const Knowledge& mine) {
    if (!exchange(a, b) && !ordered(a, b, mine)) add(a, b, FindingKind::race_write_write);
  }

  void add(const Access& a, const Access& b, FindingKind kind) {
    const Event &x = *a.event, &y = *b.event;
    const bool of_read_only = kind == FindingKind::race_read_only;
    const bool swap = of_read_only ? x.read_only : x.inst > y.inst;
    const Event &first = swap ? y : x, &second = swap ? x : y;
    RacingPair pair{first.inst, second.inst, kind};
    if (of_read_only) {
      races_.try_emplace(pair, false);
      return;
    }
    if (x.what == What::atomic || y.what == What::atomic)
      pair.kind = FindingKind::race_atomic;
    else if (first.what == What::read)
      pair.kind = FindingKind::race_read_write;
    else if (second.what == What::read)
      pair.kind = FindingKind::race_write_read;
    const bool one_issuer = x.block == y.block && x.thread == y.thread;
    const bool same = pair.kind == FindingKind::race_write_write && same_bytes(x, y) && !one_issuer;
    const auto [it, fresh] = races_.try_emplace(pair, same);
    it->second = it->second && same;
  }

  struct Seen {
    std::uint32_t thread, stamp;
    std::size_t index;
  };
  const EventLog& log_;
  std::uint32_t threads_;
  std::map<std::uint32_t, Knowledge> minds_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> members_;
  std::map<std::uint64_t, std::uint32_t> arrivals_, leaves_;
  std::map<std::uint64_t, Knowledge> meeting_;
  std::set<std::uint64_t> done_;
  std::map<std::uint32_t, std::uint32_t> exited_;
  bool full_ = false;
  std::map<Byte, Published> published_;
  std::map<Byte, std::vector<Seen>> seen_;  // by strong reads of what is published
  std::map<Byte, std::vector<Access>> accesses_;
  std::map<std::uint32_t, std::set<Byte>> reads_;
  std::map<std::uint32_t, std::vector<Copy>> copies_;            // not waited for, by issuer
  std::map<std::uint32_t, std::uint32_t> groups_;                // of copies, committed so far
  std::map<std::uint32_t, std::vector<std::uint32_t>> sources_;  // of the copy that begins
  std::uint32_t next_copy_ = 0;
  /// Of a copy's thread: its issuer, and when that had waited for it.
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> waited_;
  std::map<RacingPair, bool> races_;
};

}  // namespace

std::map<RacingPair, bool> racing_pairs(const EventLog& log, std::uint32_t threads_per_block) {
  return Checker(log, threads_per_block).run();
}

}  // namespace gauntlet::simt::test
