// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 21 and 89 to 94: what cub::DeviceReduce launches, and what E says of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/claims/case_run.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"
#include "kernels/host_calls.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::claims {
namespace {

std::size_t launches(std::uint64_t n) {
  return kernels::plan(parse_case(fmt::format("cub_device@fixed i32->i32 sum n={}", n)))
      .launches.size();
}

/// The largest n that one launch reduces; launches never become fewer as n grows.
std::uint64_t largest_of_one_launch() {
  std::uint64_t one = 1, more = std::uint64_t{1} << 24;
  while (more - one > 1) {
    const std::uint64_t middle = one + (more - one) / 2;
    (launches(middle) == 1 ? one : more) = middle;
  }
  return one;
}

using kernels::HostDevice;
using enum Verdict;

constexpr std::string_view hosts = "CUB's host code";

/// What E's program does with CUB for n ints, its size query and its call.
Plan ask(std::uint64_t n, std::string_view form = "fixed", HostDevice device = {}) {
  const kernels::OnDevice on(device);
  return kernels::plan(parse_case(fmt::format("cub_device@{} i32->i32 sum n={}", form, n)));
}

/// Bytes of temporary storage.
std::uint64_t storage(const Plan& plan) {
  const auto temporary = std::ranges::find(plan.buffers, "temp", &Buffer::name);
  if (temporary == plan.buffers.end()) throw std::runtime_error("no temporary storage");
  return temporary->bytes;
}

/// An array of that name.
bool takes(const Plan& plan, std::size_t launch, std::string_view array) {
  return std::ranges::any_of(plan.launches.at(launch).args, [&](const Arg& arg) {
    return arg.kind == Arg::Kind::array && arg.array != Plan::input &&
           plan.buffers.at(arg.array - 1).name == array;
  });
}

}  // namespace

Evidence one_tile_or_two_passes(const Claim& claim) {
  const std::uint64_t tile = largest_of_one_launch();
  // Many tiles and a piece of one: what each block of the first pass reads.
  const std::uint64_t n = 40 * tile + 1000;
  const CaseRun run = run_case(fmt::format("cub_device@fixed i32->i32 sum n={}", n), true);
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const Access& access : run.accesses.at(0)) {
    if (!access.shared && !access.write) bytes[access.block] += access.width;
  }
  std::uint64_t most = 0, least = ~std::uint64_t{0}, all = 0;
  for (const auto& [block, read] : bytes) {
    most = std::max(most, read / 4);
    least = std::min(least, read / 4);
    all += read / 4;
  }
  const bool passes = launches(tile) == 1 && launches(tile + 1) == 2 && run.accesses.size() == 2;
  const bool even = all == n && most - least <= tile;
  return judged_by(claim, {{passes && even && run.verdict.ok, Verdict::is_true}}, grouped(tile),
                   grouped(tile + 1), grouped(n), bytes.size(), grouped(least), grouped(most),
                   grouped(all));
}

Evidence first_pass_into_output(const Claim& claim) {
  constexpr std::uint32_t n = 1'000'000;
  const Plan run = ask(n);
  if (run.launches.size() != 2) return judged_by("no two launches", {});
  const bool output = takes(run, 0, "out"), temporary = takes(run, 0, "temp"),
             last = takes(run, 1, "out");
  return judged_from(hosts, claim, {{output, is_true}, {temporary && last, is_false}},
                     run.launches.size(),
                     output      ? "d_out"
                     : temporary ? "temporary storage, not d_out"
                                 : "neither",
                     last ? "d_out" : "no d_out");
}

Evidence storage_of_max_blocks(const Claim& claim) {
  constexpr std::uint64_t factor = 5;  // CUB_SUBSCRIPTION_FACTOR
  std::string number;
  bool exact = true, rounded = true;
  for (const HostDevice device : {HostDevice{4, 2}, HostDevice{108, 3}, HostDevice{132, 8}}) {
    const std::uint64_t blocks =
        factor *
        static_cast<std::uint64_t>(device.multiprocessors * device.blocks_per_multiprocessor);
    const auto bytes = storage(ask(100'000'000, "fixed", device));
    exact = exact && bytes == 4 * blocks;
    rounded = rounded && bytes == (4 * blocks + 255) / 256 * 256 + 255;
    number += fmt::format("{}{} multiprocessors with {} blocks each: {} bytes for {} blocks",
                          number.empty() ? "" : "; ", device.multiprocessors,
                          device.blocks_per_multiprocessor, grouped(bytes), grouped(blocks));
  }
  return judged_from(hosts, claim, {{exact, is_true}, {rounded, true_if}, {true, is_false}},
                     number);
}

Evidence one_storage_for_all_sizes(const Claim& claim) {
  std::uint64_t largest = 0;
  for (const std::uint32_t n : {100'000U, 1'000U}) {
    largest = std::max(largest, storage(ask(n)));
  }
  int served = 0, sizes = 0;
  for (std::uint32_t n = 1; n <= 100'000; n += 333) {
    ++sizes;
    served += storage(ask(n)) <= largest ? 1 : 0;
  }
  // Registers one tile, and nobody looks at CUB's answer for more.
  const Plan refused = ask(1'000'000, "fixed-registered_size");
  return judged_from(hosts, claim,
                     {{served == sizes && !refused.launches.empty(), is_true},
                      {served == sizes, true_if},
                      {true, is_false}},
                     largest, served, sizes, storage(refused), refused.launches.size());
}

Evidence bytes_that_are_allocated(const Claim& claim) {
  const auto needed = storage(ask(100'000));
  const auto allocated = storage(ask(100'000, "fixed-cache_bytes"));
  return judged_from(hosts, claim, {{allocated == needed, is_true}, {allocated > needed, is_false}},
                     needed, allocated);
}

Evidence query_does_no_work(const Claim& claim) {
  std::uint64_t launches_made = 0, without_size = 0;
  // Each is followed by a call that CUB refuses, so that no launch is the call's.
  for (const std::uint32_t n : {4097U, 10'000U, 100'000U, 1'000'000U}) {
    const Plan query = ask(n, "fixed-registered_size");
    launches_made += query.launches.size();
    without_size += storage(query) == 0 ? 1 : 0;
  }
  return judged_from(hosts, claim, {{launches_made + without_size == 0, is_true}, {true, is_false}},
                     launches_made, without_size);
}

Evidence second_pass_of_one_block(const Claim& claim) {
  const Plan run = ask(1'000'000);
  if (run.launches.size() != 2) return judged_by("no two launches", {});
  const auto &first = run.launches[0], &second = run.launches[1];
  return judged_from(
      hosts, claim,
      {{first.grid.count() > 1 && second.grid.count() == 1, is_true}, {true, is_false}},
      first.grid.count(), second.grid.count(), second.block.count());
}

}  // namespace gauntlet::claims
