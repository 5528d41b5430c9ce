// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The spelling of a schedule: read, written again, and followed by a small kernel whose threads
// talk to each other in three ways.
#include "base/schedule.hpp"

#include <string>

#include "machine/engine/machine.hpp"
#include "machine/schedules/schedule_string.hpp"
#include "tests/fuzz/target.hpp"

namespace gauntlet::fuzz {
namespace {

constexpr const char* kernel = R"(.version 9.0 .target sm_90 .address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<4>; .shared .b32 s[64];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
mov.u64 %d3, s;
add.u64 %d3, %d3, %d2;
st.volatile.shared.u32 [%d3], %r1;
bar.sync 0;
setp.lt.u32 %p, %r1, 32;
@!%p bra DONE;
ld.volatile.shared.u32 %r2, [%d3+4];
shfl.sync.down.b32 %r3, %r2, 1, 31, -1;
ld.param.u64 %d1, [out];
atom.global.add.u32 %r4, [%d1], %r3;
st.global.u32 [%d1+4], %r2;
DONE: ret;
}
)";

void follow(const std::string& schedule) {
  static const auto module = simt::load_module(kernel, "fuzz.ptx");
  simt::GlobalMemory memory;
  const auto out = memory.allocate({.name = "out", .bytes = 8, .output = true});
  simt::ModuleState state(module, memory);
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    simt::LaunchConfig config;
    config.entry = "k";
    config.grid = {2, 1, 1};
    config.block = {40, 1, 1};
    config.schedule = schedule;
    config.races = true;
    config.step_limit = 300;
    config.record = true;
    config.launch_index = launch;
    config.add(out);
    const auto report = simt::launch(state, config);
    // What was recorded can be read.
    require(parse_schedule(report.schedule).kind == Schedule::Kind::replay, "a run is recorded");
  }
}

}  // namespace
}  // namespace gauntlet::fuzz

GAUNTLET_FUZZ_TARGET(schedule) {
  using namespace gauntlet;
  const auto text = fuzz::text_of(data, size);
  try {
    const Schedule schedule = parse_schedule(text);
    fuzz::require(parse_schedule(to_string(schedule)) == schedule, "a schedule is read as written");
    if (schedule.kind == Schedule::Kind::replay) {
      // Launches at the end that need not be said are left out the first time.
      const auto once = simt::to_string(simt::parse_launch_schedules(schedule.recorded));
      fuzz::require(simt::to_string(simt::parse_launch_schedules(once)) == once,
                    "a recorded schedule is read as written");
    }
    fuzz::follow(to_string(schedule));
  } catch (const CaseError&) {
  }
  return 0;
}
