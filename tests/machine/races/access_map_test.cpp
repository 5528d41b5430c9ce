// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an AccessMap keeps by pages and runs, judged by the ways of each byte: random accesses, side
// by side as those of a stream, or anywhere.
#include "machine/races/access_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace gauntlet::simt::test::access_map {
namespace {

constexpr std::uint64_t array_bytes = 3 * 4096 + 100;

using Bytes = std::vector<std::uint8_t>;

struct Both {
  AccessMap map;
  Bytes bytes = Bytes(array_bytes, 0);
  std::uint64_t next = 0;  ///< where the last run has ended
};

/// By its address a map knows it again.
const MemoryOp& operation(MemoryOp::What what, bool strong, unsigned size) {
  static std::map<std::tuple<MemoryOp::What, bool, unsigned>, MemoryOp> all;
  MemoryOp& op = all[{what, strong, size}];
  op.what = what;
  op.size = static_cast<std::uint8_t>(size);
  op.count = 1;
  op.order = strong ? Order::relaxed : Order::weak;
  op.scope = Scope::gpu;
  return op;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

 private:
  std::mt19937_64 engine_;
};

/// `reads`: the part of accesses that are plain loads, of 8.
void note(Both& both, const Allocation& array, Random& random, unsigned reads, bool atomics,
          std::uint64_t begin, std::uint64_t end) {
  const unsigned size = 1U << random.below(4);
  using What = MemoryOp::What;
  const bool load = random.below(8) < reads;
  const MemoryOp& op = load      ? operation(What::load, false, size)
                       : atomics ? operation(What::reduction, true, size)
                                 : operation(What::store, false, size);
  const bool goes_on =
      random.below(2) == 0 && both.next % size == 0 && both.next >= begin && both.next + 256 <= end;
  const std::uint64_t at =
      goes_on ? both.next : begin + random.below(end - begin - 256) / size * size;
  const auto mark = [&](std::uint64_t from, std::uint64_t bytes) {
    for (std::uint64_t k = from; k < from + bytes; ++k) both.bytes[k] |= access_ways(op);
  };
  if (random.below(2) == 0) {
    const std::uint64_t bytes = 32 * std::uint64_t{size};
    if (const Allocation* const of = both.map.goes_on(size, op, array.base + at, bytes)) {
      EXPECT_EQ(of, &array);
      // Who keeps pages that are stored to is not asked then.
      EXPECT_EQ((at - 1) / 4096, (at + bytes - 1) / 4096);
    } else {
      both.map.note_run(array, size, op, at, bytes);
    }
    mark(at, bytes);
    both.next = at + bytes;
    return;
  }
  std::array<std::uint64_t, 32> address{};
  std::uint32_t mask = 0;
  for (unsigned l = 0; l < 32; ++l) {
    if (random.below(4) == 0) continue;
    const std::uint64_t to = at + random.below(32) * size;
    address[l] = array.base + to;
    mask |= 1U << l;
    mark(to, size);
  }
  both.map.note(array, op, address.data(), size, mask);
}

bool independent(const std::vector<Both>& maps) {
  for (std::uint64_t k = 0; k < array_bytes; ++k) {
    unsigned reads = 0, writes = 0, atomics = 0, sizes = 0;
    for (std::size_t m = 0; m < maps.size(); ++m) {
      const unsigned w = maps[m].bytes[k];
      const bool r = (w & (weak_read | strong_read)) != 0, s = (w & weak_write) != 0;
      const bool a = (w & strong_write) != 0;
      if (s && reads + writes + atomics != 0) return false;
      if (r && writes + atomics != 0) return false;
      if (a && reads + writes != 0) return false;
      if (a && atomics != 0 && std::popcount((w | sizes) >> 4) > 1) return false;
      if (m != 0 && a && (r || s)) return false;
      reads += r ? 1 : 0;
      writes += s ? 1 : 0;
      atomics += a ? 1 : 0;
      sizes |= w;
    }
  }
  return true;
}

std::vector<AccessRange> ranges(const Bytes& bytes, Address base) {
  std::vector<AccessRange> all;
  for (std::uint64_t k = 0; k < bytes.size(); ++k) {
    if (bytes[k] == 0) continue;
    if (!all.empty() && all.back().end == base + k && all.back().ways == bytes[k])
      ++all.back().end;
    else
      all.push_back({base + k, base + k + 1, bytes[k]});
  }
  return all;
}

void expect_same(AccessMap& map, const Bytes& bytes, const Allocation& array, unsigned seed) {
  for (std::uint64_t k = 0; k < array_bytes; ++k) {
    ASSERT_EQ(map.wrote(array.base, k), (bytes[k] & (weak_write | strong_write)) != 0) << seed;
  }
  const auto taken = map.take();
  const auto expected = ranges(bytes, array.base);
  ASSERT_EQ(taken.size(), expected.empty() ? 0U : 1U) << seed;
  if (expected.empty()) return;
  std::vector<AccessRange> seen;
  for (const AccessRange& range : taken[0].second) {
    each_piece(range, [&](Address begin, Address end) {
      seen.push_back({begin, end, range.ways});
    });
  }
  ASSERT_EQ(seen.size(), expected.size()) << seed;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(std::tuple(seen[k].begin, seen[k].end, seen[k].ways),
              std::tuple(expected[k].begin, expected[k].end, expected[k].ways))
        << seed;
  }
  EXPECT_TRUE(map.take().empty()) << "what was taken is forgotten";
}

/// Each third word, up to one that is alone: pieces begin anew where length, distance or ways do.
TEST(AccessMap, gives_pieces_in_one_distance_as_one_range) {
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.bytes = array_bytes;
  const Allocation& array = *memory.find(memory.allocate(options));
  MemoryOp op;
  AccessMap map;
  const auto note = [&](std::uint64_t at) {
    const std::uint64_t address[32] = {array.base + at};
    map.note(array, op, address, 4, 1);
  };
  for (std::uint64_t k = 0; k < 5; ++k) note(12 * k);
  note(200);
  const auto taken = map.take();
  ASSERT_EQ(taken.size(), 1U);
  const std::vector<AccessRange> expected = {{array.base, array.base + 52, weak_read, 4, 12},
                                             {array.base + 200, array.base + 204, weak_read}};
  EXPECT_EQ(taken[0].second, expected);
  std::uint64_t pieces = 0;
  each_piece(expected[0], array.base + 13, array.base + 25, [&](Address begin, Address end) {
    EXPECT_EQ(begin, array.base + 12 * ++pieces);
    EXPECT_EQ(end, begin + 4);
  });
  EXPECT_EQ(pieces, 2U);
}

TEST(AccessMap, of_random_accesses_is_what_each_byte_says) {
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.bytes = array_bytes;
  const Allocation& array = *memory.find(memory.allocate(options));
  unsigned apart = 0, together = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    std::vector<Both> maps(3);
    const bool atomics = random.below(3) == 0, split = random.below(2) == 0;
    const auto reads = static_cast<unsigned>(random.below(10));
    const auto notes = 1 + random.below(8);
    for (std::size_t m = 0; m < maps.size(); ++m) {
      const std::uint64_t part = array_bytes / maps.size();
      for (std::uint64_t n = 0; n < notes; ++n) {
        note(maps[m], array, random, reads, atomics, split ? m * part / 8 * 8 : 0,
             split ? (m + 1) * part : array_bytes);
      }
    }
    const bool expected = independent(maps);
    (expected ? apart : together) += 1;
    AccessMap beside[2];
    for (unsigned k = 0; k < 2; ++k) beside[k].add(maps[k + 1].map);
    EXPECT_EQ(AccessMap::independent(maps[0].map, beside), expected) << seed;
    Bytes all = maps[1].bytes;
    for (std::uint64_t k = 0; k < array_bytes; ++k) all[k] |= maps[2].bytes[k];
    beside[0].add(beside[1]);
    expect_same(beside[0], all, array, seed);
    expect_same(maps[0].map, maps[0].bytes, array, seed);
  }
  EXPECT_GT(apart, 300U);
  EXPECT_GT(together, 300U);
}

TEST(AccessMap, of_a_stream_is_one_range) {
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.bytes = array_bytes;
  const Allocation& array = *memory.find(memory.allocate(options));
  AccessMap map;
  const MemoryOp op = operation(MemoryOp::What::store, false, 4);
  std::vector<std::uint64_t> begins;
  for (std::uint64_t at = 0; at + 128 <= array_bytes; at += 128) {
    if (map.goes_on(3, op, array.base + at, 128) != nullptr) continue;
    begins.push_back(at);
    map.note_run(array, 3, op, at, 128);
  }
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0, 4096, 8192}));  // once a page
  const auto taken = map.take();
  ASSERT_EQ(taken.size(), 1U);
  ASSERT_EQ(taken[0].second.size(), 1U);
  EXPECT_EQ(taken[0].second[0].end - taken[0].second[0].begin, array_bytes / 128 * 128);
}

}  // namespace
}  // namespace gauntlet::simt::test::access_map
