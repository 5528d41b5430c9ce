// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "gpu/executor/job.hpp"
#include "properties/launch/case_run.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;  // more than any GPU holds
constexpr std::size_t at_once = 64;      // cases that a thread plans before it submits them
constexpr std::size_t under_way = 2048;  // cases planned and not taken, for each launching thread

std::unique_ptr<Pool> open_pool(const ExecutorOptions& options, unsigned gpu) {
  PoolOptions pool = options.pool;
  pool.worker = {options.program,     "worker",      "--gpu",
                 std::to_string(gpu), "--launchers", std::to_string(options.launchers)};
  return std::make_unique<Pool>(std::move(pool));
}

/// The schedule means nothing to a GPU.
std::string fault_key(Case c) {
  c.schedule = "lockstep";
  return to_string(c);
}

}  // namespace

struct GpuExecutor::Pending {
  const Case* c = nullptr;
  const Plan* plan = nullptr;
  std::string refused;
  std::optional<Finding> known;  ///< it has faulted before
  bool careful = false;
  std::size_t pool = 0;    ///< of the GPU that runs it, and runs it again
  std::size_t answer = 0;  ///< its number among that pool's
};

/// Cases under way.
struct GpuExecutor::Flight {
  std::vector<Pending> pending;
  std::vector<std::future<std::vector<Answer>>> answers;  ///< of each pool; may be invalid
};

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
    for_each_field<PoolStats>([&](const auto& count) { sum.*count.member += one.*count.member; });
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

Observation GpuExecutor::run(const Case& c, const Plan& plan) {
  Observation result;
  finish(begin({&c, 1}, {&plan, 1}),
         [&](std::size_t, Observation seen) { result = std::move(seen); });
  return result;
}

void GpuExecutor::run_each(std::span<const Case> cases,
                           const std::function<Plan(const Case&)>& plan, const Take& take,
                           unsigned jobs) {
  struct Begun {
    std::size_t first = 0;
    std::vector<Plan> plans;
    Flight flight;
  };
  const std::size_t wanted = os::thread_count(jobs);
  const std::size_t step = std::clamp<std::size_t>(ceil_div(cases.size(), wanted), 1, at_once);
  const std::size_t threads = std::min<std::size_t>(wanted, ceil_div(cases.size(), step));
  if (threads == 0) return;
  std::size_t launchers = 0;
  for (const auto& pool : pools_) launchers += std::max(1U, pool->device().launchers);
  // So many steps of each thread are under way that no GPU waits for a batch.
  const std::size_t ahead = std::max<std::size_t>(2, launchers * under_way / (step * threads));
  std::atomic<std::size_t> next{0};
  const auto run_some = [&] {
    std::deque<Begun> begun;
    const auto finish_first = [&] {
      Begun first = std::move(begun.front());
      begun.pop_front();
      finish(std::move(first.flight), [&](std::size_t i, Observation seen) {
        take(first.first + i, first.plans[i], std::move(seen));
      });
    };
    for (std::size_t at = 0; (at = next.fetch_add(step)) < cases.size();) {
      Begun& some = begun.emplace_back();
      some.first = at;
      const auto these = cases.subspan(at, std::min(step, cases.size() - at));
      some.plans.reserve(these.size());
      for (const Case& c : these) some.plans.push_back(plan(c));
      some.flight = begin(these, some.plans);
      if (begun.size() > ahead) finish_first();
    }
    while (!begun.empty()) finish_first();
  };
  os::parallel_for(static_cast<unsigned>(threads), threads, [&](std::uint64_t) {
    try {
      run_some();
    } catch (...) {
      next = cases.size();  // the other threads begin no more
      throw;
    }
    return true;
  });
}

GpuExecutor::Flight GpuExecutor::begin(std::span<const Case> cases, std::span<const Plan> plans) {
  Flight flight;
  flight.pending.resize(cases.size());
  std::vector<JobGroup> groups(pools_.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    Pending& pending = flight.pending[i];
    pending.c = &c;
    pending.plan = &plans[i];
    pending.refused = plans[i].refusal;
    if (pending.refused.empty() && c.block_count != 0) {
      pending.refused = "blocks=FIRST+COUNT: a GPU runs all blocks of a launch; use --on simt";
    }
    if (pending.refused.empty()) {
      pending.refused = lacks_instructions(plans[i].capability, pools_.front()->device());
    }
    // Beyond this, bytes are more than 64 bits count.
    if (pending.refused.empty() && c.n > most_elements) {
      pending.refused = fmt::format("not enough GPU memory: n={}", c.n);
    }
    if (!pending.refused.empty()) continue;
    pending.known = known_fault(c);
    if (pending.known) continue;
    pending.careful = is_risky(c);
    pending.pool = next_++ % pools_.size();
    pending.answer = groups[pending.pool].size();
    groups[pending.pool].add(make_job(c, plans[i]), pending.careful);
  }
  flight.answers.resize(pools_.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() != 0) flight.answers[i] = pools_[i]->submit(std::move(groups[i]));
  }
  return flight;
}

void GpuExecutor::finish(Flight flight, const std::function<void(std::size_t, Observation)>& take) {
  std::vector<std::vector<Answer>> answers(flight.answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (flight.answers[i].valid()) answers[i] = flight.answers[i].get();
  }
  for (std::size_t i = 0; i < flight.pending.size(); ++i) {
    Pending& pending = flight.pending[i];
    Answer none;
    const bool ran = pending.refused.empty() && !pending.known;
    take(i, observe(pending, std::move(ran ? answers[pending.pool][pending.answer] : none)));
  }
}

Observation GpuExecutor::observe(const Pending& pending, Answer answer) {
  Observation result;
  result.schedule = pending.c->schedule;
  result.refused = pending.refused;
  if (!result.refused.empty()) return result;
  if (pending.known) {
    result.findings.push_back(*pending.known);
    return result;
  }
  if (answer.kind == Answer::Kind::stopped) throw std::runtime_error(answer.error);
  if (answer.kind == Answer::Kind::failed) pending.plan->host.fail(*pending.c, answer.error);
  if (answer.kind == Answer::Kind::too_big) {
    result.refused = "not enough GPU memory: " + answer.error;
    return result;
  }
  result.counters.launches = pending.plan->launches.size();
  if (answer.kind != Answer::Kind::done) {
    result.findings.push_back(explain(pending, answer));
    const std::lock_guard lock(mutex_);
    if (answer.kind != Answer::Kind::rejected) {
      faults_.emplace(fault_key(*pending.c), result.findings.back());
    }
    return result;
  }
  result.completed = true;
  find_unwritten(pending, answer);
  add_damage(answer.result.input, "in", *pending.plan, result.findings);
  for (std::size_t i = 0; i < answer.result.buffers.size(); ++i) {
    add_damage(answer.result.buffers[i], pending.plan->buffers.at(i).name, *pending.plan,
               result.findings);
  }
  for (std::size_t i = 0; i < answer.result.observed.size(); ++i) {
    SeenCells& seen = answer.result.observed[i];
    const Observed& observed = pending.plan->observed.at(i);
    ObservedBuffer buffer;
    buffer.name = observed.buffer;
    buffer.type = observed.type.value_or(pending.c->acc);
    buffer.bytes = std::move(seen.bytes);
    for (const std::uint8_t kept : seen.kept) buffer.defined.push_back(kept == 0);
    const auto first = std::ranges::find(buffer.defined, false) - buffer.defined.begin();
    const auto unwritten = std::ranges::count(buffer.defined, false);
    if (unwritten != 0) {
      result.findings.push_back(unwritten_output(*pending.plan, observed, buffer.type,
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
  Job job = make_job(*pending.c, *pending.plan);
  job.salt = 1;
  const Answer second = pools_[pending.pool]->submit(job, pending.careful).get();
  if (second.kind != Answer::Kind::done) return;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    for (std::size_t k = 0; k < observed[i].kept.size(); ++k) {
      observed[i].kept[k] &= second.result.observed.at(i).kept.at(k);
    }
  }
}

/// A defective form often faults, and a fault in a batch costs the whole batch another run.
bool GpuExecutor::is_risky(const Case& c) {
  if (lacks_fix(c.form)) return true;
  if (!faulted_) return false;
  const std::lock_guard lock(mutex_);
  return risky_.contains(c.variant + "@" + c.form);
}

std::optional<Finding> GpuExecutor::known_fault(const Case& c) {
  if (!faulted_) return std::nullopt;
  const std::string key = fault_key(c);
  const std::lock_guard lock(mutex_);
  const auto found = faults_.find(key);
  return found == faults_.end() ? std::nullopt : std::optional(found->second);
}

/// A CUDA error does not say where it happened. Running the case once more with one thing changed
/// does.
Finding GpuExecutor::explain(const Pending& pending, const Answer& answer) {
  {
    const std::lock_guard lock(mutex_);
    faulted_ = true;
    risky_.insert(pending.c->variant + "@" + pending.c->form);
  }
  Finding finding;
  finding.kernel = first_kernel(*pending.plan);
  finding.kind = FindingKind::executor_fault;
  finding.detail = answer.error;
  switch (answer.kind) {
    case Answer::Kind::rejected:
      if (pending.plan->host) {
        finding.kind = FindingKind::host_call;
        finding.detail = "CUDA refuses a call that it makes: " + answer.error;
        return finding;
      }
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
  Job job = make_job(*pending.c, *pending.plan);
  if (answer.error == "cudaErrorMisalignedAddress") {
    finding.kind = FindingKind::misaligned;
    if (pending.c->offset == 0) return finding;
    job.offset = 0;
    for (Buffer& buffer : job.buffers) buffer.offset = 0;
    if (pools_[pending.pool]->submit(job, true).get().kind == Answer::Kind::done) {
      if (pending.plan->takes_input) {
        finding.array = "in";
        finding.size = static_cast<std::uint32_t>(size_of(pending.c->in));
      }
      finding.detail += fmt::format(": not with offset=0 instead of {}", pending.c->offset);
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
  const std::vector<Buffer>& buffers = pending.plan->buffers;
  std::vector<Opening> openings;
  if (pending.plan->takes_input) {
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
    const Answer opened = pools_[pending.pool]->submit(job, true).get();
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
