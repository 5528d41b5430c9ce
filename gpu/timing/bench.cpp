// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/bench.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <thread>

#include "base/numbers.hpp"
#include "base/scalar.hpp"
#include "base/statistics.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t every_cell = std::uint64_t{1} << 20;

std::string first_line(const Verdict& verdict) {
  if (verdict.cells_judged == 0) return "nothing could be judged";
  if (verdict.ok) return {};
  const Finding& finding = verdict.findings.front();
  return fmt::format("{}[{}]: {}", finding.array, finding.index, finding.detail);
}

/// All cells of the buffer that decides the total as one.
Observation combined(const Case& c, const ObservedBuffer& cells) {
  SliceReference sum(c.acc, c.acc, c.op);
  sum.add(cells.bytes.data(), cells.bytes.size() / size_of(c.acc));
  sum.finish();
  Observation total;
  total.completed = true;
  ObservedBuffer one;
  one.name = "out";
  one.type = c.acc;
  one.bytes.resize(size_of(c.acc));
  store_bits(c.acc, one.bytes.data(), sum.bits());
  one.defined = {true};
  total.buffers.push_back(std::move(one));
  return total;
}

constexpr double seconds_of_sample = 0.002;
constexpr double most_iterations = 8;

/// To a tenth of a nanosecond: events count half microseconds, and a graph holds 64 reductions.
double rounded(double microseconds) { return std::round(microseconds * 1e4) / 1e4; }

constexpr std::uint64_t caches = 2;  // how much more than the cache is read

}  // namespace

template <class SomeWork>
void Bench::require_right(const SomeWork& work, unsigned slots, const Wrong& wrong) const {
  for (const unsigned slot : {0U, slots - 1}) {
    const std::string what = wrong(work.read(stream.get(), slot));
    if (!what.empty()) throw WrongResult(what);
  }
}

Samples Bench::time(const std::string& label, const Case& c, const Plan& plan, unsigned slots,
                    unsigned repetitions, const Wrong& wrong) {
  PlanWork work(library, c, plan, input, slots, scratch);
  work.restore(stream.get());
  TimedGraph graph(stream.get(), work, slots);
  if (plan.input_may_change) input.fill(c, slots);
  work.poison(stream.get());
  work.restore(stream.get());
  (void)graph.run();
  require_right(work, slots, wrong);
  const Samples samples =
      timer(work, graph, slots, PlanWork::bytes_of(c, plan)).measure(label, repetitions);
  if (plan.input_may_change) {
    input.fill(c, slots);
  } else {
    require_right(work, slots, wrong);
  }
  return samples;
}

Samples Bench::time_cub(const std::string& label, const Case& c, unsigned repetitions) {
  Plan plan;
  plan.grid = 1;
  plan = total_only(plan);
  const Wrong total = [&](const Observation& seen) { return wrong(c, plan, seen); };
  CubWork work(c, input, scratch);
  TimedGraph graph(stream.get(), work, input.count());
  (void)graph.run();
  require_right(work, input.count(), total);
  const Samples samples =
      timer(work, graph, input.count(), c.n * size_of(c.in)).measure(label, repetitions);
  require_right(work, input.count(), total);
  return samples;
}

Plan total_only(const Plan& plan) {
  Plan total = plan;
  total.observed = {{"out", 1, {Coverage::Kind::whole, 0}}};
  return total;
}

std::string wrong(const Case& c, const Plan& plan, const Observation& seen) {
  if (seen.buffers.empty()) return "it has no output";
  if (c.n <= every_cell) return first_line(judge_shared(c, plan, seen));
  return first_line(judge_shared(c, total_only(plan), combined(c, seen.buffers.front())));
}

double Timer::once() {
  work.restore(stream);
  if (slots * bytes < flush.bytes()) flush.run(stream);
  return graph.run() / slots;
}

Samples Timer::measure(const std::string& label, unsigned repetitions) {
  const double seconds = once() * slots;
  const auto iterations = static_cast<unsigned>(
      std::clamp(seconds_of_sample / std::max(seconds, 1e-9), 1.0, most_iterations));
  return sample(label, iterations, repetitions, [&] { return once(); });
}

Samples sample(const std::string& name, unsigned iterations, unsigned repetitions,
               const std::function<double()>& once) {
  Samples samples;
  std::vector<double> processor;  // microseconds of this process, as samples.microseconds
  for (unsigned r = 0; r < repetitions; ++r) {
    double seconds = 0;
    const std::clock_t before = std::clock();
    for (unsigned i = 0; i < iterations; ++i) seconds += once();
    const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    samples.microseconds.push_back(rounded(seconds * 1e6 / iterations));
    processor.push_back(rounded(used * 1e6 / iterations));
  }
  const bool single = repetitions == 1;
  samples.google = Json{{"name", name},
                        {"run_name", name},
                        {"run_type", single ? "iteration" : "aggregate"},
                        {"repetitions", repetitions},
                        {"threads", 1}};
  if (!single) samples.google["aggregate_name"] = "median";
  samples.google["iterations"] = single ? iterations : repetitions;
  samples.google["real_time"] = median(samples.microseconds);
  samples.google["cpu_time"] = median(processor);
  samples.google["time_unit"] = "us";
  samples.context = Json{{"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
                         {"num_cpus", std::thread::hardware_concurrency()}};
  return samples;
}

Stream::Stream() { cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }

std::uint64_t wanted_slots(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(ceil_div(std::uint64_t{1} << 30, bytes), 2, 64);
}

TimedGraph::TimedGraph(cudaStream_t stream, Work& work, unsigned slots) : stream_(stream) {
  // Code is loaded when it is first launched, which a capture may not do.
  work.enqueue(stream, 0);
  cuda::check(cudaStreamSynchronize(stream));
  cudaGraph_t captured = nullptr;
  try {
    cuda::check(cudaEventCreate(&begin_));
    cuda::check(cudaEventCreate(&end_));
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      cuda::check(cudaEventRecordWithFlags(begin_, stream, cudaEventRecordExternal));
      for (unsigned slot = 0; slot < slots; ++slot) work.enqueue(stream, slot);
      cuda::check(cudaEventRecordWithFlags(end_, stream, cudaEventRecordExternal));
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &captured);
      throw;
    }
    cuda::check(cudaStreamEndCapture(stream, &captured));
    cuda::check_launch(cudaGraphInstantiate(&graph_, captured, 0));
    (void)cudaGraphDestroy(captured);
  } catch (...) {
    if (captured != nullptr) (void)cudaGraphDestroy(captured);
    give_back();
    throw;
  }
}

TimedGraph::~TimedGraph() { give_back(); }

void TimedGraph::give_back() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
  if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
  if (end_ != nullptr) (void)cudaEventDestroy(end_);
}

double TimedGraph::run() {
  cuda::check_launch(cudaGraphLaunch(graph_, stream_));
  cuda::check(cudaStreamSynchronize(stream_));
  float milliseconds = 0;
  cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_));
  return milliseconds / 1000.0;
}

CacheFlush::CacheFlush(std::uint64_t l2_bytes, unsigned multiprocessors)
    : bytes_(caches * l2_bytes), shape_{8 * multiprocessors, 256} {
  memory_.reserve(bytes_);
  words_.reserve(shape_.warps() * sizeof(std::uint32_t));
}

void CacheFlush::run(cudaStream_t stream) {
  cuda::check_launch(launch_limit(shape_, reinterpret_cast<const void*>(memory_.begin()),
                                  bytes_ / 16, reinterpret_cast<std::uint32_t*>(words_.begin()),
                                  stream));
}

}  // namespace gauntlet::timing
