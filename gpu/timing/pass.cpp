// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/pass.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "base/numbers.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/timing/bench.hpp"
#include "gpu/timing/nvml.hpp"
#include "gpu/timing/report/lists.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/host_calls.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t gi_b = std::uint64_t{1} << 30;
constexpr std::uint64_t reserved = 6 * gi_b;  // for the executor's workers and the outputs
/// Up to this many bytes, the host says what the limit must read; beyond, its shapes must agree.
constexpr std::uint64_t words_on_host = 16 << 20;

std::string label(const Configuration& configuration) {
  std::string text(name(configuration.kind));
  if (configuration.kind != Kind::limit && configuration.kind != Kind::cub) {
    text += fmt::format("/{}@{}", configuration.variant, configuration.form);
  }
  text += fmt::format("/{}/{}", pair_text(configuration.types), configuration.n);
  if (configuration.kind == Kind::sweep || configuration.kind == Kind::document) {
    text += fmt::format("/block:{}", configuration.block);
    if (configuration.grid != 0) text += fmt::format("/grid:{}", configuration.grid);
  }
  return text;
}

class Pass {
 public:
  Pass(const PassOptions& options, PassResult& result)
      : options_(options),
        result_(result),
        report_(result.report),
        nvml_(bus_id(0)),
        bench_(report_.device),
        multiprocessors_(report_.device.multiprocessors) {}

  void run(const std::vector<Group>& groups) {
    report_.state.before = nvml_.state();
    report_.device.driver_version = nvml_.driver_version();
    reserve(groups);
    for (const Group& group : groups) total_ += group.configurations.size();
    for (const Group& group : groups) {
      if (cancelled()) break;
      run_group(group);
    }
    report_.state.after = nvml_.state();
    if (!cancelled()) report_.allocation = allocation_costs(options_.repetitions);
    if (!options_.request.quick && options_.request.selectors.empty()) {
      report_.accuracy = accuracies(executor(), [this] { return cancelled(); });
    }
    report_.interrupted = cancelled();
  }

  [[nodiscard]] bool cancelled() const {
    return options_.cancel != nullptr && options_.cancel->load();
  }

 private:
  cuda::GpuExecutor& executor() {
    if (executor_ == nullptr) {
      cuda::ExecutorOptions options;
      options.gpus = {0};
      executor_ = std::make_unique<cuda::GpuExecutor>(options);
    }
    return *executor_;
  }

  void reserve(const std::vector<Group>& groups) {
    std::size_t free = 0, all = 0;
    cuda::check(cudaMemGetInfo(&free, &all));
    memory_ = free > reserved ? free - reserved : 0;
    std::uint64_t most = 0;
    for (const Group& group : groups) {
      const std::uint64_t slots = slots_for(group.types.in, group.n, memory_);
      most = std::max(most, slots * InputSlots::stride(group.types.in, group.n));
    }
    bench_.input.reserve(most);
  }

  void skip(NotTimed what, bool told = true) {
    if (told && options_.note) options_.note(what);
    report_.not_timed.push_back(std::move(what));
  }

  void skip(const Configuration& c, const std::string& why) {
    const std::string form = c.form.empty() ? c.variant : c.variant + "@" + c.form;
    // That a form without a fix is wrong is no news; the table has it.
    skip({form, std::string(gauntlet::name(c.types.in)), std::string(gauntlet::name(c.types.acc)),
          c.n, why},
         c.kind != Kind::fix);
  }

  [[nodiscard]] Case case_of(const Configuration& configuration) const {
    const TypePair types = configuration.types;
    Case c = case_for(configuration.variant, configuration.form, {types.in, types.acc, Op::sum});
    c.n = configuration.n;
    c.block = configuration.block;
    c.grid = configuration.grid;
    c.data = timed_data;
    c.tail = Tail::dirty;
    return c;
  }

  void run_group(const Group& group) {
    const unsigned slots = slots_for(group.types.in, group.n, memory_);
    if (slots == 0) {
      skip({size_text(group.n), std::string(gauntlet::name(group.types.in)),
            std::string(gauntlet::name(group.types.acc)), group.n,
            fmt::format("{} elements of {} do not fit into this GPU's memory", group.n,
                        gauntlet::name(group.types.in))});
      done_ += group.configurations.size();
      return;
    }
    Case elements = case_of(group.configurations.front());
    bench_.input.fill(elements, slots);
    for (const Configuration& configuration : group.configurations) {
      if (cancelled()) return;
      if (options_.progress) options_.progress(done_, total_, label(configuration));
      ++done_;
      try {
        time(configuration);
      } catch (const cuda::Rejected& error) {
        skip(configuration, fmt::format("CUDA refuses the launch: {}", error.what()));
      } catch (const cuda::OutOfMemory& error) {
        skip(configuration, error.what());
      } catch (const WrongResult& error) {
        skip(configuration, fmt::format("its result is wrong: {}", error.what()));
        if (configuration.kind != Kind::fix) result_.as_expected = false;
      }
    }
  }

  void time(const Configuration& configuration) {
    switch (configuration.kind) {
      case Kind::limit:
        return time_limit(configuration);
      case Kind::cub:
        return time_cub(configuration);
      default:
        return time_form(configuration);
    }
  }

  [[nodiscard]] Measurement measured(const Configuration& configuration, const Samples& samples) {
    if (report_.context.is_null()) report_.context = samples.context;
    Measurement m;
    m.kind = configuration.kind;
    m.variant = configuration.variant;
    m.form = configuration.form;
    m.in = configuration.types.in;
    m.acc = configuration.types.acc;
    m.n = configuration.n;
    m.slots = bench_.input.count();
    m.samples_us = samples.microseconds;
    m.google = samples.google;
    if (const auto state = nvml_.state()) {
      m.sm_mhz = state->sm_mhz;
      m.throttle = state->throttle;
    }
    return m;
  }

  void time_limit(const Configuration& configuration) {
    const std::uint64_t bytes = configuration.n * size_of(configuration.types.in);
    InputSlots& input = bench_.input;
    const cudaStream_t stream = bench_.stream.get();
    std::optional<LimitShape> best;
    double best_seconds = 0;
    std::optional<std::uint32_t> word;
    for (const LimitShape shape : limit_shapes((bytes + 15) / 16, multiprocessors_)) {
      LimitWork work(shape, bytes, input, bench_.scratch);
      TimedGraph graph(stream, work, input.count());
      Timer trial = bench_.timer(work, graph, input.count(), bytes);
      (void)trial.once();
      const double seconds = std::min(trial.once(), trial.once());
      const std::uint32_t read = work.read(stream);
      if (!word) word = bytes <= words_on_host ? input.exclusive_or(bytes) : read;
      if (read != *word) throw WrongResult("it has not read every word once");
      if (!best || seconds < best_seconds) {
        best = shape;
        best_seconds = seconds;
      }
    }
    LimitWork work(*best, bytes, input, bench_.scratch);
    TimedGraph graph(stream, work, input.count());
    (void)graph.run();
    Measurement m =
        measured(configuration, bench_.timer(work, graph, input.count(), bytes)
                                    .measure(label(configuration), options_.repetitions));
    m.block = best->block;
    m.grid = best->grid;
    report_.measurements.push_back(std::move(m));
  }

  void time_cub(const Configuration& configuration) {
    report_.measurements.push_back(measured(
        configuration,
        bench_.time_cub(label(configuration), case_of(configuration), options_.repetitions)));
  }

  /// CUB decides by the device; a plan by itself imagines a small one.
  [[nodiscard]] Plan plan_of(const Case& c) {
    const kernels::Row* const row = kernels::find_row(c.variant);
    if (row == nullptr || !row->by_host() || c.form != "fixed") {
      return without_rehearsals(kernels::plan(c));
    }
    Case large = c;
    large.n = std::uint64_t{1} << 27;
    const Launch sweep = kernels::plan(large).launches.front();
    int resident = 0;
    cuda::check_launch(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, reinterpret_cast<const void*>(bench_.library.kernel(sweep)),
        static_cast<int>(sweep.block.x), sweep.shared_bytes));
    const kernels::OnDevice device({multiprocessors_, static_cast<std::uint32_t>(resident)});
    return kernels::plan(c);
  }

  void time_form(const Configuration& configuration) {
    Case c = case_of(configuration);
    const Plan plan = plan_of(c);
    if (!plan.refusal.empty()) return skip(configuration, plan.refusal);
    c.grid = plan.grid;
    if (configuration.kind == Kind::fix && !runs_elsewhere(configuration, c, plan)) return;
    Measurement m = measured(
        configuration,
        bench_.time(label(configuration), c, plan, bench_.input.count(), options_.repetitions,
                    [&](const Observation& seen) { return wrong(c, plan, seen); }));
    m.block = plan.launches.front().block.count();
    m.grid = plan.launches.front().grid.count();
    m.launches = static_cast<std::uint32_t>(plan.launches.size());
    report_.measurements.push_back(std::move(m));
  }

  /// A defective form first runs in a worker process, which it may end, between fences.
  bool runs_elsewhere(const Configuration& configuration, const Case& c, const Plan& plan) {
    const Observation seen = kernels::run(executor(), c);
    std::string why = seen.refused;
    if (why.empty() && !seen.findings.empty()) {
      why = fmt::format("it does not run here: {}", gauntlet::name(seen.findings.front().kind));
    }
    if (why.empty() && !seen.completed) why = "it does not run here";
    if (why.empty()) {
      why = wrong(c, plan, seen);
      if (!why.empty()) why = "its result is wrong: " + why;
    }
    if (!why.empty()) skip(configuration, why);
    return why.empty();
  }

  const PassOptions& options_;
  PassResult& result_;
  Report& report_;
  Nvml nvml_;
  Bench bench_;
  unsigned multiprocessors_;
  std::unique_ptr<cuda::GpuExecutor> executor_;
  std::uint64_t memory_ = 0;
  std::size_t done_ = 0, total_ = 0;
};

}  // namespace

unsigned slots_for(Type in, std::uint64_t n, std::uint64_t memory) {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, n * size_of(in));
  const std::uint64_t wanted = wanted_slots(bytes);
  return static_cast<unsigned>(std::min(wanted, memory / InputSlots::stride(in, n)));
}

std::string line_of(const NotTimed& what) {
  const std::string who =
      what.why.starts_with(what.what) ? what.why : fmt::format("{}: {}", what.what, what.why);
  if (what.n == 0) return fmt::format("not timed: {}", who);
  return fmt::format("not timed at {} {}: {}", what.in, size_text(what.n), who);
}

PassResult run_pass(const PassOptions& options, const Passed& passed) {
  PassResult result;
  Report& report = result.report;
  report.device = device_facts(0);
  report.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  report.options.sizes = options.request.sizes;
  for (const TypePair types : options.request.types) {
    report.options.types.push_back(pair_text(types));
  }
  report.options.repetitions = options.repetitions;
  report.options.quick = options.request.quick;
  report.options.passed = options.passed_file;
  const std::vector<Group> all =
      groups(options.request, passed, report.device.multiprocessors, report.not_timed);
  for (const NotTimed& refused : report.not_timed) {
    if (options.note) options.note(refused);
    result.as_expected = false;
  }
  try {
    Pass pass(options, result);
    pass.run(all);
  } catch (const cuda::DeviceLost& error) {
    result.as_expected = false;
    const NotTimed lost{"the rest", "", "", 0, fmt::format("the GPU was lost: {}", error.what())};
    if (options.note) options.note(lost);
    report.not_timed.push_back(lost);
  }
  const auto is_form = [](const Measurement& m) {
    return m.kind != Kind::limit && m.kind != Kind::cub;
  };
  if (result.as_expected && std::ranges::none_of(report.measurements, is_form)) {
    result.as_expected = false;
    report.not_timed.push_back({"all", "", "", 0, "no form was timed"});
    if (options.note) options.note(report.not_timed.back());
  }
  return result;
}

}  // namespace gauntlet::timing
