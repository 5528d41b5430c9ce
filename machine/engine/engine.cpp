// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop that executes instructions.
#include "machine/engine/engine.hpp"

#include <algorithm>
#include <bit>

#include "machine/isa/handlers.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint64_t wait_steps = 256;  ///< of a warp, for a test of an mbarrier that failed

std::string trap_detail(const Kernel& kernel, const LaunchConfig& config) {
  std::string detail = "the kernel executed a trap";
  using W = SpecialRegister::What;
  for (const auto& s : kernel.specials) {
    if (config.cooperative || s.what != W::grid_workspace_low) continue;
    detail += "; its grid barriers do so where the launch is not cooperative (--cooperative)";
  }
  return detail;
}

/// A warp's time is what it has executed. One that reads the clock over and over waits for it: time
/// then runs ahead, the faster the longer it has waited, so that a wait of a second of a GPU's
/// clock takes some 50,000 readings. A kernel that measures itself by some readings is left alone.
std::uint64_t read_clock(Warp& w, std::uint64_t steps) {
  constexpr std::uint64_t patient = 256;
  if (++w.clock_reads > patient) w.clock_ahead += w.clock_reads - patient;
  return w.instructions + steps + w.clock_ahead;
}

}  // namespace

void Engine::run_launch_before() {
  // The other launch numbers its origins of poison behind those that this one has stored.
  keep_stories();
  memory_.origins += static_cast<std::uint32_t>(origins_.size());
  recent_.forget();
  if (!launch_before_.run()) stopped_ = true;
  ++residents_.wakes;
  for (const auto& b : blocks_) {
    for (auto& w : b->warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        Subwarp& f = w.subwarps[k];
        if (f.state != Subwarp::State::at_launch_wait) continue;
        launch_before_.control(*b, w, kernel_.code[f.pc], f.lanes);
        w.release(f, residents_.quantum);
      }
      w.merge();
    }
  }
}

void Engine::call(Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes) {
  const Executed by{b, w, pc, lanes};
  const Inst& i = kernel_.code[pc];
  if (i.kind == Kind::system_call) return system_calls_.run(by);
  if (i.kind == Kind::copy_group) {
    const auto what = static_cast<CopyGroup>(i.variant);
    w.asynchronous = true;
    if (what == CopyGroup::tracked) return async_copies_.track(by);
    return what >= CopyGroup::bulk_commit ? bulk_copies_.group(by, what, i.extra)
                                          : async_copies_.group(by, what, i.extra);
  }
  const bool trap = i.kind == Kind::trap;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  tell(trap ? FindingKind::trap : FindingKind::assertion, by, lane, "{}",
       i.variant == 1   ? "the address that is called is no function of this module"
       : i.variant == 2 ? "the recursion is deeper than the machine's stack of 16 KiB"
       : trap           ? trap_detail(kernel_, config_)
                        : system_calls_.assertion_detail(by, lane));
  stopped_ = true;
}

void Engine::end_at_limit(Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes) {
  if (step_limit_.moves_on(b, w, pc, lanes)) return;
  tell(FindingKind::step_limit, Executed{b, w, pc, lanes},
       static_cast<std::uint32_t>(std::countr_zero(lanes)), "{}",
       step_limit_.detail(b, w, pc, lanes, block_count_ - next_block_));
  stopped_ = true;
}

template <Engine::Watch watch>
void Engine::step(const Choice& choice) {
  constexpr bool counted = watch == Watch::counters;
  Block& b = *residents_.blocks[choice.resident];
  Warp& w = b.warps[choice.warp];
  bool led = false;  // through the prologue, by itself or by another warp
  if (w.file == nullptr) {
    led = watch == Watch::none && leads_ && choice.lanes == all_lanes && !choice.until_visible &&
          (b.leads || b.leader == ~0U);
    begin_warp(b, w, !led || !b.leads || kernel_.prologue.specials);
  }
  std::uint32_t fi = choice.subwarp;
  if (choice.lanes != w.subwarps[fi].lanes) {
    w.split(fi, choice.lanes);
    fi = w.subwarp_count - 1;
  }
  Subwarp* f = &w.subwarps[fi];
  std::uint32_t stop = ~0U;  // the next subwarp to be met
  if (choice.reconverge && w.subwarp_count > 1) {
    for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
      const auto& other = w.subwarps[k];
      if (k != fi && other.state == Subwarp::State::runnable && other.pc > f->pc) {
        stop = std::min(stop, other.pc);
      }
    }
  }

  const Inst* code = kernel_.code.data();
  const MemoryOp* const memory_ops = kernel_.memory_ops.data();
  std::uint32_t pc = f->pc;
  const std::uint32_t lanes = f->lanes;
  std::uint64_t steps = 0;
  std::uint64_t budget =
      std::min(residents_.quantum - f->spent, step_limit_.steps() - w.instructions + 1);
  const std::uint32_t exited_before = b.exited_threads;
  const bool until_visible = choice.until_visible;
  const std::uint64_t width = lane_count(lanes);
  bool first = true;

  // Inline, so that what it captures stays in registers.
  const auto save = [&]() __attribute__((always_inline)) {
    w.instructions += steps;
    counters_.warp_instructions += steps;
    counters_.thread_instructions += steps * width;
    f->spent += steps;
    budget -= std::min(budget, steps);  // a loop of warp operations comes by here in every round
    steps = 0;
    f->pc = pc;
  };

  const std::uint64_t* touches = nullptr;  // what the shadow has to be shown
  const std::uint64_t* touched = nullptr;
  if constexpr (watch == Watch::shadow) {
    touches = shadow_->touches();
    touched = &shadow_->touched(w);
  }

  rounds_.begin();
  if (led) steps = pc = run_prologue(b, w);
  for (;;) {
    if constexpr (watch != Watch::counters) {
      // Most instructions, and nothing in them to stop at.
      if (const std::uint32_t run = code[pc].has_guard ? 0 : std::min(code[pc].run, stop - pc);
          run != 0) {
        const std::uint32_t begin = pc, end = pc + run;
        for (const Inst* i = code + pc; pc != end; ++i, ++pc) {
          if (i->kind != Kind::data && until_visible) break;
          if constexpr (watch == Watch::shadow) {
            if ((touches[pc] & *touched) != 0) shadow_->instruction(b, w, pc, lanes, lanes);
          }
          if (i->kind == Kind::data)
            i->fn(w, *i, lanes);
          else
            access(b, w, pc, memory_ops[i->extra], i->extra, lanes);
        }
        steps += pc - begin;
        first &= pc == begin;
        if (pc == stop) break;
      }
    }
    const Inst& i = code[pc];
    if (until_visible && i.visible && !first) break;
    first = false;
    std::uint32_t m = lanes;
    if (i.has_guard) {
      const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(w.registers + i.guard);
      m &= i.guard_negated ? ~p : p;
      report_undefined(FindingKind::poison_branch, {b, w, pc, lanes}, {i.guard, i.guard_id});
    }
    if constexpr (watch == Watch::shadow) {
      if ((touches[pc] & *touched) != 0) shadow_->instruction(b, w, pc, lanes, m);
    }
    ++steps;
    if constexpr (counted) {
      // A barrier that only some lanes come to is executed again by those alone.
      const bool waits = i.wait == Wait::launch ? launch_before_.is_due() : i.wait != Wait::nobody;
      const bool again = waits && m != 0 && m != lanes;
      if (!again) table_->executed(b.interval, pc, lanes, m);
    }
    switch (i.kind) {
      case Kind::data:
        if (m != 0) i.fn(w, i, m);
        ++pc;
        break;
      case Kind::memory:
        if (m != 0) access(b, w, pc, memory_ops[i.extra], i.extra, m);
        ++pc;
        break;
      case Kind::branch: {
        if (m == lanes) {
          if constexpr (watch == Watch::none) {
            const auto back = static_cast<Back>(i.variant);
            if (back != Back::nothing && rounds_.comes_back(pc, back) && runs_) {
              // Where something was found, it is counted how often.
              const auto [skipped, atomics] = rounds_.to_skip(
                  w, i.target, pc, !w.poison_live && recorder_.empty(),
                  [&] { return reads_arrays(w, i.target, pc, lanes); },
                  {steps, counters_.atomics, standstill_.changes}, budget);
              steps += skipped;
              counters_.atomics += atomics;
            }
          }
          pc = i.target;
          if (pc > stop) goto saved;  // the other subwarp is behind: it goes first
        } else if (m == 0) {
          ++pc;
        } else {
          ++counters_.divergent_branches;
          if constexpr (counted) table_->diverged(b.interval, pc);
          ++pc;
          save();
          auto& taken = w.split(fi, m);
          taken.pc = i.target;
          goto out;
        }
        if (steps >= budget) goto saved;
        break;
      }
      case Kind::exit:
        if (m == lanes) {
          save();
          w.remove(fi);
          exit_lanes(b, w, lanes);
          goto out;
        }
        ++pc;
        if (m != 0) {
          save();
          f->lanes &= ~m;
          exit_lanes(b, w, m);
          goto out;
        }
        break;
      case Kind::grid_control:
        if (!launch_before_.holds_up(i)) {
          if (m != 0) launch_before_.control(b, w, i, m);
          ++pc;
          break;
        }
        [[fallthrough]];
      case Kind::barrier:
      case Kind::cluster:
      case Kind::warp_sync: {
        if (m == 0) {
          ++pc;
          break;
        }
        if (m != lanes) {
          // The lanes that skip it go on by themselves.
          save();
          auto& skipping = w.split(fi, lanes & ~m);
          skipping.pc = pc + 1;
          goto out;
        }
        if constexpr (watch == Watch::none) {
          if (i.kind == Kind::warp_sync && m == all_lanes && !until_visible) {
            if (const std::uint32_t done = matrix_at_once(b, w, pc); done != 0) {
              steps += done - 1;
              pc += done;
              break;
            }
          }
        }
        save();
        standstill_.changes += i.kind == Kind::warp_sync ? 0 : 1;
        if (i.kind == Kind::grid_control) {
          w.wait(*f, Subwarp::State::at_launch_wait);
          goto out;
        }
        if (i.kind == Kind::barrier) {
          barriers_.arrive(b, w, fi);
          goto out;
        }
        if (i.kind == Kind::cluster) {
          barriers_.arrive_at_cluster(b, w, fi);
          goto out;
        }
        // A warp operation that needed nobody else goes on at once.
        if (!collectives_.arrive(b, w, fi)) goto out;
        ++pc;
        break;
      }
      case Kind::activemask: {
        fill_lanes(w.destination<std::uint32_t>(i.d), m, m);
        clear_poison(w, i.d, m);
        ++pc;
        break;
      }
      case Kind::nop:
      case Kind::yield: {
        ++pc;
        const bool sleeps = i.variant != 0 && m != 0;  // nanosleep
        if (!sleeps && (i.kind == Kind::nop || (m & ~*w.source<std::uint32_t>(i.a)) == 0)) break;
        save();
        // The GPU suspends who waits; so long that one who waits in vain is soon known.
        w.instructions += sleeps ? 0 : wait_steps;
        f->spent = residents_.quantum;
        goto out;
      }
      case Kind::clock: {
        const auto now = read_clock(w, steps);
        if (i.variant == 8)
          fill_lanes(w.destination<std::uint64_t>(i.d), m, now);
        else
          fill_lanes(w.destination<std::uint32_t>(i.d), m, static_cast<std::uint32_t>(now));
        clear_poison(w, i.d, m);
        ++pc;
        break;
      }
      case Kind::trap:
      case Kind::assertion:
        if (m != 0) {
          call(b, w, pc, m);
          goto saved;
        }
        ++pc;
        break;
      case Kind::fence:
        if (config_.log != nullptr) log_sync(Event::What::fence, b, w, m, pc, 0);
        if (races_ != nullptr && m != 0) {
          races_->fence(b, w, m, i.fence.scope, i.fence.order);
        }
        ++pc;
        break;
      case Kind::proxy_fence:
        if (races_ != nullptr && m != 0) races_->proxy_fence(b, w, m, i.variant);
        ++pc;
        break;
      case Kind::copy_group:
      case Kind::system_call:
        ++standstill_.changes;
        if (m != 0) call(b, w, pc, m);
        ++pc;
        break;
    }
    if (pc == stop) break;
  }
saved:
  save();
out:
  if (w.instructions > step_limit_.steps()) end_at_limit(b, w, pc, lanes);
  if (b.exited_threads != exited_before) {
    if (w.subwarp_count != 0) collectives_.check(b, w);
    barriers_.check(b);
  }
  if (choice.reconverge) w.merge();
}

template void Engine::step<Engine::Watch::none>(const Choice& choice);
template void Engine::step<Engine::Watch::counters>(const Choice& choice);
template void Engine::step<Engine::Watch::shadow>(const Choice& choice);

}  // namespace gauntlet::simt
