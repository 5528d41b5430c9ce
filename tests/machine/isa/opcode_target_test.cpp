// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Hot handlers are compiled for several processors (machine/code/target.hpp): on any of them they
// leave the same bits, in registers, poison and origins, whatever lanes are active.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "machine/code/target.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t registers = 6, register_bytes = 256, slots = registers + 1;

/// What a handler may change: 6 registers of 32 lanes of 8 bytes, their poison and its origins.
struct State {
  std::vector<std::byte> bytes = std::vector<std::byte>(registers * register_bytes);
  std::vector<std::uint32_t> poison = std::vector<std::uint32_t>(slots);
  std::vector<std::uint32_t> origin = std::vector<std::uint32_t>(slots * warp_size);
  bool poison_live = false;
  bool operator==(const State&) const = default;
};

class Draw {
 public:
  /// SplitMix64's upper half: half of this test's time was the Mersenne Twister's.
  std::uint32_t operator()() {
    std::uint64_t x = counter_ += 0x9E37'79B9'7F4A'7C15;
    x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9;
    x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EB;
    return static_cast<std::uint32_t>((x ^ x >> 31) >> 32);
  }
  /// A lane's four bytes; two of them are a border case of 64 bits now and then.
  std::uint32_t word() {
    static constexpr std::uint32_t borders[] = {
        0,           1,           2,           31,          32,          33,          63,
        64,          0x7F80'0000, 0xFF80'0000, 0x7F80'0001, 0x7FC1'2345, 0xFFC0'0000, 0xFFFF'FFFF,
        0x8000'0000, 0x7FFF'FFFF, 0x0000'FFFF, 0x0000'8000, 0x007F'FFFF, 0x8000'0001, 0x3F80'0000,
        0xBF80'0000, 0x7F7F'FFFF, 0x7FF0'0000, 0xFFF0'0000, 0x7FF8'0000, 0x7FEF'FFFF, 0x0010'0000};
    const auto x = (*this)();
    return x % 3 == 0 ? (*this)() : borders[x / 3 % std::size(borders)];
  }
  std::uint32_t mask() {
    switch ((*this)() % 4) {
      case 0:
        return all_lanes;
      case 1:
        return 1U << (*this)() % 32;
      case 2:
        return all_lanes >> (1 + (*this)() % 31);
      default:
        return (*this)() | 1;
    }
  }
  State state() {
    State s;
    for (std::size_t at = 0; at < s.bytes.size(); at += 4) {
      const auto x = word();
      std::memcpy(&s.bytes[at], &x, 4);
    }
    s.poison_live = (*this)() % 2 == 0;
    // Slot 0 is of what can hold none.
    for (std::uint32_t k = 1; k < slots && s.poison_live; ++k) s.poison[k] = (*this)() & (*this)();
    for (auto& x : s.origin) x = (*this)() % 1000;
    return s;
  }
  Inst inst(bool one_width) {
    Inst i;
    const auto operand = [&](std::uint32_t number) {
      return Operand{number * register_bytes, number + 1};
    };
    i.d = operand(0);
    i.a = operand(one_width && (*this)() % 3 == 0 ? 0 : 1);  // the destination may be a source
    i.b = operand(2);
    i.c = operand(3);
    i.variant = static_cast<std::uint8_t>((*this)() % 8);
    i.second = (*this)() % 2 == 0 ? Operand{} : operand(4);
    return i;
  }

 private:
  std::uint64_t counter_ = 20261122;
};

State after(Handler handler, const Inst& inst, std::uint32_t mask, State s) {
  Warp w;
  w.registers = s.bytes.data();
  w.pool = s.bytes.data();
  w.poison = s.poison.data();
  w.origin = s.origin.data();
  w.poison_live = s.poison_live;
  handler(w, inst, mask);
  s.poison_live = w.poison_live;
  return s;
}

TEST(OpcodeTarget, hot_handlers_of_every_target_leave_the_same_bits) {
  // The first ones in hot_handlers.cpp have operands and results of one width.
  constexpr std::size_t of_one_width = 36;
  const auto baseline = handlers_of("baseline");
  ASSERT_GT(baseline.size(), 100U);
  Draw draw;
  for (const auto name : targets()) {
    if (name == "baseline") continue;
    const auto handlers = handlers_of(name);
    ASSERT_EQ(handlers.size(), baseline.size()) << name;
    for (std::size_t k = 0; k < handlers.size(); ++k) {
      for (int round = 0; round < 300; ++round) {
        const auto inst = draw.inst(k < of_one_width);
        const auto mask = draw.mask();
        const auto before = draw.state();
        ASSERT_EQ(after(handlers[k], inst, mask, before), after(baseline[k], inst, mask, before))
            << name << ": handler " << k << ", round " << round;
      }
    }
  }
}

TEST(OpcodeTarget, hot_handlers_touch_active_lanes_only) {
  // Some lanes and then the others are as good as all at once.
  Draw draw;
  for (const auto name : targets()) {
    const auto handlers = handlers_of(name);
    for (std::size_t k = 0; k < handlers.size(); ++k) {
      for (int round = 0; round < 50; ++round) {
        const auto inst = draw.inst(false);
        const auto mask = draw.mask();
        const auto before = draw.state();
        const auto some = after(handlers[k], inst, mask, before);
        const auto both = mask == all_lanes ? some : after(handlers[k], inst, ~mask, some);
        ASSERT_EQ(both, after(handlers[k], inst, all_lanes, before))
            << name << ": handler " << k << ", round " << round;
      }
    }
  }
}

TEST(OpcodeTarget, every_target_has_handlers_of_its_own) {
  std::set<Handler> all;
  for (const auto name : targets()) {
    const auto handlers = handlers_of(name);
    for (const auto handler : handlers) {
      EXPECT_NE(handler, nullptr) << name;
      EXPECT_TRUE(all.insert(handler).second || name == "baseline") << name;
    }
  }
}

TEST(OpcodeTarget, instructions_are_executed_by_the_target_in_use) {
  const auto baseline = handlers_of("baseline"), used = handlers_of(target());
  for (std::size_t k = 0; k < baseline.size(); ++k) {
    EXPECT_EQ(for_target(baseline[k]), used[k]) << "handler " << k;
  }
  EXPECT_EQ(for_target(nullptr), nullptr);
}

}  // namespace
}  // namespace gauntlet::simt
