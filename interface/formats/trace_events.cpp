// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

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

}  // namespace gauntlet::formats
