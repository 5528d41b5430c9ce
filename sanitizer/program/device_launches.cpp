// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/device_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "machine/code/code.hpp"
#include "machine/engine/module.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/ending.hpp"

namespace gauntlet::runtime {
namespace {

/// Levels of launches, the host's among them: 24 in the CUDA C++ Programming Guide, and more than
/// 200 on an H100. Each is a launch on this thread's stack.
constexpr unsigned most_levels = 256;

/// Streams of one launch that are told from each other; what is launched into more of them counts
/// as launched into the last one.
constexpr std::size_t most_streams = 1024;

/// A kernel of the device runtime itself, whose threads leave before its barriers where there is
/// nothing for them to do.
bool copies_or_fills(const Kernel& kernel) {
  const std::string_view name = ptx::without_unit(kernel.symbol);
  return name.starts_with("_Z16memcpy_3d_device") || name.starts_with("_Z16memset_3d_device");
}

}  // namespace

Kernel* DeviceLaunches::kernel_at(std::uint64_t address) const {
  LoadedModule& module = *launcher_.module;
  const std::string_view name = simt::function_at(*module.code, address);
  if (name.empty()) return nullptr;
  if (name == launcher_.symbol) return &launcher_;
  for (auto& [stub, kernel] : state_.kernels_) {
    if (kernel.module == &module && kernel.symbol == name) return &kernel;
  }
  return state_.kernel_of(module, name);
}

std::optional<std::uint32_t> DeviceLaunches::parameter_bytes(std::uint64_t address) {
  Kernel* const kernel = kernel_at(address);
  if (kernel == nullptr || !state_.ready(*kernel)) return std::nullopt;
  return kernel->code->param_bytes;
}

cudaError_t DeviceLaunches::run(const Request& request, Launched& launched,
                                std::deque<Tail>* tails) {
  Kernel* const kernel = kernel_at(request.kernel);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  // What comes at a grid's end does not lie inside it.
  const unsigned level = tails == nullptr ? depth_ + 1 : depth_;
  if (level >= most_levels) return cudaErrorLaunchMaxDepthExceeded;
  if (!state_.ready(*kernel)) return cudaErrorNotSupported;
  LaunchShape shape;
  shape.grid = request.grid;
  shape.block = request.block;
  shape.shared_bytes = request.shared_bytes;
  if (const auto error = state_.refuse_shape(*kernel, shape); error != cudaSuccess) return error;
  simt::LaunchConfig config;
  state_.configure(config, *kernel, shape);
  const auto params = request.params.first(*parameter_bytes(request.kernel));
  config.params.assign(params.begin(), params.end());
  config.print = config_.print;
  config.jobs = config_.jobs;
  config.interrupted = config_.interrupted;
  config.memory = config_.memory;
  config.launch_index = static_cast<std::uint32_t>(state_.launches_++);
  const bool checked = state_.checks(*kernel);
  config.races = config.races && checked;
  simt::AccessMap accesses;
  if (config.races) config.accesses = &accesses;
  DeviceLaunches inside(state_, *kernel, config, level);
  config.runtime = &inside;
  state_.launchers_.push_back(
      fmt::format("launched by {}, in block {}",
                  launch_text(ptx::short_name(launcher_.signature()), config_.grid, config_.block),
                  request.from_block));
  simt::LaunchReport report = simt::launch(*kernel->module->state, config);
  if (tails != nullptr) {
    *tails = std::move(inside.waiting_);
  } else {
    inside.run_tails();
  }
  if (copies_or_fills(*kernel)) {
    std::erase_if(report.findings, [](const Finding& finding) {
      return finding.kind == FindingKind::partial_barrier;
    });
  }
  state_.settle(*kernel, config, std::move(report), checked, false, nullptr);
  state_.launchers_.pop_back();
  launched.call = kernel->call(config.grid, config.block);
  launched.stream = request.stream;
  launched.block = request.from_block;
  launched.accesses = accesses.take();
  launched.inside = std::move(inside.launched_);
  launched.tails = std::move(inside.tails_);
  return cudaSuccess;
}

void DeviceLaunches::add_accesses(const Launched& of, Accesses& to) {
  to.insert(to.end(), of.accesses.begin(), of.accesses.end());
  for (const Launched& one : of.inside) add_accesses(one, to);
  for (const Launched& one : of.tails) add_accesses(one, to);
}

DeviceLaunches::Done DeviceLaunches::launch(const Request& request) {
  if (request.stream == simt::tail_stream) {
    waiting_.push_back({request, {request.params.begin(), request.params.end()}});
    return {};
  }
  Launched launched;
  Done done;
  done.error = run(request, launched, nullptr);
  if (done.error != cudaSuccess) return done;
  add_accesses(launched, done.accesses);
  launched_.push_back(std::move(launched));
  return done;
}

bool DeviceLaunches::set_condition(std::uint64_t handle, std::uint32_t value) {
  const auto found = state_.conditions.find(handle);
  if (found == state_.conditions.end()) return false;
  found->second.value = value;
  return true;
}

void DeviceLaunches::run_tails() {
  while (!waiting_.empty() && state_.sticky == cudaSuccess) {
    Tail tail = std::move(waiting_.front());
    waiting_.pop_front();
    tail.request.params = tail.params;
    Launched launched;
    std::deque<Tail> its_own;  // which come before those of this grid that are left
    if (run(tail.request, launched, &its_own) != cudaSuccess) continue;
    waiting_.insert(waiting_.begin(), std::make_move_iterator(its_own.begin()),
                    std::make_move_iterator(its_own.end()));
    tails_.push_back(std::move(launched));
  }
}

void DeviceLaunches::note_inside(const std::vector<Launched>& inside,
                                 const std::vector<Launched>& tails, const Operation& root,
                                 Party party, std::size_t& used) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Party> streams;
  std::uint64_t forgotten = 0;
  std::vector<Party>& known = state_.parties_inside_[root.party];
  const SharedClock begin = state_.order.clock(party);
  for (const Launched& one : inside) {
    const bool own = one.stream == simt::forgotten_stream;
    const std::uint64_t part = own ? ++forgotten : one.stream < simt::first_stream ? one.block : 0;
    const auto [found, fresh] = streams.try_emplace({one.stream, part}, Party{});
    if (fresh) {
      if (used == known.size() && used < most_streams) {
        known.push_back(state_.order.add(fmt::format("stream {} of a kernel", used + 1),
                                         StreamOrder::Kind::node));
      }
      found->second = known[std::min(used++, most_streams - 1)];
    }
    note(one, root, found->second, begin, used);
  }
  for (const auto& [stream, of] : streams) state_.order.wait(party, state_.order.clock(of));
  for (const Launched& one : tails) note(one, root, party, nullptr, used);
}

void DeviceLaunches::note(const Launched& launched, const Operation& root, Party party,
                          const SharedClock& behind, std::size_t& used) {
  const auto operation = state_.order.begin(party, launched.call, root.where, behind);
  for (const auto& [array, ranges] : launched.accesses) {
    state_.order.access(operation, array, ranges);
  }
  note_inside(launched.inside, launched.tails, root, party, used);
}

void DeviceLaunches::note(const OperationPtr& operation) {
  std::size_t used = 0;
  note_inside(launched_, tails_, *operation, operation->party, used);
}

}  // namespace gauntlet::runtime
