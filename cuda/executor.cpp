// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/scalar.hpp"
#include "kernels/images.hpp"
#include "launch/case_run.hpp"
#include "oracle/data.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;  // more than any GPU holds

std::uint32_t entry_index(std::string_view name) {
  static const std::unordered_map<std::string_view, std::uint32_t> indices = [] {
    std::unordered_map<std::string_view, std::uint32_t> result;
    for (const kernels::Entry& entry : kernels::entries()) {
      result.emplace(entry.name, static_cast<std::uint32_t>(result.size()));
    }
    return result;
  }();
  const auto found = indices.find(name);
  if (found == indices.end()) throw CaseError(fmt::format("no compiled kernel is called {}", name));
  return found->second;
}

std::unique_ptr<Pool> open_pool(const ExecutorOptions& options, unsigned gpu) {
  PoolOptions pool = options.pool;
  pool.worker = {options.program, "worker", "--gpu", std::to_string(gpu)};
  return std::make_unique<Pool>(std::move(pool));
}

std::string first_kernel(const Plan& plan) {
  return plan.launches.empty() ? std::string{} : plan.launches.front().entry;
}

std::string elements(std::uint64_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

/// The schedule means nothing to a GPU.
std::string fault_key(Case c) {
  c.schedule = "lockstep";
  return to_string(c);
}

/// What changed in a buffer that should not have.
void add_damage(const Damage& damage, const std::string& array, const Plan& plan,
                std::vector<Finding>& findings) {
  Finding finding;
  finding.kernel = first_kernel(plan);
  finding.array = array;
  finding.size = damage.unit;
  if (damage.inside != 0) {
    finding.kind = FindingKind::write_to_input;
    finding.index = damage.first_inside;
    finding.count = damage.inside;
    finding.detail = fmt::format("{} differed after the run", elements(damage.inside));
    findings.push_back(finding);
  }
  if (damage.outside != 0) {
    finding.kind = FindingKind::out_of_bounds_write;
    finding.index = damage.first_outside;
    finding.count = damage.outside;
    finding.detail =
        fmt::format("guard cells around the buffer changed, {} in all", elements(damage.outside));
    findings.push_back(finding);
  }
}

}  // namespace

struct GpuExecutor::Pending {
  Case c;
  Plan plan;
  std::string refused;
  std::optional<Finding> known;  ///< it has faulted before
  Job job;
  Pool* pool = nullptr;  ///< of the GPU that runs it, and runs it again
  std::future<Answer> answer;
};

Job make_job(const Case& c, const Plan& plan) {
  Job job;
  job.recipe = make_recipe(c);
  job.zero_tail = c.tail == Tail::zero;
  job.input_may_change = plan.input_may_change;
  job.offset = plan.takes_input ? c.offset : 0;
  job.allocated = c.tail == Tail::unmapped ? c.n : std::max(c.n, plan.padded);
  job.identity = identity_bits(c.acc, c.op);
  for (const Buffer& buffer : plan.buffers) {
    job.buffers.push_back({buffer.bytes, std::max(1U, buffer.element_bytes), buffer.fill,
                           buffer.content, buffer.offset, buffer.read_only});
  }
  for (const Launch& launch : plan.launches) {
    JobLaunch travelling;
    static_cast<Launch&>(travelling) = launch;
    if (is_ptx_file(launch.module)) {
      travelling.file = launch.module;
      travelling.kernel = launch.entry;
    } else {
      travelling.index = entry_index(launch.entry);
    }
    job.launches.push_back(std::move(travelling));
  }
  for (const Observed& observed : plan.observed) {
    JobObserved seen;
    seen.cells = observed.cells;
    seen.cell_bytes = static_cast<std::uint32_t>(size_of(observed.type.value_or(c.acc)));
    const auto found = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                    [&](const auto& b) { return b.name == observed.buffer; });
    if (found != plan.buffers.end()) {
      seen.buffer = static_cast<std::uint32_t>(found - plan.buffers.begin());
    } else {
      seen.symbol = observed.buffer;
    }
    job.observed.push_back(std::move(seen));
  }
  return job;
}

std::string describe(const Hello& hello) {
  return fmt::format("{}, sm_{}{}, {:.0f} GiB, driver for CUDA {}.{}, runtime {}.{}", hello.device,
                     hello.major, hello.minor, static_cast<double>(hello.memory) / (1 << 30),
                     hello.driver / 1000, hello.driver % 1000 / 10, hello.runtime / 1000,
                     hello.runtime % 1000 / 10);
}

std::string lacks_instructions(std::uint32_t capability, const Hello& device) {
  if (capability <= 10 * device.major + device.minor) return {};
  return fmt::format(
      "the kernel needs compute capability {}.{} for its instructions, this GPU has {}.{}; use "
      "--on simt, or a later GPU",
      capability / 10, capability % 10, device.major, device.minor);
}

GpuExecutor::GpuExecutor(ExecutorOptions options) {
  if (!options.gpus.empty()) {
    for (const unsigned gpu : options.gpus) pools_.push_back(open_pool(options, gpu));
    return;
  }
  pools_.push_back(open_pool(options, 0));
  for (unsigned gpu = 1; gpu < pools_.front()->device().devices; ++gpu) {
    pools_.push_back(open_pool(options, gpu));
  }
}

PoolStats GpuExecutor::stats() const {
  PoolStats sum;
  for (const auto& pool : pools_) {
    const PoolStats one = pool->stats();
    sum.jobs += one.jobs;
    sum.answers += one.answers;
    sum.batches += one.batches;
    sum.workers += one.workers;
    sum.reruns += one.reruns;
    sum.faults += one.faults;
    sum.hangs += one.hangs;
    sum.crashes += one.crashes;
    sum.fault_seconds += one.fault_seconds;
  }
  return sum;
}

std::vector<long> GpuExecutor::workers() const {
  std::vector<long> ids;
  for (const auto& pool : pools_) {
    const std::vector<long> some = pool->workers();
    ids.insert(ids.end(), some.begin(), some.end());
  }
  return ids;
}

Observation GpuExecutor::run(const Case& c, const Plan& plan) { return finish(begin(c, plan)); }

std::vector<Observation> GpuExecutor::run_all(std::span<const Case> cases,
                                              const std::function<Plan(const Case&)>& plan) {
  std::vector<Pending> pending;
  pending.reserve(cases.size());
  for (const Case& c : cases) pending.push_back(begin(c, plan(c)));
  std::vector<Observation> observations;
  observations.reserve(cases.size());
  for (Pending& one : pending) observations.push_back(finish(std::move(one)));
  return observations;
}

GpuExecutor::Pending GpuExecutor::begin(const Case& c, Plan plan) {
  Pending pending;
  pending.c = c;
  pending.plan = std::move(plan);
  pending.refused = pending.plan.refusal;
  if (pending.refused.empty() && c.block_count != 0) {
    pending.refused = "blocks=FIRST+COUNT: a GPU runs all blocks of a launch; use --on simt";
  }
  if (pending.refused.empty()) {
    pending.refused = lacks_instructions(pending.plan.capability, pools_.front()->device());
  }
  // Beyond this, bytes are more than 64 bits count.
  if (pending.refused.empty() && c.n > most_elements) {
    pending.refused = fmt::format("not enough GPU memory: n={}", c.n);
  }
  if (!pending.refused.empty()) return pending;
  {
    const std::lock_guard lock(mutex_);
    const auto found = faults_.find(fault_key(c));
    if (found != faults_.end()) pending.known = found->second;
  }
  if (pending.known) return pending;
  pending.job = make_job(c, pending.plan);
  pending.pool = pools_[next_++ % pools_.size()].get();
  pending.answer = pending.pool->submit(pending.job, is_risky(c));
  return pending;
}

Observation GpuExecutor::finish(Pending pending) {
  Observation result;
  result.schedule = pending.c.schedule;
  result.refused = pending.refused;
  if (!result.refused.empty()) return result;
  if (pending.known) {
    result.findings.push_back(*pending.known);
    return result;
  }
  Answer answer = pending.answer.get();
  if (answer.kind == Answer::Kind::stopped) throw std::runtime_error(answer.error);
  if (answer.kind == Answer::Kind::too_big) {
    result.refused = "not enough GPU memory: " + answer.error;
    return result;
  }
  result.counters.launches = pending.plan.launches.size();
  if (answer.kind != Answer::Kind::done) {
    result.findings.push_back(explain(pending, answer));
    const std::lock_guard lock(mutex_);
    if (answer.kind != Answer::Kind::rejected) {
      faults_.emplace(fault_key(pending.c), result.findings.back());
    }
    return result;
  }
  result.completed = true;
  find_unwritten(pending, answer);
  add_damage(answer.result.input, "in", pending.plan, result.findings);
  for (std::size_t i = 0; i < answer.result.buffers.size(); ++i) {
    add_damage(answer.result.buffers[i], pending.plan.buffers.at(i).name, pending.plan,
               result.findings);
  }
  for (std::size_t i = 0; i < answer.result.observed.size(); ++i) {
    SeenCells& seen = answer.result.observed[i];
    const Observed& observed = pending.plan.observed.at(i);
    ObservedBuffer buffer;
    buffer.name = observed.buffer;
    buffer.type = observed.type.value_or(pending.c.acc);
    buffer.bytes = std::move(seen.bytes);
    for (const std::uint8_t kept : seen.kept) buffer.defined.push_back(kept == 0);
    const auto first = std::ranges::find(buffer.defined, false) - buffer.defined.begin();
    const auto unwritten = std::ranges::count(buffer.defined, false);
    if (unwritten != 0) {
      result.findings.push_back(unwritten_output(pending.plan, observed, buffer.type,
                                                 static_cast<std::uint64_t>(first),
                                                 static_cast<std::uint64_t>(unwritten)));
    }
    result.buffers.push_back(std::move(buffer));
  }
  return result;
}

/// A cell may by chance hold its poison as a result, so a second pattern is tried.
void GpuExecutor::find_unwritten(const Pending& pending, Answer& answer) {
  const auto any_kept = [](const SeenCells& seen) {
    return std::find(seen.kept.begin(), seen.kept.end(), 1) != seen.kept.end();
  };
  auto& observed = answer.result.observed;
  if (std::none_of(observed.begin(), observed.end(), any_kept)) return;
  Job job = pending.job;
  job.salt = 1;
  const Answer second = pending.pool->submit(std::move(job), is_risky(pending.c)).get();
  if (second.kind != Answer::Kind::done) return;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    for (std::size_t k = 0; k < observed[i].kept.size(); ++k) {
      observed[i].kept[k] &= second.result.observed.at(i).kept.at(k);
    }
  }
}

/// A defective form often faults, and a fault in a batch costs the whole batch another run.
bool GpuExecutor::is_risky(const Case& c) {
  if (c.form != "fixed" && !is_spec(c.variant)) return true;
  const std::lock_guard lock(mutex_);
  return risky_.contains(c.variant + "@" + c.form);
}

/// A CUDA error does not say where it happened. Running the case once more with one thing changed
/// does.
Finding GpuExecutor::explain(const Pending& pending, const Answer& answer) {
  {
    const std::lock_guard lock(mutex_);
    risky_.insert(pending.c.variant + "@" + pending.c.form);
  }
  Finding finding;
  finding.kernel = first_kernel(pending.plan);
  finding.kind = FindingKind::executor_fault;
  finding.detail = answer.error;
  switch (answer.kind) {
    case Answer::Kind::rejected:
      finding.detail = "CUDA refuses the launch: " + answer.error;
      return finding;
    case Answer::Kind::hang:
      finding.detail = "the launch hangs: " + answer.error;
      return finding;
    case Answer::Kind::crash:
      return finding;
    default:
      break;
  }
  Job job = pending.job;
  if (answer.error == "cudaErrorMisalignedAddress") {
    finding.kind = FindingKind::misaligned;
    if (pending.c.offset == 0) return finding;
    job.offset = 0;
    for (JobBuffer& buffer : job.buffers) buffer.offset = 0;
    if (pending.pool->submit(job, true).get().kind == Answer::Kind::done) {
      if (pending.plan.takes_input) {
        finding.array = "in";
        finding.size = static_cast<std::uint32_t>(size_of(pending.c.in));
      }
      finding.detail += fmt::format(": not with offset=0 instead of {}", pending.c.offset);
    }
    return finding;
  }
  if (answer.error != "cudaErrorIllegalAddress") return finding;
  // The array that is opened, and what a read behind it is told as.
  struct Opening {
    Open open;
    std::string array;
    std::int64_t index = 0;
  };
  const std::vector<Buffer>& buffers = pending.plan.buffers;
  std::vector<Opening> openings;
  if (pending.plan.takes_input) {
    openings.push_back({open_only(0), "in", static_cast<std::int64_t>(job.allocated)});
    openings.push_back({open_all, buffers.front().name});
  } else {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto end = buffers[i].bytes / std::max(1U, buffers[i].element_bytes);
      openings.push_back({open_only(i + 1), buffers[i].name, static_cast<std::int64_t>(end)});
    }
    openings.push_back({open_all, {}});
  }
  for (const auto& [open, array, index] : openings) {
    job.open = open;
    const Answer opened = pending.pool->submit(job, true).get();
    if (opened.kind != Answer::Kind::done) continue;
    // With the memory behind it mapped the launch ends, so it was that fence; if it wrote there,
    // the guard pattern shows it.
    finding.kind = FindingKind::out_of_bounds_read;
    finding.array = array;
    const Damage* damage = &opened.result.input;
    for (std::size_t i = 0; open != open_only(0) && i < opened.result.buffers.size(); ++i) {
      if (opened.result.buffers[i].outside == 0) continue;
      damage = &opened.result.buffers[i];
      finding.array = buffers.at(i).name;
      break;
    }
    finding.size = damage->unit;
    finding.index = index;
    if (damage->outside != 0) {
      finding.kind = FindingKind::out_of_bounds_write;
      finding.index = damage->first_outside;
    }
    finding.detail += ": the access lies behind the buffer, where nothing is mapped";
    return finding;
  }
  return finding;
}

}  // namespace gauntlet::cuda
