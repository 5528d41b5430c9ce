// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Starting and retiring blocks, the outer loop of a launch, and what to say when nobody can go on.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "base/numbers.hpp"
#include "machine/engine/engine.hpp"
#include "machine/engine/residents.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/isa/decode.hpp"
#include "machine/schedules/recording.hpp"
#include "machine/state/spares.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

// Warp instructions a subwarp may run before others get a turn, so that a spinning thread does
// not starve the one it waits for. Blocks of a cooperative launch spin at every grid barrier.
constexpr std::uint64_t quantum = 65'536, cooperative_quantum = 1'024;

/// Records the configuration's scheduler; `own` is the one made from its spelling, if there is one.
std::unique_ptr<Recording> make_recording(const LaunchConfig& config, Scheduler* own) {
  if (config.scheduler == nullptr) {
    return std::make_unique<Recording>(
        *own, base_of(parse_schedule(config.schedule), config.launch_index));
  }
  LaunchSchedule base;
  if (config.scheduler->blocks_descending()) base.base = LaunchSchedule::Base::blocks;
  return std::make_unique<Recording>(*config.scheduler, base);
}

/// Blocks outlive a launch: launches are short, and their buffers need not be made anew.
thread_local Spares<Block> spare_blocks(most_residents);

}  // namespace

Address grid_workspace(GlobalMemory& memory) {
  constexpr std::string_view name = "grid workspace";
  constexpr std::uint64_t bytes = 64;
  const auto* found = memory.named(name);
  GlobalMemory::Options options;
  options.name = name;
  options.bytes = bytes;
  const Address at = found != nullptr ? found->base : memory.allocate(options);
  memory.fill(at, std::byte{0}, bytes);
  return at;
}

Engine::Engine(const Kernel& kernel, ModuleState& state, const LaunchConfig& config)
    : Reports(kernel, config, state.memory()),
      state_(state),
      own_scheduler_(config.scheduler != nullptr
                         ? nullptr
                         : make_scheduler(config.schedule, config.launch_index)),
      recording_(config.record ? make_recording(config, own_scheduler_.get()) : nullptr),
      scheduler_(recording_ != nullptr         ? recording_.get()
                 : config.scheduler != nullptr ? config.scheduler
                                               : own_scheduler_.get()),
      races_(config.races && config.checks
                 ? std::make_unique<RaceDetector>(
                       kernel, static_cast<std::uint32_t>(config.block.count()), config.memory)
                 : nullptr),
      shadow_(config.shadow),
      pool_(kernel.pool),
      parameters_(kernel, config.params),
      rounds_(kernel),
      clusters_(kernel, config),
      accesses_(config.accesses),
      beside_(kernel, state, config, clusters_.any()) {
  if (beside_.possible() && accesses_ == nullptr) {
    accesses_ = &own_accesses_;
    accesses_->limit(config.memory);
  }
  for (const auto& r : kernel.relocations) {
    const auto address = state.symbol(r.symbol) + static_cast<std::uint64_t>(r.addend);
    for (int l = 0; l < warp_size; ++l) std::memcpy(&pool_[r.pool_offset + l * 8U], &address, 8);
  }
  // Who compares with a log looks at each race.
  if (races_ != nullptr && config.log == nullptr) races_->count_as(race_reports_.told());
  if (config.profile != nullptr) table_ = std::make_unique<CounterTable>(kernel);
  if (config.ordering != nullptr) config.ordering->begin(kernel, config.grid);
  if (config.cooperative) workspace_ = grid_workspace(memory_);
  runs_ = table_ == nullptr && config.log == nullptr;
  warps_in_order_ =
      recording_ == nullptr && config.scheduler == nullptr && config.schedule == "lockstep";
  streams_ = runs_ && shadow_ == nullptr && !launch_before_.overlaps();
  leads_ = streams_ && prologue_runs_.possible(std::min(cooperative_quantum, step_limit_.steps()));
  tries_together_ = runs_ && config.checks && recording_ == nullptr && shadow_ == nullptr &&
                    accesses_ == nullptr && !launch_before_.overlaps() && !beside_.possible() &&
                    !config.launch_before && config.scheduler == nullptr && !clusters_.any();
  // No other launch has these numbers: a scheduler may see several launches.
  static std::atomic<std::uint64_t> launches{0};
  launch_ = ++launches;
  residents_.wakes = launch_ << 32;
  residents_.kernel = &kernel_;
  residents_.quantum = config.cooperative ? cooperative_quantum : quantum;
  const auto total = static_cast<std::uint32_t>(config.grid.count());
  first_block_ = std::min(config.first_block, total);
  block_count_ = config.block_count == 0 ? total - first_block_
                                         : std::min(config.block_count, total - first_block_);
}

void Engine::start_block(std::uint32_t linear) {
  std::unique_ptr<Block> owned = spare_blocks.take();
  Block& b = *owned;
  b.linear = linear;
  const std::uint32_t row = linear / config_.grid.x;
  b.x = linear % config_.grid.x;
  b.y = row % config_.grid.y;
  b.z = row / config_.grid.y;
  b.threads = static_cast<std::uint32_t>(config_.block.count());
  b.exited_threads = 0;
  b.interval = 0;
  if (!kernel_.barrier_ops.empty()) b.barriers = {};
  b.left.clear();
  b.waited = b.triggered = false;
  b.leader = ~0U;
  b.leads = false;

  // Shared memory starts undefined, whatever the block before left there.
  const std::uint32_t begin[] = {0, dynamic_shared_base - shared_gap};
  const std::uint32_t size[] = {
      kernel_.shared.empty() ? 0 : kernel_.static_shared_top,
      config_.shared_bytes == 0 ? 0 : config_.shared_bytes + 2 * shared_gap};
  for (int half = 0; half < 2; ++half) {
    b.shared_data[half].assign(size[half] + 64, std::byte{0xA5});
    auto& state = b.shared_state[half];
    state.assign(size[half] + 64, ByteState::unmapped);
    if (half == 0) {
      for (const auto& s : kernel_.shared) {
        // The toolkit's headers take the reserved part as it is: each warp clears its own bits.
        const bool reserved = s.name == reserved_shared_name;
        std::fill_n(state.begin() + s.offset, s.bytes,
                    reserved ? ByteState::initialised : ByteState::uninitialised);
      }
    } else if (size[1] != 0) {
      std::fill_n(state.begin() + shared_gap, config_.shared_bytes, ByteState::uninitialised);
    }
    b.shared_origin[half].clear();
    b.shared[half] = {b.shared_data[half].data(), state.data(), &b.shared_origin[half], begin[half],
                      size[half]};
  }

  const auto warps = ceil_div(b.threads, warp_size);
  const bool of_launch =
      b.registers.begin(launch_, warps, kernel_.register_bytes, kernel_.poison_slots);
  b.local.assign(std::size_t{warps} * warp_size * kernel_.local_bytes, std::byte{0xA5});
  b.local_state.assign(b.local.size(), ByteState::uninitialised);
  b.warps.resize(warps);
  for (std::uint32_t k = 0; k < warps; ++k) {
    Warp& w = b.warps[k];
    if (!of_launch) {
      w.pool = pool_.data();
      w.index = k;
      const auto lanes = std::min(b.threads - k * warp_size, std::uint32_t{warp_size});
      w.existing = lanes == warp_size ? all_lanes : (1U << lanes) - 1;
      w.local = b.local.data() + std::size_t{k} * warp_size * kernel_.local_bytes;
      w.local_state = b.local_state.data() + std::size_t{k} * warp_size * kernel_.local_bytes;
    }
    w.begin(linear);
    // Origins have their numbers in the order of warps, whichever begins first.
    if (!kernel_.undefined_registers.empty()) begin_warp(b, w);
  }
  if (clusters_.any()) clusters_.join(b);
  if (races_ != nullptr) races_->start_block(b);
  if (shadow_ != nullptr) shadow_->start_block(b);
  ++residents_.wakes;
  residents_.blocks.push_back(owned.get());
  blocks_.push_back(std::move(owned));
}

void Engine::retire_finished() {
  for (std::size_t k = 0; k < blocks_.size();) {
    // Other blocks of its cluster may still want its memory, if only to be told that it is gone.
    if (blocks_[k]->exited_threads < blocks_[k]->threads ||
        (clusters_.any() && !clusters_.ended(*blocks_[k]))) {
      ++k;
      continue;
    }
    ++residents_.wakes;
    progress_.block_ended();
    launch_before_.note_end(*blocks_[k]);
    if (bulk_copies_.any()) bulk_copies_.end_of(*blocks_[k]);
    if (warpgroup_products_.any()) warpgroup_products_.end_of(*blocks_[k]);
    if (races_ != nullptr) races_->end_block(*blocks_[k]);
    if (clusters_.any()) barriers_.end(clusters_.leave(*blocks_[k]));
    spare_blocks.give(std::move(blocks_[k]));
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(k));
    residents_.blocks.erase(residents_.blocks.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

void Engine::run_blocks() {
  const auto start_next = [&] {
    const auto k = next_block_++;
    start_block(clusters_.block_at(first_block_ +
                                   (scheduler_->blocks_descending() ? block_count_ - 1 - k : k)));
  };
  const std::uint64_t resident_limit =
      config_.cooperative ? block_count_ : resident_blocks(kernel_, config_);
  const auto wanted =
      std::clamp(scheduler_->resident_blocks(), 1U, static_cast<std::uint32_t>(resident_limit));
  if (config_.cooperative) {
    while (next_block_ < block_count_ && !interrupted()) start_next();
  }
  Choice choice;
  while (!stopped_) {
    if (interrupted()) {
      interrupted_ = stopped_ = true;
      break;
    }
    if (config_.progress != nullptr) {
      progress_.turn(*config_.progress, counters_.warp_instructions);
    }
    if (beside_.joined() && (beside_.failed() || !recorder_.empty())) {
      stopped_ = true;
      break;
    }
    if (blocks_.empty() && recorder_.empty() &&
        beside_.pays(next_block_, block_count_ - next_block_, counters_.warp_instructions)) {
      run_beside_others();
    }
    while (next_block_ < block_count_ &&
           (blocks_.size() < wanted ||
            (clusters_.any() && next_block_ % clusters_.shape().count() != 0))) {
      start_next();
    }
    if (blocks_.empty()) break;
    if (scheduler_->choose(residents_, choice)) {
      const Block& b = *residents_.blocks[choice.resident];
      const bool done = choice.followers != 0 && tries_together_ && run_together(choice);
      if (!done && shadow_ == nullptr && table_ == nullptr) {
        const std::uint64_t wakes = residents_.wakes;
        do {
          step<Watch::none>(choice);
        } while (residents_.wakes == wakes && next_warp(b, choice));
      } else if (!done) {
        shadow_ != nullptr ? step<Watch::shadow>(choice) : step<Watch::counters>(choice);
      }
      if (b.exited_threads == b.threads) retire_finished();
      continue;
    }
    if (launch_before_.is_due()) {
      // No thread can go on without the launch before; more blocks may still begin ahead of it.
      if (next_block_ < block_count_ && blocks_.size() < resident_limit)
        start_next();
      else
        run_launch_before();
      continue;
    }
    // Nobody is ready: either all have used up their turn, or all wait.
    bool spinning = false;
    ++residents_.wakes;
    for (auto* b : residents_.blocks) {
      for (auto& w : b->warps) {
        w.turn = w.instructions;
        for (std::uint32_t f = 0; f < w.subwarp_count; ++f) {
          spinning |= w.subwarps[f].state == Subwarp::State::runnable;
          w.subwarps[f].spent = 0;
        }
      }
    }
    if (!spinning) {
      deadlocks_.report(residents_.blocks, clusters_);
      break;
    }
    beside_.turn_ended();
    if (next_block_ == block_count_ &&
        deadlocks_.grid_barrier_is_stuck(residents_.blocks, workspace_, standstill_.changes)) {
      break;
    }
    if (next_block_ < block_count_ && blocks_.size() < resident_limit) {
      start_next();
    } else if (deadlocks_.stands_still(
                   residents_.blocks, counters_.warp_instructions, standstill_,
                   [this](const Warp& w, std::uint32_t first, std::uint32_t last,
                          std::uint32_t lanes) { return reads_arrays(w, first, last, lanes); })) {
      break;
    }
  }
}

void Engine::run_beside_others() {
  const auto help = [this](const LaunchConfig& config, Split& split, Split::Thread& thread) {
    Engine engine(kernel_, state_, config);
    engine.origins_.begin_with(origins_);
    engine.run_pieces(split, thread);
  };
  if (beside_.run(first_block_ + next_block_, block_count_ - next_block_, *accesses_, counters_,
                  origins_, help)) {
    next_block_ = block_count_;
  }
}

void Engine::run_pieces(Split& split, Split::Thread& thread) {
  beside_.join(split, thread);
  while (const Split::Piece* const piece = beside_.next_piece()) {
    first_block_ = piece->first_block;
    block_count_ = piece->blocks;
    next_block_ = 0;
    run_blocks();
    if (stopped_ || !recorder_.empty()) beside_.fail();
  }
  thread.counters = counters_;
  thread.origins = origins_.all();
}

LaunchReport Engine::run() {
  // Launches that were taken back had the same numbers.
  auto& stories = memory_.stories;
  stories.erase(stories.upper_bound(memory_.origins), stories.end());
  run_blocks();
  if (launch_before_.is_due()) run_launch_before();
  LaunchReport report;
  report.interrupted = interrupted_;
  report.beside = beside_.blocks();
  keep_stories();
  memory_.origins += static_cast<std::uint32_t>(origins_.size());
  if (shadow_ != nullptr && races_ != nullptr) shadow_->note_kinder_rules(races_->kinder_rules());
  report.completed = !stopped_ && blocks_.empty();
  report.findings = recorder_.take();
  report.counters = counters_;
  report.counters.launches = 1;
  if (!report.interrupted) scheduler_->end();
  if (table_ != nullptr) {
    auto& profile = *config_.profile;
    profile.entry = kernel_.name;
    profile.grid = config_.grid;
    profile.block = config_.block;
    profile.static_shared = static_cast<std::uint32_t>(kernel_.shared_bytes);
    profile.dynamic_shared = config_.shared_bytes;
    table_->report(profile);
  }
  report.schedule =
      recording_ != nullptr ? replay_spelling({recording_->recorded()}) : config_.schedule;
  return report;
}

}  // namespace gauntlet::simt
