// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub_device: CUB's recorded launches as a Plan.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>

#include "base/numbers.hpp"
#include "kernels/cub_plan.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::array<std::string_view, 3> kernel_names{"single", "upsweep", "final"};

// Plan::buffers of one stream: where its result and its temporary storage are.
struct Stream {
  CubDispatch dispatch;
  std::uint32_t out = 0, temporary = 0;
};

std::string_view module_of(const Case& c) {
  for (const CubInstance& instance : cub_device_instances()) {
    if (instance.in == c.in && instance.acc == c.acc && instance.op == c.op) {
      return instance.module;
    }
  }
  return {};
}

Arg to_arg(const CubArgument& from, const Stream& stream) {
  switch (from.kind) {
    case CubArgument::Kind::input:
      return Arg::of_array(Plan::input, from.byte_offset);
    case CubArgument::Kind::output:
      return Arg::of_array(Plan::buffer(stream.out), from.byte_offset);
    case CubArgument::Kind::temporary:
      return Arg::of_array(Plan::buffer(stream.temporary), from.byte_offset);
    case CubArgument::Kind::value:
      break;
  }
  Arg value;
  value.bytes = from.bytes;
  return value;
}

Launch to_launch(const Case& c, const CubLaunch& from, const Stream& stream) {
  Launch launch;
  launch.module = module_of(c);
  launch.entry = fmt::format("cub_device__fixed__{}_{}_{}__{}", name(c.in), name(c.acc), name(c.op),
                             kernel_names[static_cast<std::size_t>(from.kernel)]);
  launch.grid = from.grid;
  launch.block = from.block;
  launch.shared_bytes = from.shared_bytes;
  for (const CubArgument& argument : from.arguments)
    launch.args.push_back(to_arg(argument, stream));
  return launch;
}

std::uint64_t ceil_log2(std::uint64_t x) { return x <= 1 ? 0 : std::bit_width(x - 1); }

/// Most operations that an element of a launch goes through in one thread, over `tiles` tiles. A
/// full tile is reduced with the value so far as one more item: one after the other where the
/// accumulator has 8 bytes or the operator is not CUB's own, else as a tree. The last, partial tile
/// is always taken one element after the other.
std::uint64_t thread_height(const Case& c, const CubPolicy& policy, std::uint64_t tiles) {
  const bool in_order =
      size_of(c.acc) >= 8 || ((c.op == Op::minimum || c.op == Op::maximum) && is_float(c.acc));
  const std::uint64_t items = policy.items_per_thread;
  const std::uint64_t full = in_order ? items : ceil_log2(items + 1);
  return (tiles - 1) * full + std::max(full, items);
}

/// Five shuffles in each warp, then warp after warp.
std::uint64_t block_height(const CubPolicy& policy) { return 5 + policy.block_threads / 32 - 1; }

std::uint64_t height(const Case& c, const CubDispatch& dispatch) {
  const CubPolicy& policy = dispatch.policy;
  constexpr std::uint64_t initial_value = 1;
  const std::uint64_t one_tile = thread_height(c, policy, 1) + block_height(policy) + initial_value;
  if (dispatch.launches.size() < 2) return one_tile;
  const std::uint64_t blocks = dispatch.launches.front().grid.x;
  const std::uint64_t tiles = (c.n + policy.tile() - 1) / policy.tile();
  return thread_height(c, policy, ceil_div(tiles, blocks)) + block_height(policy) + one_tile;
}

}  // namespace

Plan cub_device_plan(const Case& c, const CubHost& host) {
  Plan plan;
  if (c.n > std::numeric_limits<std::uint32_t>::max()) {
    plan.refusal = fmt::format(
        "cub_device counts elements in 32 bits, as cub::DeviceReduce does for an int or unsigned "
        "count: n={} is too large, at most {}",
        c.n, std::numeric_limits<std::uint32_t>::max());
    return plan;
  }
  if (c.offset % size_of(c.in) != 0) {
    plan.refusal = fmt::format(
        "cub_device needs elements at multiples of their size: offset={} is "
        "no multiple of {}",
        c.offset, size_of(c.in));
    return plan;
  }
  if (c.block_count != 0) {
    plan.refusal = "blocks=FIRST+COUNT: cub_device's final launch needs the partials of all blocks";
    return plan;
  }
  const auto n = static_cast<std::uint32_t>(c.n);
  const std::uint32_t sizes[] = {n, n == 0 ? 0 : n - 1};

  CubCache cache(c.in, c.acc, c.op, host.fixes, host.device);
  if (host.registers_size) {
    for (std::uint32_t s = 0; s < host.streams; ++s) cache.register_size(sizes[s]);
  } else {
    const auto query = cub_dispatch(c.in, c.acc, c.op, 0, std::nullopt, host.device);
    cache.register_size(static_cast<std::uint32_t>(query->policy.tile()));
  }
  cache.allocate();

  const auto element = static_cast<std::uint32_t>(size_of(c.acc));
  plan.buffers.push_back({"out", element, element, Fill::poison});
  if (host.streams > 1) plan.buffers.push_back({"out_second", element, element, Fill::poison});
  const auto first_temporary = static_cast<std::uint32_t>(plan.buffers.size());
  const char* const temporary_names[] = {"temp", "temp_second"};
  std::vector<Stream> streams;
  for (std::uint32_t s = 0; s < host.streams; ++s) {
    const std::uint32_t temporary = first_temporary + cache.buffer_of(s);
    if (temporary == plan.buffers.size()) {
      plan.buffers.push_back(
          {temporary_names[cache.buffer_of(s)], cache.buffer_bytes(), element, Fill::poison});
    }
    streams.push_back({cache.run(sizes[s]), s, temporary});
  }

  for (std::size_t step = 0; step < 2; ++step) {
    for (const Stream& stream : streams) {
      if (step < stream.dispatch.launches.size()) {
        plan.launches.push_back(to_launch(c, stream.dispatch.launches[step], stream));
      }
    }
  }

  const CubDispatch& mine = streams.front().dispatch;
  const std::uint64_t tile = mine.policy.tile();
  plan.grid = mine.launches.empty() ? 1 : mine.launches.front().grid.x;
  plan.padded = round_up(c.n, tile);
  plan.height = height(c, mine);
  plan.observed.push_back({"out", 1, {Coverage::Kind::whole, tile}});
  const bool shared = streams.size() > 1 && streams[1].temporary == streams[0].temporary;
  if (mine.launches.size() == 2 && !shared) {
    plan.observed.push_back({"temp", plan.grid, {Coverage::Kind::grid_stride, tile}});
  }
  return plan;
}

}  // namespace gauntlet::kernels
