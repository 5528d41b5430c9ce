// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/schedules/schedule_string.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/numbers.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::string_view base_letters = "LWBAD";

std::string ranges(std::uint32_t lanes) {
  std::string text;
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    int last = lane;
    while (last + 1 < warp_size && (lanes >> (last + 1) & 1) != 0) ++last;
    if (!text.empty()) text += ',';
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
    lane = last;
  }
  return text;
}

/// Reads one LAUNCH from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : all_(text), rest_(text) {}

  LaunchSchedule launch() {
    LaunchSchedule launch;
    if (rest_.empty() || base_letters.find(rest_.front()) == std::string_view::npos) {
      refuse("begins with one of L, W, B, A, D");
    }
    launch.base = static_cast<LaunchSchedule::Base>(rest_.front());
    rest_.remove_prefix(1);
    launch.coarse = take('c');
    if (at_digit()) launch.residents = number<std::uint32_t>();
    if (launch.residents == 0) refuse("at least one block is resident");
    std::uint32_t block = 0, warp = 0;
    while (!rest_.empty()) {
      if (!take('.')) refuse("preemptions are separated by `.`");
      Preemption d = preemption(block, warp);
      block = d.block;
      warp = d.warp;
      launch.preemptions.push_back(d);
    }
    return launch;
  }

 private:
  Preemption preemption(std::uint32_t block, std::uint32_t warp) {
    const auto begin = rest_.size();
    Preemption d{.block = block, .warp = warp};
    if (at_digit()) d.gap = number<std::uint64_t>();
    if (take('b')) d.block = number<std::uint32_t>();
    if (take('w')) d.warp = number<std::uint32_t>();
    d.whole = true;
    if (take('f')) {
      d.lanes = 1U << lane();
    } else if (take('l')) {
      d.whole = false;
      d.lanes = 0;
      do {
        const auto from = lane();
        const auto to = take('-') ? lane() : from;
        if (to < from) refuse("a range of lanes goes up");
        d.lanes |= (all_lanes >> (31 - (to - from))) << from;
      } while (take(','));
    }
    if (take('x')) d.times = number<std::uint64_t>();
    if (d.times == 0) refuse("a preemption happens at least once");
    d.far = take('a');
    d.reconverge = take('r');
    if (rest_.size() == begin) refuse("a preemption is empty");
    return d;
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool at_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  template <class T>
  T number() {
    const auto value = at_digit() ? take_number<T>(rest_) : std::nullopt;
    if (!value) refuse("a number is missing or too large");
    return *value;
  }
  std::uint32_t lane() {
    const auto value = number<std::uint32_t>();
    if (value >= warp_size) refuse("a warp has lanes 0 to 31");
    return value;
  }
  [[noreturn]] void refuse(std::string_view rule) const {
    const auto piece = rest_.substr(0, 16);
    throw CaseError(fmt::format("replay string: `{}` after {} characters cannot be read: {}", piece,
                                all_.size() - rest_.size(), rule));
  }

  std::string_view all_, rest_;
};

}  // namespace

std::string to_string(const LaunchSchedule& launch) {
  std::string text(1, static_cast<char>(launch.base));
  if (launch.coarse) text += 'c';
  if (launch.residents != 1) text += fmt::format("{}", launch.residents);
  std::uint32_t block = 0, warp = 0;
  for (const Preemption& d : launch.preemptions) {
    text += '.';
    const auto before = text.size();
    if (d.gap != 0) text += fmt::format("{}", d.gap);
    if (d.block != block) text += fmt::format("b{}", d.block);
    if (d.warp != warp) text += fmt::format("w{}", d.warp);
    if (!d.whole) {
      text += 'l' + ranges(d.lanes);
    } else if (d.lanes != 1) {
      text += fmt::format("f{}", std::countr_zero(d.lanes));
    }
    if (d.times != 1) text += fmt::format("x{}", d.times);
    if (d.far) text += 'a';
    if (d.reconverge) text += 'r';
    if (text.size() == before) text += "f0";
    block = d.block;
    warp = d.warp;
  }
  return text;
}

std::string to_string(const std::vector<LaunchSchedule>& launches) {
  std::size_t count = launches.size();
  const auto implied = [&](std::size_t k) {
    LaunchSchedule before = launches[k - 1];
    before.preemptions.clear();
    return launches[k] == before;
  };
  while (count > 1 && implied(count - 1)) --count;
  std::string text;
  for (std::size_t k = 0; k < count; ++k) {
    if (k != 0) text += '_';
    text += to_string(launches[k]);
  }
  return text;
}

std::vector<LaunchSchedule> parse_launch_schedules(std::string_view text) {
  std::vector<LaunchSchedule> launches;
  for (std::size_t begin = 0;;) {
    const auto end = std::min(text.find('_', begin), text.size());
    launches.push_back(Reader(text.substr(begin, end - begin)).launch());
    if (end == text.size()) return launches;
    begin = end + 1;
  }
}

std::string replay_spelling(const std::vector<LaunchSchedule>& launches) {
  return to_string(Schedule{.kind = Schedule::Kind::replay, .recorded = to_string(launches)});
}

LaunchSchedule launch_schedule(const std::vector<LaunchSchedule>& launches, std::uint32_t launch) {
  if (launch < launches.size()) return launches[launch];
  LaunchSchedule last = launches.back();
  last.preemptions.clear();
  return last;
}

LaunchSchedule base_of(const Schedule& schedule, std::uint32_t launch) {
  using Base = LaunchSchedule::Base;
  LaunchSchedule result;
  result.coarse = true;
  switch (schedule.kind) {
    case Schedule::Kind::lockstep:
      return result;
    case Schedule::Kind::warp_reversed:
      result.base = Base::warps;
      return result;
    case Schedule::Kind::block_reversed:
      result.base = Base::blocks;
      return result;
    case Schedule::Kind::low_lane_first:
      result.base = Base::up;
      return result;
    case Schedule::Kind::high_lane_first:
      result.base = Base::down;
      return result;
    case Schedule::Kind::replay:
      result = launch_schedule(parse_launch_schedules(schedule.recorded), launch);
      result.preemptions.clear();
      return result;
    default:
      return {};
  }
}

}  // namespace gauntlet::simt
