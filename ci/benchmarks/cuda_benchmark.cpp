// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How many cases a second the GPU executor runs, and what limits it:
//   launches    the case's own kernel again and again, nothing else, by threads: the ceiling
//   device      the worker's part of a case: fill, fence, launch, compare, read back
//   executor    with planning and the way to the worker process and back, by threads, batch and the
//               worker's launching threads
//   judged      with the oracle, by threads and the launching threads of each worker; on all GPUs
//               that are visible, where the others use the first one
//   large       one case of 2^31 + 3 elements
// n = 1000 floats, block 256, tail unmapped: fenced. Items are cases (launches).
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/os/process.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/gpu.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"

namespace {

using namespace gauntlet;

std::vector<Case> many_cases(std::size_t count) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    Case c =
        parse_case("sequential@fixed f32->f32 sum n=1000 block=256 data=uniform tail=unmapped");
    c.n = 990 + i % 20;
    c.seed = 1 + i;
    c.grid = kernels::plan(c).grid;
    cases.push_back(c);
  }
  return cases;
}

/// `gpus`: empty for all. One at a time is kept.
cuda::GpuExecutor& executor(std::vector<unsigned> gpus, std::int64_t batch,
                            std::int64_t launchers) {
  static std::unique_ptr<cuda::GpuExecutor> kept;
  static std::tuple<std::vector<unsigned>, std::int64_t, std::int64_t> kept_for;
  const auto wanted = std::tuple(gpus, batch, launchers);
  if (kept == nullptr || kept_for != wanted) {
    kept.reset();
    cuda::ExecutorOptions options;
    options.gpus = std::move(gpus);
    options.pool.batch = static_cast<std::size_t>(batch);
    options.launchers = static_cast<unsigned>(launchers);
    kept = std::make_unique<cuda::GpuExecutor>(options);
    kept_for = wanted;
  }
  return *kept;
}

/// This process's own device: no worker in between.
cuda::Gpu& device() {
  static auto* const gpu = [] {
    auto* opened = new cuda::Gpu(0);  // never destroyed: the driver may be gone before
    const cuda::Hello hello = opened->hello();
    if (!hello.unusable.empty()) {
      std::fprintf(stderr, "cuda_benchmark: %s\n", hello.unusable.c_str());
      std::exit(3);
    }
    return opened;
  }();
  return *gpu;
}

void count(benchmark::State& state, std::size_t cases) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * cases));
}

void launches(benchmark::State& state) {
  (void)device();
  cuda::Library library(0, [](bool) {});
  const Case c = many_cases(1).front();
  const Plan plan = kernels::plan(c);
  const cuda::Job job = cuda::make_job(c, plan);
  const cudaKernel_t kernel = library.kernel(job.launches[0]);
  void *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, 1 << 20) != cudaSuccess || cudaMalloc(&out, 1 << 20) != cudaSuccess) {
    return state.SkipWithError("no memory");
  }
  const auto threads = static_cast<std::size_t>(state.range(0));
  std::vector<cudaStream_t> streams(threads);
  for (cudaStream_t& stream : streams) {
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
      return state.SkipWithError("no stream");
    }
  }
  constexpr std::size_t launch_count = 4000;
  const auto launch_share = [&](cudaStream_t stream) {
    std::uint64_t n = c.n;
    void* arguments[] = {&in, &out, &n};
    cudaLaunchConfig_t config{};
    config.gridDim = {job.launches[0].grid.x, 1, 1};
    config.blockDim = {job.launches[0].block.x, 1, 1};
    config.dynamicSmemBytes = job.launches[0].shared_bytes;
    config.stream = stream;
    for (std::size_t i = 0; i < launch_count / threads; ++i) {
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments);
    }
  };
  for (auto _ : state) {
    {
      std::vector<std::jthread> others;
      for (std::size_t t = 1; t < threads; ++t) others.emplace_back(launch_share, streams[t]);
      launch_share(streams[0]);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) state.SkipWithError("launch failed");
  }
  count(state, launch_count);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(in);
  cudaFree(out);
}
BENCHMARK(launches)->Arg(1)->Arg(2)->Arg(4)->UseRealTime()->Unit(benchmark::kMillisecond);

void device_only(benchmark::State& state) {
  const auto cases = many_cases(static_cast<std::size_t>(state.range(0)));
  std::vector<cuda::Job> jobs;
  for (const Case& c : cases) jobs.push_back(cuda::make_job(c, kernels::plan(c)));
  (void)device().run(jobs);  // maps the memory, 0.15 ms for each buffer
  for (auto _ : state) benchmark::DoNotOptimize(device().run(jobs));
  count(state, jobs.size());
}
BENCHMARK(device_only)
    ->Arg(1)
    ->Arg(64)
    ->Arg(512)
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// range: threads that plan, cases in a batch, and threads that launch.
void through_executor(benchmark::State& state) {
  cuda::GpuExecutor& gpu = executor({0}, state.range(1), state.range(2));
  const auto cases = many_cases(16384);
  gpu.run_each(cases, kernels::plan, [](const auto&...) {});
  for (auto _ : state) {
    std::atomic<std::uint64_t> whole{0};
    gpu.run_each(
        cases, kernels::plan,
        [&](std::size_t, const Plan&, const Observation& seen) {
          whole += seen.completed && seen.findings.empty();
        },
        static_cast<unsigned>(state.range(0)));
    if (whole != cases.size()) state.SkipWithError("a case went wrong");
  }
  count(state, cases.size());
}
BENCHMARK(through_executor)
    ->ArgsProduct({{4, 16}, {128, 512}, {1, 2, 3, 4}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// range: threads that plan and judge, and threads that launch.
void judged(benchmark::State& state) {
  cuda::GpuExecutor& gpu = executor({}, 512, state.range(1));
  const auto cases = many_cases(16384);
  const auto threads = static_cast<unsigned>(state.range(0));
  gpu.run_each(cases, kernels::plan, [](const auto&...) {});
  for (auto _ : state) {
    std::atomic<std::uint64_t> right{0};
    gpu.run_each(
        cases, kernels::plan,
        [&](std::size_t i, const Plan& plan, const Observation& seen) {
          right += judge(cases[i], plan, seen).ok && seen.findings.empty();
        },
        threads);
    if (right != cases.size()) state.SkipWithError("a case went wrong");
  }
  count(state, cases.size());
}
BENCHMARK(judged)
    ->ArgsProduct({{1, 8, 16, 32}, {1, 2, 3, 4}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void large(benchmark::State& state) {
  cuda::GpuExecutor& gpu = executor({0}, 512, 1);
  Case c = parse_case(
      "two_pass@fixed f32->f32 sum n=2147483651 block=256 data=small_integers tail=unmapped");
  c.grid = kernels::plan(c).grid;
  for (auto _ : state) {
    if (!kernels::run(gpu, c).completed) state.SkipWithError("the case went wrong");
  }
  count(state, 1);
}
BENCHMARK(large)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(2);

}  // namespace

int main(int argc, char** argv) {
  if (argc > 5 && std::string_view(argv[1]) == "worker") {
    const auto number = [&](int at) { return static_cast<unsigned>(std::atoi(argv[at])); };
    return cuda::worker_main(number(3), number(5), os::child_socket);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
