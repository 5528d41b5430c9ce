// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cooperative groups, and which threads make up a warp.
#include <fmt/format.h>

#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

struct Shape {
  Dim3 grid, block;
  [[nodiscard]] std::string text() const {
    return fmt::format("grid {}x{}x{}, block {}x{}x{}", grid.x, grid.y, grid.z, block.x, block.y,
                       block.z);
  }
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{{3}, {1}},         {{2}, {33}},
                                      {{2}, {48}},        {{1}, {256}},
                                      {{2, 2}, {16, 4}},  {{2, 2, 2}, {8, 3, 5}},
                                      {{1, 3}, {32, 32}}, {{2, 1, 2}, {1, 1, 64}}};
  return all;
}

/// Position `i` in an extent, x fastest.
Dim3 position(std::uint32_t i, const Dim3& extent) {
  return {i % extent.x, i / extent.x % extent.y, i / extent.x / extent.y};
}

/// Compares words [at, at + expected.size()) of `got`.
void compare(Survey& survey, const std::vector<std::uint32_t>& got, std::size_t at,
             const std::vector<std::uint32_t>& expected, const auto& where) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    survey.add(got[at + k] == expected[k], [&] {
      return fmt::format("{}, word {}: {}, not {}", where(), k, got[at + k], expected[k]);
    });
  }
}

std::vector<std::uint32_t> run_words(const Runner& runner, const std::string& entry,
                                     const Shape& shape, std::size_t words) {
  Call call("groups", entry, shape.grid, shape.block);
  call.out<std::uint32_t>("out", shape.grid.count() * shape.block.count() * words);
  return runner(call).array<std::uint32_t>("out");
}

/// Every thread of a launch: place in the arrays, linear block, linear thread.
void for_each_thread(const Shape& shape, const auto& visit) {
  const auto threads = static_cast<std::uint32_t>(shape.block.count());
  for (std::uint32_t b = 0; b < shape.grid.count(); ++b) {
    for (std::uint32_t t = 0; t < threads; ++t) visit(std::size_t{b} * threads + t, b, t);
  }
}

}  // namespace

Survey survey_block_group(const Runner& runner) {
  Survey survey;
  for (const Shape& shape : shapes()) {
    const auto size = static_cast<std::uint32_t>(shape.block.count());
    const auto words = run_words(runner, "block_group", shape, 8);
    const auto mirrored = run_words(runner, "block_group_sync", shape, 1);
    for_each_thread(shape, [&](std::size_t at, std::uint32_t b, std::uint32_t t) {
      const auto where = [&] { return fmt::format("{}, block {} thread {}", shape.text(), b, t); };
      const Dim3 block = position(b, shape.grid), thread = position(t, shape.block);
      compare(survey, words, 8 * at,
              {t, size, block.x, block.y, block.z, thread.x, thread.y, thread.z}, where);
      compare(survey, mirrored, at, {b * size + size - 1 - t}, where);
    });
  }
  return survey;
}

Survey survey_tiles(const Runner& runner) {
  Survey survey;
  for (const Shape& shape : shapes()) {
    const auto threads = static_cast<std::uint32_t>(shape.block.count());
    if (threads % 32 != 0) continue;  // what tiled_partition asks for
    const auto words = run_words(runner, "tiles", shape, 10);
    for_each_thread(shape, [&](std::size_t at, std::uint32_t b, std::uint32_t t) {
      compare(survey, words, 10 * at,
              {t % 32, 32, t / 32, threads / 32, t % 4, 4, t / 4, threads / 4, t % 4, 8},
              [&] { return fmt::format("{}, block {} thread {}", shape.text(), b, t); });
    });
    for (const std::uint32_t size : {1U, 2U, 4U, 8U, 16U, 32U}) {
      Call call("groups", "run_time_tile", shape.grid, shape.block);
      call.value(size).out<std::uint32_t>("out", 2 * shape.grid.count() * threads);
      const auto got = runner(call).array<std::uint32_t>("out");
      for_each_thread(shape, [&](std::size_t at, std::uint32_t b, std::uint32_t t) {
        compare(survey, got, 2 * at, {t % size, size}, [&] {
          return fmt::format("{}, block {} thread {}, tile of {}", shape.text(), b, t, size);
        });
      });
    }
  }
  return survey;
}

Survey survey_tile_shuffles(const Runner& runner) {
  constexpr Shuffle kinds[] = {Shuffle::idx, Shuffle::up, Shuffle::down, Shuffle::exclusive_or};
  Survey survey;
  for (const std::uint32_t size : {2U, 4U, 8U, 16U, 32U}) {
    for (std::int32_t delta = 0; delta < static_cast<std::int32_t>(size); ++delta) {
      Call call("groups", "tile_shuffles", {1}, {64});
      call.value(size).value(delta).out<std::int32_t>("sources", 4 * 64);
      const auto sources = runner(call).array<std::int32_t>("sources");
      for (int t = 0; t < 64; ++t) {
        for (int k = 0; k < 4; ++k) {
          const int got = sources[static_cast<std::size_t>(4 * t + k)];
          const int wanted =
              guide_source(kinds[k], static_cast<int>(size), static_cast<unsigned>(delta), t % 32);
          survey.add(got == wanted, [&] {
            return fmt::format("tile of {}, shuffle {} by {}: thread {} read lane {}, not {}", size,
                               k, delta, t, got, wanted);
          });
        }
      }
    }
  }
  for (std::uint32_t which = 0; which < 256; ++which) {
    Call call("groups", "some_tiles", {1}, {32});
    call.value(which).out<std::int32_t>("sums", 32);
    const auto sums = runner(call).array<std::int32_t>("sums");
    for (int t = 0; t < 32; ++t) {
      const int wanted = which >> (t / 4) & 1 ? 4 * (t - t % 4) + 6 : -1;
      survey.add(sums[static_cast<std::size_t>(t)] == wanted, [&] {
        return fmt::format("tiles {:#04x} of 4 only: thread {} has {}, not {}", which, t,
                           sums[static_cast<std::size_t>(t)], wanted);
      });
    }
  }
  return survey;
}

Survey survey_composition(const Runner& runner) {
  std::vector<Shape> all;
  for (std::uint32_t b = 1; b <= 1024; ++b) all.push_back({{2}, {b}});
  for (const Dim3 block : {Dim3{16, 4}, Dim3{48, 3}, Dim3{5, 7, 3}, Dim3{1, 33}, Dim3{2, 2, 64}}) {
    all.push_back({{2}, block});
  }
  Survey survey;
  for (const Shape& shape : all) {
    const auto threads = static_cast<std::uint32_t>(shape.block.count());
    Call call("composition", "composition", shape.grid, shape.block);
    for (const char* name : {"lanes", "together", "same_block"}) {
      call.out<std::uint32_t>(name, 2 * std::size_t{threads});
    }
    const Outcome outcome = runner(call);
    const auto lanes = outcome.array<std::uint32_t>("lanes");
    const auto together = outcome.array<std::uint32_t>("together");
    const auto same_block = outcome.array<std::uint32_t>("same_block");
    for_each_thread(shape, [&](std::size_t at, std::uint32_t b, std::uint32_t t) {
      const std::uint32_t present = std::min(32U, threads - t / 32 * 32);
      const std::uint32_t mask = 0xffff'ffff >> (32 - present);
      const auto where = [&] { return fmt::format("{}, block {} thread {}", shape.text(), b, t); };
      compare(survey, lanes, at, {t % 32}, where);
      compare(survey, together, at, {mask}, where);
      compare(survey, same_block, at, {mask}, where);
    });
  }
  return survey;
}

}  // namespace gauntlet::claims
