// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interface/formats/formats.hpp"

namespace gauntlet::formats {
namespace {

using witness::TraceEvent;

class TraceWriter {
 public:
  explicit TraceWriter(const witness::Trace& trace) : trace_(trace) {}

  Json write() {
    for (const TraceEvent& event : trace_.events) name_places(event);
    for (std::size_t k = 0; k < trace_.events.size(); ++k) add(k);
    Json json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events_)}};
    if (trace_.more != 0) json["otherData"]["leftOut"] = trace_.more;
    return json;
  }

 private:
  /// From 1: viewers take process 0 for the kernel of an operating system.
  std::uint64_t process(const TraceEvent& event) {
    const std::pair place{event.launch, event.block};
    return processes_.try_emplace(place, processes_.size() + 1).first->second;
  }

  void name_places(const TraceEvent& event) {
    const auto pid = process(event);
    const auto meta = [&](const char* what, Json arguments) {
      events_.push_back(Json{{"name", what},
                             {"ph", "M"},
                             {"pid", pid},
                             {"tid", event.thread},
                             {"args", std::move(arguments)}});
    };
    if (!named_.insert({pid, event.thread}).second) return;
    if (named_blocks_.insert(pid).second) {
      meta("process_name",
           Json{{"name", fmt::format("launch {} block {}", event.launch, event.block)}});
    }
    meta("thread_name", Json{{"name", fmt::format("warp {} lane {}", event.warp, event.lane)}});
    meta("thread_sort_index", Json{{"sort_index", event.thread}});
  }

  Json base(std::size_t k, const char* phase, const std::string& name) {
    const TraceEvent& event = trace_.events[k];
    return Json{
        {"name", name}, {"ph", phase}, {"pid", process(event)}, {"tid", event.thread}, {"ts", k}};
  }

  void add(std::size_t k) {
    const TraceEvent& event = trace_.events[k];
    const std::string what =
        event.cell.empty() ? event.verb : fmt::format("{} {}", event.verb, event.cell);
    Json slice = base(k, "X", what);
    slice["dur"] = 1;
    slice["cat"] = event.decides ? "decides" : event.cell.empty() ? "barrier" : "memory";
    slice["args"] = Json{{"step", k}};
    if (!event.cell.empty()) slice["args"]["value"] = event.value;
    if (!event.other.empty()) slice["args"]["in the right run"] = event.other;
    if (event.line != 0) slice["args"]["source"] = fmt::format("{}:{}", event.path, event.line);
    events_.push_back(std::move(slice));
    if (!event.from) return;
    const TraceEvent& writer = trace_.events[*event.from];
    if (writer.block == event.block && writer.thread == event.thread &&
        writer.launch == event.launch) {
      return;
    }
    Json begin = base(*event.from, "s", event.cell), end = base(k, "f", event.cell);
    end["bp"] = "e";  // ends in the slice around it
    for (Json* flow : {&begin, &end}) {
      (*flow)["cat"] = "value";
      (*flow)["id"] = k;
      events_.push_back(*flow);
    }
  }

  const witness::Trace& trace_;
  Json events_ = Json::array();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> processes_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> named_;
  std::set<std::uint64_t> named_blocks_;
};

}  // namespace

Json trace_events(const witness::Trace& trace) { return TraceWriter(trace).write(); }

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
