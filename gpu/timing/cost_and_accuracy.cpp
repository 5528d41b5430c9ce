// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/scalar.hpp"
#include "gpu/executor/cuda_error.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/library.hpp"
#include "gpu/timing/configurations.hpp"
#include "gpu/timing/pass.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::size_t partial_bytes = 10240 * sizeof(float);
constexpr int calls = 50;
constexpr std::uint64_t elements = 100'000'000;
constexpr std::uint64_t seeds = 5;

HostCost cost(const std::string& what, unsigned repetitions, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  HostCost result;
  result.what = what;
  call();
  for (unsigned i = 0; i < repetitions; ++i) {
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) call();
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    result.samples_us.push_back(took.count() / calls);
  }
  return result;
}

}  // namespace

std::vector<HostCost> allocation_costs(unsigned repetitions) {
  std::vector<HostCost> costs;
  costs.push_back(cost("cudaMalloc and cudaFree", repetitions, [] {
    void* partials = nullptr;
    cuda::check(cudaMalloc(&partials, partial_bytes));
    cuda::check(cudaFree(partials));
  }));
  costs.push_back(cost("cudaMallocAsync and cudaFreeAsync", repetitions, [] {
    void* partials = nullptr;
    cuda::check(cudaMallocAsync(&partials, partial_bytes, nullptr));
    cuda::check(cudaFreeAsync(partials, nullptr));
  }));
  cuda::check(cudaDeviceSynchronize());
  Case c = parse_case("static_partials@fixed f32->f32 sum n=1000 block=128");
  const cuda::Job job = cuda::make_job(c, kernels::plan(c));
  const std::string& variable =
      std::ranges::find_if(job.observed, [](const auto& o) { return !o.symbol.empty(); })->symbol;
  cuda::Library library(0, [](bool) {});
  costs.push_back(cost("the address of a __device__ array", repetitions,
                       [&] { (void)library.symbol(job.launches.front().module, variable); }));
  return costs;
}

std::vector<Accuracy> accuracies(Executor& gpu, const std::function<bool()>& cancelled) {
  constexpr std::array variants{"grid_stride", "two_pass", "syncwarp_tail", "shuffle_down",
                                "cooperative_tile"};
  std::vector<Accuracy> rows;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const char* const variant : variants) {  // one seed's reference serves all
      if (cancelled()) return rows;
      Case c;
      c.variant = variant;
      c.n = elements;
      c.data = Data::uniform;
      c.seed = seed;
      // As in document D, for all.
      constexpr unsigned multiprocessors = 80;
      const BlockGrid launch = usual_launch("grid_stride", {c.in, c.acc}, c.n, multiprocessors);
      c.block = launch.block;
      const bool any_grid = kernels::find_variant(variant)->takes_any_n;
      c.grid = any_grid ? launch.grid : 0;
      const Plan plan = kernels::plan(c);
      c = resolved(c, plan);
      const Observation seen = gpu.run(c, plan);
      const Verdict verdict = judge_shared(c, plan, seen);
      if (!seen.completed || verdict.got.empty() || verdict.got == undefined_value) continue;
      const double got = std::strtod(verdict.got.c_str(), nullptr);
      const double exact = std::strtod(verdict.expected.c_str(), nullptr);
      rows.push_back({variant, c.form, to_string(c), verdict.got, verdict.expected,
                      exact == 0 ? std::abs(got) : std::abs((got - exact) / exact)});
    }
  }
  return rows;
}

}  // namespace gauntlet::timing
