// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interface/formats/formats.hpp"

namespace gauntlet::formats {
namespace {

using simt::Event;
using witness::TraceEvent;

using Clock = std::map<std::string, std::uint64_t>;

void join(Clock& into, const Clock& other) {
  for (const auto& [host, time] : other) into[host] = std::max(into[host], time);
}

std::string host(const TraceEvent& event) {
  return fmt::format("{}b{}.t{}", event.launch == 0 ? "" : fmt::format("l{}.", event.launch),
                     event.block, event.thread);
}

class ShivizWriter {
 public:
  explicit ShivizWriter(const witness::Trace& trace) : events_(trace.events) {}

  std::string write() {
    for (std::size_t k = 0; k < events_.size(); ++k) {
      if (events_[k].what == Event::What::warp_barrier && starts_group(k)) meet_warp(k);
      add(events_[k]);
    }
    return std::move(text_);
  }

 private:
  bool starts_group(std::size_t k) const {
    return k == 0 || events_[k - 1].what != Event::What::warp_barrier ||
           events_[k - 1].group != events_[k].group;
  }

  /// All lanes come before any of them goes on; the log has one event for each, one after the
  /// other.
  void meet_warp(std::size_t k) {
    const std::uint64_t group = events_[k].group;
    Clock& met = met_[{events_[k].launch, group}];
    for (; k < events_.size() && events_[k].what == Event::What::warp_barrier &&
           events_[k].group == group;
         ++k) {
      join(met, threads_[host(events_[k])]);
    }
  }

  void add(const TraceEvent& event) {
    const std::string who = host(event);
    Clock& clock = threads_[who];
    if (event.from) join(clock, times_[*event.from]);
    const std::pair group{event.launch, event.group};
    if (event.what == Event::What::warp_barrier || event.what == Event::What::block_leave) {
      join(clock, met_[group]);
    }
    ++clock[who];
    if (event.what == Event::What::block_arrive) join(met_[group], clock);
    std::string spelt;
    for (const auto& [name, time] : clock) {
      spelt += fmt::format("{}\"{}\": {}", spelt.empty() ? "" : ", ", name, time);
    }
    text_ += fmt::format("{} {{{}}}\n{}", who, spelt, event.verb);
    if (!event.cell.empty()) text_ += fmt::format(" {}: {}", event.cell, event.value);
    if (event.line != 0) text_ += fmt::format(" ({}:{})", event.file, event.line);
    text_ += '\n';
    times_.push_back(clock);
  }

  const std::vector<TraceEvent>& events_;
  std::map<std::string, Clock> threads_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Clock> met_;
  std::vector<Clock> times_;  ///< of each event
  std::string text_;
};

}  // namespace

std::string shiviz(const witness::Trace& trace) { return ShivizWriter(trace).write(); }

}  // namespace gauntlet::formats
