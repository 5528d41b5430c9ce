// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/properties/prove/hand_written.hpp"

#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"

namespace gauntlet::prove::test {
namespace {

constexpr const char* begin = R"(
.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scratch,
                  .param .u32 launch)
{
  .reg .pred %p<16>;
  .reg .b16 %h<16>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<40>;
  .reg .f64 %d<16>;
  .shared .align 8 .b8 s[4096];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [scratch];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd4, %rd1, %rd4;
)";
constexpr const char* end = R"(
done:
  ret;
}
)";

}  // namespace

Case case_of(const HandWritten& how) {
  Case c;
  c.variant = "hand_written";
  c.in = how.in;
  c.acc = how.acc;
  c.op = how.op;
  c.n = how.n;
  c.block = how.block;
  c.grid = how.grid;
  c.tail = how.tail;
  return c;
}

Plan plan_of(const HandWritten& how) {
  Plan plan;
  plan.grid = how.grid;
  plan.padded = how.padded;
  const auto size = static_cast<std::uint32_t>(size_of(how.acc));
  plan.buffers.push_back({"out", size * how.cells, size, how.out});
  plan.buffers.push_back({"scratch", 64, 8, Fill::zero});
  Launch launch;
  launch.module = "hand_written";
  launch.entry = "k";
  launch.grid = {how.grid, 1, 1};
  launch.block = {how.block, 1, 1};
  launch.args = {Arg::of_array(Plan::input), Arg::of_array(Plan::buffer(0)),
                 Arg::of_array(Plan::buffer(1))};
  for (std::uint32_t k = 0; k < how.launches; ++k) {
    plan.launches.push_back(launch);
    plan.launches[k].args.push_back(Arg::of_value(k));
    plan.launches[k].programmatic = how.programmatic && k != 0;
  }
  Observed observed;
  observed.buffer = "out";
  observed.cells = how.cells;
  observed.coverage.kind = how.cells == 1 ? Coverage::Kind::whole : Coverage::Kind::tiles;
  observed.coverage.tile = how.block;
  plan.observed = {observed};
  return plan;
}

std::string kernel_of(const std::string& body) { return begin + body + end; }

Proof prove_ptx(const std::string& body, const HandWritten& how) {
  simt::ExecutorOptions machine;
  machine.step_limit = how.step_limit;
  machine.module = [&](const std::string&) { return module_of(kernel_of(body), how.longer); };
  return prove(case_of(how), plan_of(how), machine, how.trees);
}

std::shared_ptr<const simt::Module> module_of(const std::string& ptx, const std::string& longer) {
  const auto module =
      std::const_pointer_cast<simt::Module>(simt::load_module(ptx, "hand_written.ptx"));
  for (auto& kernel : module->kernels) {
    for (auto& operation : kernel.operations) {
      if (operation.text == longer) ++operation.inputs;
    }
  }
  return module;
}

}  // namespace gauntlet::prove::test
