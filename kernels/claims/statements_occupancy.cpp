// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 13: what the int4 kernel's shared memory does to residency.
#include <fmt/format.h>

#include "gpu/occupancy/occupancy.hpp"
#include "kernels/claims/residency.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::claims {
namespace {

std::size_t shared_bytes(std::string_view variant, int block) {
  const auto plan = kernels::plan(
      parse_case(fmt::format("{}@fixed i32->i32 sum n=4096 block={}", variant, block)));
  return plan.launches.at(0).shared_bytes;
}

}  // namespace

Residency residency() {
  Residency result;
  for (const int block : {8, 16, 32, 64, 128, 256, 512, 1024}) {
    const std::size_t scalar = shared_bytes("wide_active", block),
                      staged = shared_bytes("int4_through_shared", block);
    result.fourfold = result.fourfold && staged == 4 * scalar;
    for (const Architecture& architecture : architectures()) {
      for (const CarveOut carve_out : {CarveOut::as_needed, CarveOut::smallest}) {
        const int before = resident_blocks(architecture, block, scalar, carve_out),
                  after = resident_blocks(architecture, block, staged, carve_out);
        auto& counts = carve_out == CarveOut::smallest ? result.smallest : result.as_needed;
        ++counts.configurations;
        counts.lowered += after < before ? 1 : 0;
        if (architecture.name == "sm_89" && block == 32) {
          counts.scalar_blocks = before;
          counts.staged_blocks = after;
        }
      }
    }
  }
  return result;
}

Evidence resident_blocks_of_int4() {
  const Residency found = residency();
  Evidence evidence;
  evidence.source = "cuda_occupancy.h of CUDA " GAUNTLET_NVCC_RELEASE;
  const auto text = [](const Residency::Counts& counts) {
    return fmt::format("{} of {} combinations of block and architecture (sm_89, B = 32: {} to {})",
                       counts.lowered, counts.configurations, counts.scalar_blocks,
                       counts.staged_blocks);
  };
  evidence.number = fmt::format(
      "shared bytes of a block: {}; resident blocks fall in {}, and with the smallest carve-out in "
      "{}; registers left out",
      found.fourfold ? "fourfold for each block" : "not always fourfold", text(found.as_needed),
      text(found.smallest));
  if (found.fourfold && found.as_needed.lowered < found.as_needed.configurations &&
      found.smallest.lowered > found.as_needed.lowered) {
    evidence.verdict = Verdict::true_if;
  }
  return evidence;
}

}  // namespace gauntlet::claims
