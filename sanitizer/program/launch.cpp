// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch: what CUDA would refuse, the run, and what is made of its findings.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>

#include "base/host_memory.hpp"
#include "base/text/progress.hpp"
#include "base/text/text.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/module.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/device.hpp"
#include "sanitizer/program/device_launches.hpp"
#include "sanitizer/program/ending.hpp"
#include "sanitizer/program/other_orders.hpp"
#include "sanitizer/program/recording.hpp"
#include "sanitizer/program/save.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

/// What a GPU reports after a launch with such findings; cudaSuccess: it goes on. An overrun by
/// some elements is mostly not noticed there.
cudaError_t error_of(const simt::LaunchReport& report) {
  constexpr std::pair<FindingKind, cudaError_t> ends[] = {
      {FindingKind::unallocated, cudaErrorIllegalAddress},
      {FindingKind::misaligned, cudaErrorMisalignedAddress},
      {FindingKind::illegal_instruction, cudaErrorIllegalInstruction},
      {FindingKind::assertion, cudaErrorAssert},
      {FindingKind::step_limit, cudaErrorLaunchTimeout},
      {FindingKind::deadlock, cudaErrorLaunchTimeout}};
  for (const Finding& finding : report.findings) {
    for (const auto& [kind, error] : ends) {
      if (finding.kind == kind) return error;
    }
  }
  return report.completed ? cudaSuccess : cudaErrorLaunchFailure;
}

/// Launches of one kernel that run in other orders too.
constexpr unsigned most_launches_in_other_orders = 4;

/// Names and files as reports show them.
void as_told(Finding& finding, const Kernel& kernel) {
  finding.array = shown_name(finding.array);
  finding.kernel = kernel.signature();
  finding.at.file = shortened(std::move(finding.at.file));
  if (finding.other) finding.other->file = shortened(std::move(finding.other->file));
}

std::string shown_launch(const Kernel& kernel, const simt::LaunchConfig& config) {
  return launch_text(ptx::short_name(kernel.signature()), config.grid, config.block);
}

/// How far a launch has come that takes a while.
class ProgressLine {
 public:
  ProgressLine(const Kernel& kernel, simt::LaunchConfig& config)
      : blocks_(config.grid.count()), kernel_(ptx::short_name(kernel.signature())) {
    config.progress = &progress_;
    progress_.tell = [this] { tell(); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  void tell() {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    constexpr double a_while = 2;
    if (seconds < a_while) return;
    const auto speed = static_cast<double>(progress_.warp_instructions) / seconds / 1e6;
    // Blocks that had to run again have ended twice.
    line_.update(std::min<std::uint64_t>(progress_.blocks, blocks_), blocks_, 0,
                 fmt::format("{:.1f} M warp instructions/s  {:.30}", speed, kernel_));
  }
  std::uint64_t blocks_;
  std::string kernel_;
  Clock::time_point begin_ = Clock::now();
  simt::LaunchProgress progress_;
  Progress line_{true, "blocks"};
};

}  // namespace

void State::tell_no_room(const Kernel& kernel, const simt::LaunchConfig& config) {
  if (!config.races || !config.memory->full() || told_no_room_) return;
  told_no_room_ = true;
  Report::say(fmt::format(
      "races were looked for in the beginning of launch {} only, of {}, and may be in others with "
      "such arrays: what the detector keeps of their bytes took half of the memory that is free; "
      "--no-races leaves races out everywhere",
      config.launch_index + 1, shown_launch(kernel, config)));
}

cudaError_t State::refuse_shape(const Kernel& kernel, const LaunchShape& shape) const {
  const simt::Kernel& code = *kernel.code;
  const auto threads = shape.block.count();
  if (threads == 0 || threads > 1024 || shape.block.x > 1024 || shape.block.y > 1024 ||
      shape.block.z > 64 || shape.grid.count() == 0 || shape.grid.x > 0x7FFF'FFFF ||
      shape.grid.y > 65535 || shape.grid.z > 65535) {
    return cudaErrorInvalidValue;  // as runtime 13.0 on an H100; older ones: InvalidConfiguration
  }
  if (code.max_threads != 0 && threads > code.max_threads) return cudaErrorLaunchOutOfResources;
  const std::uint64_t usual =
      shared_per_block - std::min<std::uint64_t>(shared_per_block, code.shared_bytes);
  const std::uint64_t most = kernel.most_dynamic_shared >= 0
                                 ? static_cast<std::uint64_t>(kernel.most_dynamic_shared)
                                 : usual;
  const std::uint64_t shared = shape.shared_bytes + code.shared_bytes;
  if (shape.shared_bytes > std::max(most, usual) ||
      (shared > shared_per_block && shared > architecture(options.arch).shared_per_block)) {
    return cudaErrorInvalidValue;
  }
  const Dim3 cluster = simt::cluster_of(code, shape.cluster);
  constexpr std::uint64_t usual_cluster = 8, large_cluster = 16;
  if (cluster.count() > (kernel.large_clusters ? large_cluster : usual_cluster)) {
    return cudaErrorInvalidClusterSize;
  }
  if (shape.grid.x % cluster.x != 0 || shape.grid.y % cluster.y != 0 ||
      shape.grid.z % cluster.z != 0) {
    return cudaErrorInvalidClusterSize;
  }
  if (shape.cooperative &&
      shape.grid.count() > std::uint64_t{multiprocessors} *
                               resident_blocks(options.arch, code, threads, shape.shared_bytes)) {
    return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

bool State::ready(Kernel& kernel) {
  const bool runs = decode(kernel);
  if (kernel.in_report == ~std::size_t{0}) {
    kernel.in_report = report.process.kernels.size();
    report.process.kernels.push_back({.name = kernel.signature(), .refused = kernel.refused});
  }
  return runs;
}

void State::configure(simt::LaunchConfig& config, const Kernel& kernel,
                      const LaunchShape& shape) const {
  config.entry = kernel.symbol;
  config.grid = shape.grid;
  config.block = shape.block;
  config.shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);
  config.cluster = shape.cluster;
  config.cooperative = shape.cooperative;
  config.schedule = options.schedule;
  config.races = options.races;
  config.step_limit = options.step_limit;
  config.may_be_long = true;
}

cudaError_t State::prepare(Kernel& kernel, const LaunchShape& shape, void** arguments, Work& work,
                           bool unread, bool later) {
  if (!ready(kernel)) return cudaErrorNotSupported;
  if (const cudaError_t error = refuse_shape(kernel, shape); error != cudaSuccess) return error;
  configure(config_, kernel, shape);
  config_.params.assign(kernel.code->param_bytes, std::byte{});
  for (const simt::Param& one : kernel.code->params) {
    std::memcpy(config_.params.data() + one.offset, *arguments++, one.bytes);
  }
  work.call = kernel.call(shape.grid, shape.block);
  work.type = cudaGraphNodeTypeKernel;
  // Devices below 9.0 ignore the attribute, and no PTX below sm_90 can trigger: there the next
  // launch begins when this one has ended (measured on an H100).
  work.overlap = {shape.programmatic && options.arch >= first_programmatic,
                  kernel.module->arch_of(kernel.symbol) >= first_programmatic};
  if (later) {
    work.run = [of = &kernel, config = config_, unread](State& s,
                                                        const OperationPtr& operation) mutable {
      s.run(*of, config, operation, unread);
    };
  } else {
    work.run = [of = &kernel, unread](State& s, const OperationPtr& operation) {
      s.run(*of, s.config_, operation, unread);
    };
  }
  return cudaSuccess;
}

void State::launch(Kernel& kernel, const LaunchShape& shape, void** arguments, bool unread) {
  Work work;
  const Stream* const to = stream(shape.stream);
  const bool later = to != nullptr && to->capture != nullptr;
  const cudaError_t error = prepare(kernel, shape, arguments, work, unread, later);
  if (error != cudaSuccess && error != cudaErrorNotSupported) failed_launch(kernel, error, unread);
  require(error);
  put(shape.stream, std::move(work));
}

bool State::checks(Kernel& kernel) {
  if (launches_ < options.first_launch || launches_ > options.last_launch) return false;
  if (options.kernels.empty()) return true;
  if (!kernel.wanted) {
    kernel.wanted = std::regex_search(kernel.signature(), std::regex(options.kernels));
  }
  return *kernel.wanted;
}

void State::run(Kernel& kernel, simt::LaunchConfig& config, const OperationPtr& operation,
                bool unread) {
  if (recording != nullptr) return recording->launch(*this, kernel, config);
  config.launch_index = static_cast<std::uint32_t>(launches_++);
  config.jobs = jobs_;
  const bool checked = checks(kernel);
  // Of the others, too, what they access is compared with other streams and the host.
  const bool compared = options.races && checked;
  const Dim3 &grid = config.grid, &block = config.block;
  Kernel::Alike* const alike =
      compared
          ? &kernel.alike[{grid.x, grid.y, grid.z, block.x, block.y, block.z, config.shared_bytes}]
          : nullptr;
  const bool is_due = compared && alike->is_due(options.sample);
  MemoryLimit limit;
  config.memory = &limit;
  heap.before_launch();
  // So that it is no array that this launch makes, and as any such launch finds it.
  if (config.cooperative) simt::grid_workspace(heap.memory);
  const Repeat::Done* known = nullptr;  // what it accesses
  if (compared) {
    Repeat* const before = launches_before(kernel, alike->repeats, config, *operation);
    if (before != nullptr) {
      const Repeat::Done* const done = before->again(heap.memory);
      if (done != nullptr) return repeat(kernel, config, *done, operation);
      known = same_accesses(kernel, *before);
    }
  }
  config.races = is_due && known == nullptr;
  const simt::AccessMap::Counted counted(accesses_, limit), early(early_accesses_, limit);
  std::optional<SavedLaunch> saved;
  if (!options.save_launches.empty()) {
    saved.emplace(heap, kernel.symbol, config.params, kernel.code->params);
  }
  std::string printed;
  config.print = [&](const std::string& text) { printed += text; };
  simt::LaunchReport launched;
  std::vector<OtherOrder> others;
  simt::LaunchSteps steps;
  const UnderWay under_way;
  config.interrupted = &told_to_end();
  static const bool terminal = is_terminal(STDERR_FILENO);
  auto line = terminal ? std::make_unique<ProgressLine>(kernel, config) : nullptr;
  std::unique_ptr<DeviceLaunches> inside;
  if (std::ranges::any_of(kernel.code->system_calls, &simt::SystemCall::of_runtime)) {
    inside = std::make_unique<DeviceLaunches>(*this, kernel, config, 0);
  }
  config.runtime = inside.get();
  config.accesses = compared && known == nullptr ? &accesses_ : nullptr;
  const bool looks_before = config.races && operation->overlaps;
  config.early_accesses = looks_before ? &early_accesses_ : nullptr;
  config.steps = looks_before ? &steps : nullptr;
  try {
    std::optional<Snapshot> before;
    // What it launches inside cannot be undone.
    if (checked && options.other_orders && !inside &&
        kernel.in_other_orders < most_launches_in_other_orders) {
      ++kernel.in_other_orders;
      if (order_matters(*kernel.module->state, config)) before.emplace(heap.memory);
    }
    launched = simt::launch(*kernel.module->state, config);
    if (inside) inside->run_tails();
    if (before && launched.completed && before->same_arrays()) {
      others = in_other_orders(*kernel.module->state, config, *before,
                               launched.counters.warp_instructions);
    }
  } catch (const std::invalid_argument& error) {
    Report::say(
        fmt::format("{} is not launched: {}", ptx::short_name(kernel.signature()), error.what()));
    failed_launch(kernel, cudaErrorLaunchOutOfResources, unread);
    throw Refusal{cudaErrorLaunchOutOfResources};
  } catch (const std::bad_alloc&) {
    end(fmt::format("not enough host memory for a launch of {}; --no-races takes less",
                    ptx::short_name(kernel.signature())));
  }
  config.progress = nullptr;
  line.reset();
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  tell_no_room(kernel, config);
  if (alike != nullptr) {
    ++alike->launches;
    alike->findings |= !launched.findings.empty();
  }
  const std::uint64_t instructions = launched.counters.warp_instructions;
  operation->tells_host |= known != nullptr ? known->tells_host : accesses_.tells_host();
  Touched touched = known != nullptr ? known->touched : accesses_.take();
  if (is_due && !limit.full() && sticky == cudaSuccess && error_of(launched) == cudaSuccess) {
    keep_for_repeats(kernel, alike->repeats, config, *operation, launched, touched);
  }
  settle(kernel, config, std::move(launched), checked, compared != is_due && known == nullptr,
         saved ? &*saved : nullptr);
  for (OtherOrder& other : others) {
    std::erase_if(other.report.findings, [&](Finding one) {
      as_told(one, kernel);
      return report.knows(one);
    });
    if (other.report.findings.empty()) continue;
    keep_findings(kernel, other.config, std::move(other.report), saved ? &*saved : nullptr);
  }
  if (told_to_end()) {
    Report::say(fmt::format("{} was interrupted, launch {}, after {} warp instructions",
                            shown_launch(kernel, config), config.launch_index + 1, instructions));
    report.write();
    end_as_told();
  }
  if (config.steps != nullptr) {
    operation->steps = steps;
    for (const auto& [array, ranges] : early_accesses_.take()) {
      order.early_access(operation, array, ranges);
    }
  } else {
    // What was not looked at counts as waiting first of all.
    operation->steps = {.waits = true, .begins_next_at_once = false};
  }
  for (auto& [array, ranges] : touched) order.access(operation, array, std::move(ranges));
  if (inside) inside->note(operation);
  // As on a GPU the launch itself succeeds: whoever comes next meets the error.
}

void State::settle(Kernel& kernel, const simt::LaunchConfig& config, simt::LaunchReport&& launched,
                   bool checked, bool unsampled, const SavedLaunch* saved) {
  KernelCount& count = report.process.kernels[kernel.in_report];
  ++count.launches;
  count.unchecked += checked ? 0 : 1;
  count.unsampled += unsampled ? 1 : 0;
  count.in_part += config.races && config.memory->full() ? 1 : 0;
  count.warp_instructions += launched.counters.warp_instructions;
  report.write_at_times();
  const cudaError_t error = error_of(launched);
  if (sticky == cudaSuccess) sticky = error;  // else that of a kernel that it launched
  // What ends the context is told of any launch.
  if (!checked && error == cudaSuccess) launched.findings.clear();
  if (!launched.findings.empty()) keep_findings(kernel, config, std::move(launched), saved);
}

void State::keep_findings(Kernel& kernel, const simt::LaunchConfig& config,
                          simt::LaunchReport&& launched, const SavedLaunch* saved) {
  std::vector<KernelFinding> findings;
  for (Finding& finding : launched.findings) {
    KernelFinding one;
    one.launch = config.launch_index + 1;
    one.grid = config.grid;
    one.block = config.block;
    if (const Array* const array = heap.named(finding.array)) one.notes = heap.story(*array);
    if (!launchers_.empty()) one.notes.push_back(launchers_.back());
    if (config.schedule != options.schedule) {
      one.notes.push_back(
          fmt::format("in the order {}, in which threads may run just as well", config.schedule));
    }
    as_told(finding, kernel);
    one.finding = std::move(finding);
    findings.push_back(std::move(one));
  }
  const auto any_new = [&] {
    return std::ranges::any_of(
        findings, [&](const KernelFinding& one) { return !report.knows(one.finding); });
  };
  bool fresh = any_new();
  // Looking up lines takes a while: only for what is told.
  if (fresh) {
    const std::vector<Frame> stack = frames(trace(), kernel.signature());
    for (KernelFinding& one : findings) one.stack = stack;
    if (report.may_leave_out()) {
      std::erase_if(findings, [&](const KernelFinding& one) { return report.leaves_out(one); });
      fresh = any_new();
    }
  }
  report.add(kernel.in_report, std::move(findings));
  if (!fresh || saved == nullptr) return;
  const auto folder = std::filesystem::path(options.save_launches) /
                      fmt::format("{}-launch-{}", report.process.process, config.launch_index + 1);
  try {
    Report::say(saved->write(folder, kernel.module->code->ast.text, config));
  } catch (const std::exception& error) {
    end(fmt::format("--save-launch: {}", error.what()));
  }
}

}  // namespace gauntlet::runtime
