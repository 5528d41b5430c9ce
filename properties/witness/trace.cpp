// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/trace.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace gauntlet::witness {
namespace {

using simt::Event;

/// In shared memory?, launch and block (of shared memory), word.
using Word = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint64_t>;

bool is_access(const Event& e) { return e.what <= Event::What::atomic; }

/// The same access of the same thread.
bool same(const Step& a, const Step& b) {
  return std::tie(a.launch, a.block, a.thread, a.verb, a.cell, a.value, a.line) ==
         std::tie(b.launch, b.block, b.thread, b.verb, b.cell, b.value, b.line);
}

class Tracing {
 public:
  explicit Tracing(const Explained& explained) : explained_(explained) {}

  Trace run(std::size_t most) {
    for (std::uint32_t launch = 0; launch < explained_.wrong.logs.size(); ++launch) {
      const LaunchLog& log = explained_.wrong.logs[launch];
      const WordTypes types(log, explained_.in, explained_.acc);
      for (const Event& e : log.events) {
        if (result_.events.size() == most) {
          ++result_.more;
        } else {
          add(log, e, launch, types);
        }
      }
    }
    mark_decision();
    return std::move(result_);
  }

 private:
  void add(const LaunchLog& log, const Event& e, std::uint32_t launch, const WordTypes& types) {
    TraceEvent event{step_of(log, e, launch, types), {}, false};
    if (is_access(e)) {
      for (auto word = e.address / 4; word <= (e.address + std::max(e.width, 1U) - 1) / 4; ++word) {
        const Word cell{e.shared, e.shared ? launch : 0, e.shared ? e.block : 0, word};
        const auto writer = written_.find(cell);
        if (e.what != Event::What::write && writer != written_.end()) {
          event.from = std::max(event.from.value_or(0), writer->second);
        }
        if (e.what != Event::What::read) written_[cell] = result_.events.size();
      }
    }
    result_.events.push_back(std::move(event));
  }

  /// The steps of the decision are a part of the events, in their order but for pairs that overlap.
  void mark_decision() {
    for (const Step& step : explained_.decision.steps) {
      const auto at = std::ranges::find_if(result_.events, [&](const TraceEvent& event) {
        return !event.decides && same(event, step);
      });
      if (at == result_.events.end()) continue;
      at->decides = true;
      at->other = step.other;
    }
  }

  const Explained& explained_;
  std::map<Word, std::uint64_t> written_;  ///< the last event that wrote a word
  Trace result_;
};

}  // namespace

Trace trace(const Explained& explained, std::size_t most) { return Tracing(explained).run(most); }

}  // namespace gauntlet::witness
