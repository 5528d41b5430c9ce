// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiny programs under schedules of a test's choice, and the outcomes that were seen.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/schedules/scheduler.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test {

/// A launch of one entry `f(x, out)`: x has 4 words, all 0, out has 8, all 0.
class Program {
 public:
  explicit Program(const std::string& body) : module_(load_module(entry(body), "t.ptx")) {}

  using Outcome = std::vector<std::uint32_t>;
  /// The first `count` words of out after a run, then those of x.
  Outcome run(LaunchConfig config, std::size_t count, std::size_t x_count = 0) const {
    GlobalMemory memory;
    const auto array = [&](const char* name, std::uint64_t words) {
      const auto at = memory.allocate({.name = name, .bytes = 4 * words, .make_page = {}});
      memory.write(at, std::vector<std::byte>(4 * words));
      return at;
    };
    const auto x = array("x", 4), out = array("out", 8);
    ModuleState state(module_, memory);
    config.entry = "f";
    config.add(x);
    config.add(out);
    const auto report = launch(state, config);
    EXPECT_TRUE(report.completed);
    Outcome seen(count + x_count);
    const auto words = std::as_writable_bytes(std::span(seen));
    memory.read(out, words.first(4 * count));
    memory.read(x, words.subspan(4 * count));
    return seen;
  }

 private:
  static std::string entry(const std::string& body) {
    return kernel(".param .u64 x, .param .u64 out",
                  "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [out];\n"
                  "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, 0;\n"
                  "mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d2, %d3;\n" +
                      body + "\nret;");
  }
  std::shared_ptr<const Module> module_;
};

/// Every thread adds one to x without an atomic.
inline constexpr const char* lost_update =
    "ld.volatile.global.u32 %r3, [%d1]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d1], %r3;";

/// Lane 0 counts x up to 3; lane 1 reads it twice into out[0] and out[1].
inline constexpr const char* two_reads =
    "@%p1 bra count;\n"
    "ld.volatile.global.u32 %r3, [%d1]; ld.volatile.global.u32 %r4, [%d1];\n"
    "st.global.u32 [%d2], %r3; st.global.u32 [%d2+4], %r4; ret;\n"
    "count: st.volatile.global.u32 [%d1], 1; st.volatile.global.u32 [%d1], 2;\n"
    "st.volatile.global.u32 [%d1], 3;";

}  // namespace gauntlet::simt::test
