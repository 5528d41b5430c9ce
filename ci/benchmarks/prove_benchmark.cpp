// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proof costs: the same cases run with race detection alone, and proved, as in a sweep. Both
// plan each case, make its data, lay out its memory, run it with the race detector and read the
// outputs. The ratio of two lines of one form is what the terms and their judge add. Nobody judges
// the numbers: neither line has an oracle.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/subject.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet {
namespace {

enum class How { races, proof };

void run(benchmark::State& state, const std::string& form, How how) {
  std::vector<Case> cases;
  for (const std::uint64_t n : {0, 1, 31, 32, 33, 97, 500, 1000, 2049, 4095, 4096}) {
    // A proof's run has these data.
    cases.push_back(parse_case(form + " data=uniform n=" + std::to_string(n)));
  }
  const auto executor = simt::make_executor();
  std::int64_t made = 0;
  for (auto _ : state) {
    for (const Case& asked : cases) {
      const Plan plan = kernels::plan(asked);
      const Case c = resolved(asked, plan);
      ++made;
      if (how == How::proof) {
        if (!prove::prove(kernels::compiled_kernels(), c, plan, false, false).proved()) {
          return state.SkipWithError(("not proved: " + to_string(c)).c_str());
        }
        continue;
      }
      const Observation seen = executor->run(c, plan);
      if (!seen.completed || !seen.findings.empty()) {
        return state.SkipWithError(("the run failed: " + to_string(c)).c_str());
      }
    }
  }
  state.SetItemsProcessed(made);
}

const std::string sequential = "sequential@fixed f32->f32 sum block=256";
const std::string two_stage = "shuffle_two_stage@fixed f32->f32 sum block=1024";
const std::string cub = "cub_device@fixed f32->f32 sum block=256 grid=2";
const std::string stride = "grid_stride@fixed f32->f32 sum block=256 grid=2";
BENCHMARK_CAPTURE(run, sequential / races, sequential, How::races);
BENCHMARK_CAPTURE(run, sequential / proof, sequential, How::proof);
BENCHMARK_CAPTURE(run, shuffle_two_stage / races, two_stage, How::races);
BENCHMARK_CAPTURE(run, shuffle_two_stage / proof, two_stage, How::proof);
BENCHMARK_CAPTURE(run, cub_device / races, cub, How::races);
BENCHMARK_CAPTURE(run, cub_device / proof, cub, How::proof);
BENCHMARK_CAPTURE(run, grid_stride / races, stride, How::races);
BENCHMARK_CAPTURE(run, grid_stride / proof, stride, How::proof);

}  // namespace
}  // namespace gauntlet

BENCHMARK_MAIN();
