// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host does for one case, without a GPU, for cases of several kinds:
//   plan      kernels::plan
//   input     the elements, as the oracle makes them
//   job       from the plan to the worker's job
//   write     the job as bytes
//   read      a job out of bytes, as the worker does
//   answer    a result as bytes and back
//   judge     the oracle's judgement of a right result
//   feed      GpuExecutor::run_each with a worker that computes nothing, by the number of threads
//   and
//             that of its launching threads
// Items are cases.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/process.hpp"
#include "base/scalar.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/wire.hpp"
#include "gpu/executor/worker.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"

namespace {

using namespace gauntlet;

struct Kind {
  const char* name;
  const char* line;
};

constexpr Kind kinds[] = {
    {"f32_real", "sequential@fixed f32->f32 sum n=1000 block=256 data=uniform"},
    {"f32_whole", "sequential@fixed f32->f32 sum n=1000 block=256 data=small_integers"},
    {"i32", "sequential@fixed i32->i32 sum n=1000 block=256 data=uniform"},
    {"f64_real", "grid_stride@fixed f64->f64 sum n=1000 block=64 data=ill_conditioned"},
    {"f16_whole", "shuffle_two_stage@fixed f16->f32 sum n=1000 block=128 data=identities"},
    {"f32_maximum", "sequential@fixed f32->f32 maximum n=1000 block=256 data=uniform"},
    {"f32_product", "sequential@fixed f32->f32 product n=1000 block=256 data=uniform"},
    {"f32_small", "sequential@fixed f32->f32 sum n=33 block=32 data=uniform"},
    {"two_launches", "two_pass@fixed f32->f32 sum n=1000 block=64 data=uniform"},
    {"atomic", "interleaved_atomic@fixed i32->i32 sum n=1000 block=64 data=iota"},
    {"ticket", "single_pass_ticket@fixed f32->f32 sum n=1000 block=64 data=uniform"},
    {"cub", "cub_device@fixed f32->f32 sum n=1000 data=uniform"},
};

constexpr std::size_t case_count = 256;

/// Neighbouring sizes, other data each.
std::vector<Case> cases_of(const Kind& kind, std::size_t count = case_count) {
  std::vector<Case> cases;
  Case c = parse_case(kind.line);
  const std::uint64_t n = c.n;
  for (std::size_t i = 0; i < count; ++i) {
    c.n = n - i % 20;
    c.seed = 1 + i;
    c.grid = 0;
    c.grid = kernels::plan(c).grid;
    cases.push_back(c);
  }
  return cases;
}

struct Prepared {
  std::vector<Case> cases;
  std::vector<Plan> plans;
  std::vector<cuda::Job> jobs;
};

Prepared prepare(const Kind& kind) {
  Prepared all{cases_of(kind), {}, {}};
  for (const Case& c : all.cases) {
    all.plans.push_back(kernels::plan(c));
    all.jobs.push_back(cuda::make_job(c, all.plans.back()));
  }
  return all;
}

/// Calls work(i) for one case after the other.
template <class Work>
void each(benchmark::State& state, Work work) {
  std::size_t i = 0;
  for (auto _ : state) {
    work(i);
    i = (i + 1) % case_count;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void plan_one(benchmark::State& state, const Kind& kind) {
  const auto cases = cases_of(kind);
  each(state, [&](std::size_t i) { benchmark::DoNotOptimize(kernels::plan(cases[i])); });
}

void elements_of_one(benchmark::State& state, const Kind& kind) {
  const auto cases = cases_of(kind);
  each(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(make_elements(make_recipe(cases[i]), 0, cases[i].n));
  });
}

void job_of_one(benchmark::State& state, const Kind& kind) {
  const Prepared all = prepare(kind);
  each(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(cuda::make_job(all.cases[i], all.plans[i]));
  });
}

void write_job(benchmark::State& state, const Kind& kind) {
  const Prepared all = prepare(kind);
  cuda::Bytes bytes;
  each(state, [&](std::size_t i) {
    bytes.clear();
    cuda::put_job(bytes, all.jobs[i]);
  });
}

void read_job(benchmark::State& state, const Kind& kind) {
  const Prepared all = prepare(kind);
  std::vector<cuda::Bytes> frames(case_count);
  for (std::size_t i = 0; i < case_count; ++i) {
    cuda::Bytes packed;
    cuda::put_job(packed, all.jobs[i]);
    const cuda::PackedJob job{i, packed};
    cuda::put_batch(frames[i], {&job, 1}, false);
  }
  constexpr std::size_t head = 5;
  each(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(cuda::get_batch(std::span(frames[i]).subspan(head)));
  });
}

/// All cells written, with zeros.
cuda::Result empty_result(const cuda::Job& job) {
  cuda::Result result;
  result.id = job.id;
  result.buffers.resize(job.buffers.size());
  for (const cuda::JobObserved& observed : job.observed) {
    result.observed.push_back({std::vector<std::byte>(observed.cells * observed.cell_bytes),
                               std::vector<std::uint8_t>(observed.cells)});
  }
  return result;
}

void answer(benchmark::State& state, const Kind& kind) {
  const Prepared all = prepare(kind);
  cuda::Bytes bytes;
  cuda::FrameReader reader;
  each(state, [&](std::size_t i) {
    bytes.clear();
    cuda::put_result(bytes, empty_result(all.jobs[i]));
    reader.append(bytes);
    cuda::Frame frame;
    if (!reader.next(frame)) state.SkipWithError("no frame");
    benchmark::DoNotOptimize(cuda::get_result(frame.payload));
  });
}

/// Right values, the inexact ones not quite the exact sum.
Observation right_values(const Case& c, const Plan& plan) {
  Observation seen;
  seen.completed = true;
  const Recipe recipe = make_recipe(c);
  for (const Observed& observed : plan.observed) {
    const Cells cells(c, observed, plan.grid);
    ObservedBuffer buffer{observed.buffer, c.acc, {}, {}};
    buffer.bytes.resize(cells.size() * size_of(c.acc));
    buffer.defined.assign(cells.size(), true);
    for (std::uint64_t cell = 0; cell < cells.size(); ++cell) {
      SliceReference slice(c.in, c.acc, c.op);
      cells.for_each_run(cell, [&](Run run) {
        slice.add(make_elements(recipe, run.first, run.count).data(), run.count);
      });
      slice.finish();
      const std::uint64_t near = slice.bits() ^ 1;
      store_bits(c.acc, buffer.bytes.data() + cell * size_of(c.acc),
                 slice.accepts(near, plan.height) ? near : slice.bits());
    }
    seen.buffers.push_back(std::move(buffer));
  }
  return seen;
}

void judge_one(benchmark::State& state, const Kind& kind) {
  const Prepared all = prepare(kind);
  std::vector<Observation> seen;
  for (std::size_t i = 0; i < case_count; ++i) {
    seen.push_back(right_values(all.cases[i], all.plans[i]));
    if (!judge(all.cases[i], all.plans[i], seen.back()).ok) return state.SkipWithError("wrong");
  }
  each(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(judge(all.cases[i], all.plans[i], seen[i]));
  });
}

/// range: threads, and launching threads of the worker.
void feed(benchmark::State& state, const Kind& kind) {
  const auto cases = cases_of(kind, 16384);
  const auto jobs = static_cast<unsigned>(state.range(0));
  cuda::ExecutorOptions options;
  options.gpus = {0};
  options.launchers = static_cast<unsigned>(state.range(1));
  cuda::GpuExecutor no_gpu(std::move(options));
  for (auto _ : state) {
    std::atomic<std::size_t> ended{0};
    no_gpu.run_each(
        cases, kernels::plan,
        [&](std::size_t, const Plan&, const Observation& seen) { ended += seen.completed; }, jobs);
    if (ended != cases.size()) state.SkipWithError("a case went wrong");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * cases.size()));
}

/// Takes no time.
class NoDevice final : public cuda::Device {
 public:
  explicit NoDevice(unsigned launchers) : launchers_(launchers) {}
  cuda::Hello hello() override {
    cuda::Hello hello;
    hello.build = cuda::build_id();
    hello.device = "none";
    hello.major = 9;
    hello.launchers = launchers_;
    hello.devices = 1;
    return hello;
  }
  std::vector<cuda::Result> run(std::span<const cuda::Job> jobs) override {
    std::vector<cuda::Result> results;
    for (const cuda::Job& job : jobs) results.push_back(empty_result(job));
    return results;
  }

 private:
  unsigned launchers_;
};

template <class Work>
void add(const std::string& what, Work work) {
  for (const Kind& kind : kinds) {
    benchmark::RegisterBenchmark((what + "/" + kind.name).c_str(), work, kind);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::string_view(argv[1]) == "worker") {
    NoDevice device(static_cast<unsigned>(std::atoi(argv[5])));
    return cuda::serve(os::child_socket, device);
  }
  add("plan", plan_one);
  add("input", elements_of_one);
  add("job", job_of_one);
  add("write", write_job);
  add("read", read_job);
  add("answer", answer);
  add("judge", judge_one);
  benchmark::RegisterBenchmark("feed", feed, kinds[0])
      ->ArgsProduct({{1, 2, 16}, {1, 2, 4}})
      ->UseRealTime()
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
