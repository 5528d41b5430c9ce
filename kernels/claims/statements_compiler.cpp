// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 29, 31 to 34, 48, 53 and 82 to 84: what the compiler makes of what is printed.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/occupancy/occupancy.hpp"
#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

std::uint64_t instructions(const std::string& entry, std::uint32_t threads) {
  return run_micro(
             {.module = "loops", .entry = entry, .threads = threads, .ints = threads, .out = 1})
      .profile.total.warp_instructions;
}

/// The registers named in a PTX instruction; the first is the one that it writes.
std::vector<std::string> registers_in(const std::string& line) {
  std::vector<std::string> found;
  for (auto at = line.find("%r"); at != std::string::npos; at = line.find("%r", at + 1)) {
    const auto end = line.find_first_not_of("0123456789", at + 2);
    found.push_back(line.substr(at, end - at));
  }
  return found;
}

const Architecture& h100() {
  for (const Architecture& architecture : architectures()) {
    if (architecture.name == "sm_90") return architecture;
  }
  throw std::runtime_error("no sm_90");
}

std::string nvcc() { return "nvcc " GAUNTLET_NVCC_RELEASE; }

}  // namespace

Evidence shift_or_division(const Claim& claim) {
  const auto divided = ptx_of("loops", "halve_by_division"),
             shifted = ptx_of("loops", "halve_by_shift");
  const auto by_division = instructions("halve_by_division", 256),
             by_shift = instructions("halve_by_shift", 256);
  return judged_from(fmt::format("{}; {}", nvcc(), on_machine), claim,
                     {{by_division > by_shift, is_true}, {by_division == by_shift, is_false}},
                     by_division, by_shift, count_opcode(divided, "div."),
                     count_opcode(shifted, "div."), count_opcode(divided, "shr."),
                     count_opcode(shifted, "shr."));
}

Evidence missing_volatile(const Claim& claim) {
  const std::string launch = " f32->f32 sum n=128 block=64 data=ones";
  const CaseRun plain = run_case("volatile_warp_tail_plain@documented" + launch),
                declared = run_case("volatile_warp_tail@documented" + launch),
                ordered = run_case("volatile_warp_tail@fixed-volatile_shared" + launch);
  const auto stores = [](const CaseRun& run) { return run.profile.total().shared_store.requests; };
  return judged_by(claim,
                   {{!plain.verdict.ok && declared.verdict.ok && ordered.verdict.ok, true_if},
                    {!plain.verdict.ok && declared.verdict.ok, is_true},
                    {plain.verdict.ok, is_false}},
                   plain.verdict.got, stores(plain), declared.verdict.got, stores(declared),
                   ordered.verdict.got);
}

Evidence unrolling_by_hand(const Claim& claim) {
  const auto looped = instructions("shuffles_in_loop", 32),
             printed = instructions("shuffles_as_printed", 32),
             by_hand = instructions("shuffles_by_hand", 32);
  const int looped_registers = registers_of("shuffles_in_loop"),
            by_hand_registers = registers_of("shuffles_by_hand"),
            printed_registers = registers_of("shuffles_as_printed");
  const bool saves = by_hand < looped, frees = by_hand_registers < looped_registers;
  return judged_from(fmt::format("{}; ptxas for sm_90; {}", nvcc(), on_machine), claim,
                     {{saves && frees, printed == by_hand ? true_if : is_true},
                      {saves || frees, half_true},
                      {true, is_false}},
                     looped, looped_registers, printed, printed_registers, by_hand,
                     by_hand_registers);
}

Evidence parallelism_of_unrolled_shuffles(const Claim& claim) {
  std::vector<std::string> chain;
  for (const std::string& line : ptx_of("loops", "shuffles_by_hand")) {
    if (line.starts_with("shfl.") || (!chain.empty() && line.starts_with("add."))) {
      chain.push_back(line);
    }
  }
  std::uint64_t independent = 0;
  for (std::size_t k = 1; k < chain.size(); ++k) {
    const auto before = registers_in(chain[k - 1]), own = registers_in(chain[k]);
    independent += std::count(own.begin() + 1, own.end(), before.at(0)) == 0 ? 1 : 0;
  }
  return judged_from(nvcc(), claim, {{independent > 0, is_true}, {chain.size() == 10, half_true}},
                     chain.size(), independent);
}

Evidence one_register_less(const Claim& claim) {
  constexpr int thread_count = 256, most_shown = 255;
  int raises = 0;
  for (int r = 17; r <= most_shown; ++r) {
    const auto blocks = [&](int registers) {
      return resident_blocks(h100(), thread_count, 0, CarveOut::as_needed, registers);
    };
    raises += blocks(r - 1) > blocks(r) ? 1 : 0;
  }
  const int counts = most_shown - 17 + 1;
  return judged_from("cuda_occupancy.h of CUDA " GAUNTLET_NVCC_RELEASE, claim,
                     {{raises == counts, is_true}, {raises > 0, true_if}, {true, is_false}},
                     thread_count, counts, most_shown, raises);
}

Evidence registers_of_shared_memory(const Claim& claim) {
  const int few = registers_of("shared_of_32"), many = registers_of("shared_of_1024");
  return judged_from(nvcc() + ", ptxas for sm_90", claim, {{many > few, is_true}, {true, is_false}},
                     few, many);
}

Evidence cost_of_remainder(const Claim& claim) {
  const auto at_run_time = ptx_of("loops", "remainder_of_run_time"),
             constant = ptx_of("loops", "remainder_of_constant");
  const auto slow = count_opcode(at_run_time, "rem."), fast = count_opcode(constant, "rem.");
  std::string times, source = nvcc() + "; " + std::string(on_machine);
  if (const auto& timing = committed_timing()) {
    const std::uint64_t n = std::uint64_t{1} << 27;
    const auto *modulo = time_of(*timing, "interleaved_modulo", Type::f32, n),
               *mask = time_of(*timing, "interleaved_bitmask", Type::f32, n);
    if (modulo != nullptr && mask != nullptr) {
      times = fmt::format(
          "; 2^27 floats take {:.0f} us with remainders of run time, {:.0f} us with "
          "a bit mask instead",
          modulo->median_us(), mask->median_us());
      source += "; " + source_of(*timing);
    }
  }
  return judged_from(source, claim,
                     {{slow > 0 && fast == 0, true_if}, {slow > 0, is_true}, {true, is_false}},
                     slow, fast, instructions("remainder_of_run_time", 256),
                     instructions("remainder_of_constant", 256), times);
}

namespace {

/// A line that nvcc refuses beside its near miss, which it takes.
Evidence refused_line(const Claim& claim, std::string_view printed, std::string_view near_miss,
                      Verdict verdict) {
  const auto said = said_of_snippet(printed), other = said_of_snippet(near_miss);
  return judged_from(nvcc(), claim, {{said == "compiles", is_true}, {other == "compiles", verdict}},
                     nvcc(), said, near_miss, other);
}

}  // namespace

Evidence is_valid_of_groups(const Claim& claim) {
  return refused_line(claim, "thread_group_is_valid", "grid_group_is_valid", obsolete);
}
Evidence misspelt_partition(const Claim& claim) {
  return refused_line(claim, "tile_partition", "tiled_partition", is_false);
}
Evidence run_time_group_as_tile(const Claim& claim) {
  return refused_line(claim, "run_time_group_shuffle", "tile_shuffle", is_false);
}

}  // namespace gauntlet::claims
