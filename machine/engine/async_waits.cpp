// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How asynchronous copies end: by a wait for their group, or by the phase of an mbarrier.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "machine/code/target.hpp"
#include "machine/engine/async_copies.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {

void AsyncCopies::track(const Executed& by) {
  auto& [b, w, inst, mask] = by;
  const auto& op = kernel_.memory_ops[kernel_.code[inst].extra];
  const Access a = access_of(b, w, inst, op);
  std::uint64_t tracker[warp_size];
  for (int l = 0; l < warp_size; ++l)
    tracker[l] = a.address[l] % window_bytes;  // generic or shared
  struct Group {
    std::uint64_t mbarrier;
    std::uint32_t lanes;
  } groups[warp_size];
  std::size_t count = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= ~groups[count++].lanes) {
    const std::uint64_t mbarrier = tracker[std::countr_zero(rest)];
    const bool alike = warp_code().same64(tracker, rest, mbarrier);
    const std::uint32_t same =
        alike ? rest : rest & lane_mask([&](int l) { return tracker[l] == mbarrier; });
    groups[count] = {mbarrier, same};
    std::uint64_t variable = mbarrier;
    for (const Region& r : b.shared) {
      const auto at = mbarrier - r.base;
      if (r.bytes < op.size || at > r.bytes - op.size) continue;
      std::uint64_t word = 0;
      std::memcpy(&word, r.data + at, sizeof word);
      variable = mbarriers_.variable(b.linear, mbarrier, word, true);
    }
    warp_code().fill64(mbarriers_.variables, same, variable);
  }
  path_.log_sync(Event::What::copies_arrive, b, w, mask, inst, 0);
  const auto next_number = [&] {
    return races_ != nullptr ? races_->track(b, w, mask, mbarriers_.variables) : 0;
  };
  std::uint32_t number = next_number();
  const PendingCopy* before = nullptr;
  for (auto& copy : w.copies) {
    std::uint32_t fresh = mask & copy.lanes;
    for (const auto& by_other : copy.trackers) fresh &= ~by_other.lanes;
    // Who waits for one group later on does not wait for the next one.
    if (fresh != 0) {
      if (before != nullptr && before->group != copy.group) number = next_number();
      before = &copy;
    }
    warp_code().fill32(copy.number.data(), fresh, number);
    for (const Group& group : std::span(groups, count)) {
      auto& all = copy.trackers;
      const auto is = [&](const PendingCopy::Tracker& t) { return t.mbarrier == group.mbarrier; };
      auto of = std::ranges::find_if(all, is);
      if (of == all.end()) of = all.insert(of, {group.mbarrier, 0});
      of->lanes |= group.lanes & copy.lanes;
    }
  }
}

void AsyncCopies::end_tracked(Block& b, std::uint64_t address) {
  for (auto& w : b.warps) {
    for (auto& copy : w.copies) {
      std::uint32_t done = 0;
      for (const auto& tracker : copy.trackers) {
        if (tracker.mbarrier == address) done = tracker.lanes & copy.lanes;
      }
      copy.lanes &= ~done;
      while (done != 0) {
        const auto number = copy.number[static_cast<std::size_t>(std::countr_zero(done))];
        const bool alike = warp_code().same32(copy.number.data(), done, number);
        const auto same =
            alike ? done : done & lane_mask([&](int l) {
                             return copy.number[static_cast<std::size_t>(l)] == number;
                           });
        end(b, w, copy, same, CopyStep::landed);
        if (races_ != nullptr) keep_landed(w, copy, same);
        done &= ~same;
      }
    }
    forget_ended(w);
  }
}

/// Of each lane the last ones: who waits for a later group has waited for the others, too.
void AsyncCopies::keep_landed(Warp& w, const PendingCopy& copy, std::uint32_t lanes) {
  constexpr std::size_t most = 8;
  auto& all = w.landed_copies;
  const auto keep = [](LandedCopies& of, const auto& copies, std::uint32_t some) {
    of.lanes |= some;
    of.committed = (of.committed & ~some) | (copies.committed & some);
    store_lanes(of.number.data(), copies.number.data(), some);
    store_lanes(of.group.data(), copies.group.data(), some);
  };
  // Behind the last ones of these lanes, or with those that landed together with it.
  std::size_t k = all.size();
  while (k != 0 && (lanes & all[k - 1].lanes) == 0) --k;
  const auto is_later = [&](int lane) {
    const auto l = static_cast<std::size_t>(lane);
    return all[k - 1].number[l] != copy.number[l];
  };
  if (k != 0 && (lanes & all[k - 1].lanes & lane_mask(is_later)) == 0) --k;
  if (k == most) {
    keep(all[1], all[0], all[0].lanes & ~all[1].lanes);
    all.erase(all.begin());
    --k;
  }
  if (k == all.size()) all.emplace_back();
  keep(all[k], copy, lanes);
}

void AsyncCopies::group(const Executed& by, CopyGroup what, std::uint32_t left) {
  auto& [b, w, inst, mask] = by;
  if (what != CopyGroup::wait) {
    path_.log_sync(Event::What::copies_commit, b, w, mask, inst, 0);
    for (int l = 0; l < warp_size; ++l) w.copy_groups[l] += (mask & lane_bits.v[l]) != 0 ? 1 : 0;
    const auto commit = [&](auto& copies) {
      const std::uint32_t fresh = mask & copies.lanes & ~copies.committed;
      if (fresh != 0) store_lanes(copies.group.data(), w.copy_groups.data(), fresh);
      copies.committed |= fresh;
    };
    for (auto& copy : w.copies) commit(copy);
    for (auto& landed : w.landed_copies) commit(landed);
  }
  if (what == CopyGroup::commit) return;
  path_.log_sync(Event::What::copies_wait, b, w, mask, inst, left);
  const auto waited = [&](const auto& copies, std::uint32_t by_lanes) {
    const std::uint32_t lanes = by_lanes & copies.lanes & copies.committed;
    if (lanes == 0) return lanes;
    return lanes & lane_mask([&](int lane) {
             const auto l = static_cast<std::size_t>(lane);
             return w.copy_groups[l] - copies.group[l] >= left;
           });
  };
  // Of a lane for one of whose copies it need not wait, nor need it for those behind that.
  std::uint32_t waits = mask;
  for (auto& copy : w.copies) {
    const std::uint32_t done = waited(copy, waits);
    waits &= ~copy.lanes | done;
    if (done == 0) continue;
    end(b, w, copy, done, CopyStep::waited);
    copy.lanes &= ~done;
  }
  forget_ended(w);
  for (auto& landed : w.landed_copies) {
    const std::uint32_t done = waited(landed, mask);
    if (done != 0) races_->copies_wait(b, w, done, landed.number.data());
    landed.lanes &= ~done;
  }
  std::erase_if(w.landed_copies, [](const LandedCopies& landed) { return landed.lanes == 0; });
}

void AsyncCopies::forget_ended(Warp& w) {
  for (auto copy = w.copies.begin(); copy != w.copies.end();) {
    const auto one = copy++;
    if (one->lanes == 0) w.ended_copies.splice(w.ended_copies.begin(), w.copies, one);
  }
}

}  // namespace gauntlet::simt
