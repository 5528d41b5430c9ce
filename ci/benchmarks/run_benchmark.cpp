// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What gauntlet run adds to the machine's own time: 1000 launches of 2 x 256 threads by its
// driver's interface, order of streams and accesses included, and by the machine's `launch` alone,
// in turns of 100. `ratio` is the quotient of the processor times.
#include <benchmark/benchmark.h>
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "ci/benchmarks/launches.hpp"

namespace gauntlet {
namespace {

constexpr unsigned blocks = 2, threads = 256, launches = 1000, turn = 100;
constexpr int cells = blocks * threads;

std::string ptx() { return os::read_file(GAUNTLET_LAUNCHES_PTX).value(); }

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The entries of the library that gauntlet run puts in the driver's place.
class Program {
 public:
  Program() {
    call<decltype(&cuInit)>("cuInit")(0);
    CUcontext context = nullptr;
    call<decltype(&cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, 0);
    call<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent")(context);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    call<decltype(&cuModuleLoadData)>("cuModuleLoadData")(&module, ptx().c_str());
    call<decltype(&cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, "increment");
    call<decltype(&cuMemAlloc)>("cuMemAlloc_v2")(&array_, cells * sizeof(int));
    call<decltype(&cuMemsetD8)>("cuMemsetD8_v2")(array_, 0, cells * sizeof(int));
    function_ = function;
    launch_ = call<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    read_ = call<decltype(&cuMemcpyDtoH)>("cuMemcpyDtoH_v2");
  }
  void launch() {
    int count = cells;
    void* arguments[] = {&array_, &count};
    launch_(function_, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
  }
  [[nodiscard]] int last_cell() const {
    std::vector<int> content(cells);
    read_(content.data(), array_, cells * sizeof(int));
    return content.back();
  }

 private:
  template <class Entry>
  Entry call(const char* name) {
    void* const entry = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (entry == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Entry>(entry);
  }
  void* library_ = dlopen(GAUNTLET_LIBCUDA, RTLD_NOW | RTLD_LOCAL);
  CUfunction function_ = nullptr;
  CUdeviceptr array_ = 0;
  decltype(&cuLaunchKernel) launch_ = nullptr;
  decltype(&cuMemcpyDtoH) read_ = nullptr;
};

void BM_ThousandLaunches(benchmark::State& state) {
  Program program;
  simt::Launches machine(simt::load_module(ptx(), "launches.ptx"), "increment", blocks, threads);
  machine.array("cells", std::vector<int>(cells));
  machine.config.add(cells);
  double in_program = 0, in_machine = 0;
  int expected = 0;
  for (auto _ : state) {
    const double before = in_program;
    for (unsigned k = 0; k < launches; k += turn) {
      const double start = processor_time();
      for (unsigned j = 0; j < turn; ++j) program.launch();
      const double middle = processor_time();
      for (unsigned j = 0; j < turn; ++j) machine.run(state);
      in_program += middle - start;
      in_machine += processor_time() - middle;
    }
    expected += launches;
    state.SetIterationTime(in_program - before);
  }
  if (program.last_cell() != expected) state.SkipWithError("the program's launches failed");
  state.counters["ratio"] = in_program / in_machine;
}
BENCHMARK(BM_ThousandLaunches)->UseManualTime()->Unit(benchmark::kMillisecond);

/// One launch whose blocks several threads run: 1024 blocks of 256, races looked for, real time.
void blocks_on_threads(benchmark::State& state, const char* entry) {
  constexpr std::uint32_t grid = 1024, block = 256;
  simt::Launches machine(simt::load_module(ptx(), "launches.ptx"), entry, grid, block);
  const std::vector<float> zeros(std::size_t{grid} * block);
  for (const char* const name : {"one", "other"}) machine.array(name, zeros);
  machine.config.jobs = static_cast<unsigned>(state.range(0));
  machine.config.alone = 50'000;
  for (auto _ : state) state.counters["beside"] = machine.run(state).beside;
}
void BM_BlocksOfWork(benchmark::State& state) { blocks_on_threads(state, "rounds"); }
void BM_BlocksOfMemory(benchmark::State& state) { blocks_on_threads(state, "streams"); }
BENCHMARK(BM_BlocksOfWork)
    ->ArgName("jobs")
    ->RangeMultiplier(2)
    ->Range(1, 16)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BlocksOfMemory)
    ->ArgName("jobs")
    ->RangeMultiplier(2)
    ->Range(1, 16)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gauntlet

BENCHMARK_MAIN();
