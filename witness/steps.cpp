// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "witness/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/scalar.hpp"
#include "simt/decode/decode.hpp"
#include "simt/machine/module.hpp"

namespace gauntlet::witness {
namespace {

using simt::Event;

/// Accesses of a cell that an access is compared with: a cell that thousands touch is an atomic's.
constexpr std::size_t most_back = 512;

/// An access, told apart from the same thread's other executions of the instruction.
using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
/// Shared?, block (of shared memory), address of a 4-byte cell.
using Cell = std::tuple<bool, std::uint32_t, std::uint64_t>;

struct Access {
  const Event* event = nullptr;
  std::size_t position = 0;  ///< in the log
};

struct Index {
  std::map<Name, Access> accesses;
  std::map<Cell, std::vector<Name>> cells;  ///< in the order of the run
};

Index index_of(const simt::EventLog& log) {
  Index index;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> seen;
  for (std::size_t k = 0; k < log.size(); ++k) {
    const Event& e = log[k];
    if (e.what > Event::What::atomic) continue;
    const Name name{e.block, e.thread, e.inst, seen[{e.block, e.thread, e.inst}]++};
    index.accesses[name] = {&e, k};
    for (auto word = e.address / 4; word <= (e.address + e.width - 1) / 4; ++word) {
      index.cells[{e.shared, e.shared ? e.block : 0, word}].push_back(name);
    }
  }
  return index;
}

std::uint64_t value_of(const Event& e) {
  return e.width >= 8 ? e.value : e.value & ((std::uint64_t{1} << (8 * e.width)) - 1);
}

std::string text_of(const simt::Kernel& kernel, const Event& e, Type in, Type acc) {
  const auto& op = kernel.memory_ops[kernel.code[e.inst].extra];
  using C = simt::Cell;
  const auto bits = op.size >= 8 ? e.value : e.value & ((std::uint64_t{1} << (8 * op.size)) - 1);
  std::string text;
  switch (op.cell) {
    case C::f32:
      text = format_bits(Type::f32, bits);
      break;
    case C::f64:
      text = format_bits(Type::f64, bits);
      break;
    case C::f16:
      text = format_bits(Type::f16, bits);
      break;
    case C::bf16:
      text = format_bits(Type::bf16, bits);
      break;
    default:  // words without a type of their own
      text = size_of(acc) == op.size  ? format_bits(acc, bits)
             : size_of(in) == op.size ? format_bits(in, bits)
                                      : fmt::format("{}", bits);
  }
  return op.count > 1 ? text + ", ..." : text;
}

std::string verb_of(const simt::Kernel& kernel, const Event& e) {
  switch (e.what) {
    case Event::What::read:
      return "loads";
    case Event::What::write:
      return "stores";
    case Event::What::fence:
      return "fence";
    case Event::What::warp_barrier:
      return "warp barrier";
    case Event::What::block_arrive:
      return "arrives at the block barrier";
    case Event::What::block_leave:
      return "leaves the block barrier";
    case Event::What::exit:
      return "exits";
    case Event::What::atomic:
      break;
  }
  using A = simt::AtomicOp;
  switch (kernel.memory_ops[kernel.code[e.inst].extra].atomic) {
    case A::add:
      return "adds to";
    case A::exch:
    case A::cas:
      return "swaps";
    default:
      return "updates";
  }
}

struct Pair {
  Name first, second;  ///< in the wrong run's order
  Cell cell;
};

class Comparison {
 public:
  Comparison(const LaunchLog& wrong, const LaunchLog& right, Type in, Type acc)
      : log_(wrong),
        in_(in),
        acc_(acc),
        wrong_(index_of(wrong.events)),
        right_(index_of(right.events)) {}

  /// Conflicting accesses of one cell in another order than in the right run, as the second of
  /// them happens; the ones that changed what was read first.
  std::vector<Pair> pairs() const {
    std::vector<Pair> read, written;
    for (const auto& [cell, names] : wrong_.cells) {
      for (std::size_t b = 1; b < names.size(); ++b) {
        const std::size_t last = b > most_back ? b - most_back : 0;
        for (std::size_t a = b; a-- > last;) {
          if (!reordered(names[a], names[b])) continue;
          const bool changed = differs(names[a]) || differs(names[b]);
          (changed ? read : written).push_back({names[a], names[b], cell});
          break;  // the nearest one
        }
      }
    }
    const auto later = [&](const Pair& p) { return wrong_.accesses.at(p.second).position; };
    const auto by_time = [&](const Pair& x, const Pair& y) { return later(x) < later(y); };
    std::stable_sort(read.begin(), read.end(), by_time);
    std::stable_sort(written.begin(), written.end(), by_time);
    // What was read wrong at first is the cause of what follows.
    if (read.empty()) read = std::move(written);
    return read;
  }

  Step step(const Name& name, std::uint32_t launch) const {
    Step s = step_of(log_, *wrong_.accesses.at(name).event, launch, in_, acc_);
    if (differs(name)) {
      const auto& kernel = *log_.module->find(log_.entry);
      s.other = text_of(kernel, *right_.accesses.at(name).event, in_, acc_);
    }
    return s;
  }

 private:
  [[nodiscard]] bool reordered(const Name& a, const Name& b) const {
    const Event &x = *wrong_.accesses.at(a).event, &y = *wrong_.accesses.at(b).event;
    if (x.block == y.block && x.thread == y.thread) return false;
    if (x.what == Event::What::read && y.what == Event::What::read) return false;
    if (x.what == Event::What::atomic && y.what == Event::What::atomic) return false;
    const auto ra = right_.accesses.find(a), rb = right_.accesses.find(b);
    return ra != right_.accesses.end() && rb != right_.accesses.end() &&
           ra->second.position > rb->second.position;
  }
  /// It read something else than in the right run.
  [[nodiscard]] bool differs(const Name& name) const {
    const Event& e = *wrong_.accesses.at(name).event;
    const auto other = right_.accesses.find(name);
    return e.what == Event::What::read && other != right_.accesses.end() &&
           value_of(e) != value_of(*other->second.event);
  }

  const LaunchLog& log_;
  Type in_, acc_;
  Index wrong_, right_;
};

std::string who(const Step& s, const Step& other) {
  std::string text = fmt::format("lane {}", s.lane);
  if (s.warp != other.warp || s.warp != 0) text = fmt::format("warp {} {}", s.warp, text);
  if (s.block != other.block) text = fmt::format("block {} {}", s.block, text);
  return text;
}

}  // namespace

Step step_of(const LaunchLog& log, const Event& e, std::uint32_t launch, Type in, Type acc) {
  const simt::Kernel& kernel = *log.module->find(log.entry);
  Step s;
  s.launch = launch;
  s.block = e.block;
  s.thread = e.thread;
  s.warp = e.thread / simt::warp_size;
  s.lane = e.thread % simt::warp_size;
  const auto loc = e.what == Event::What::exit ? -1 : kernel.code[e.inst].loc;
  if (loc >= 0) {
    const auto& line = kernel.lines[static_cast<std::size_t>(loc)];
    s.line = line.line;
    if (line.file < kernel.files.size()) {
      s.path = kernel.files[line.file];
      s.file = s.path.substr(s.path.rfind('/') + 1);
    }
  }
  s.verb = verb_of(kernel, e);
  if (e.what > Event::What::atomic) return s;
  s.cell = cell_name(log, e);
  s.value = text_of(kernel, e, in, acc);
  return s;
}

std::string cell_name(const LaunchLog& log, const Event& event) {
  const auto index = [&](std::int64_t bytes, std::int64_t size) {
    return bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
  };
  if (!event.shared) {
    for (const auto& a : log.arrays) {
      if (event.address - a.base >= a.bytes) continue;
      const auto bytes = static_cast<std::int64_t>(event.address - a.base) - a.index_base;
      return fmt::format("{}[{}]", a.name, index(bytes, std::max(a.element_bytes, 1U)));
    }
    return fmt::format("0x{:x}", event.address);
  }
  const auto& kernel = *log.module->find(log.entry);
  const auto size = kernel.memory_ops[kernel.code[event.inst].extra].size;
  const auto address = static_cast<std::int64_t>(event.address);
  if (address >= simt::dynamic_shared_base - std::int64_t{simt::shared_gap}) {
    return fmt::format("{}[{}]", kernel.dynamic_shared_name,
                       index(address - simt::dynamic_shared_base, size));
  }
  for (const auto& s : kernel.shared) {
    if (address < s.offset || address >= std::int64_t{s.offset} + s.bytes) continue;
    return fmt::format("{}[{}]", s.name, index(address - s.offset, size));
  }
  return fmt::format("shared+{}", address);
}

Decision deciding_steps(const Outcome& wrong, const Outcome& right, Type in, Type acc,
                        std::size_t most) {
  Decision decision;
  const auto launches = std::min(wrong.logs.size(), right.logs.size());
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    const Comparison comparison(wrong.logs[launch], right.logs[launch], in, acc);
    for (const Pair& pair : comparison.pairs()) {
      if (decision.steps.size() >= 2 * most) {
        ++decision.more;
        continue;
      }
      decision.steps.push_back(comparison.step(pair.first, launch));
      decision.steps.push_back(comparison.step(pair.second, launch));
    }
    if (!decision.steps.empty()) break;  // later launches follow from it
  }
  return decision;
}

std::string in_words(const Decision& decision) {
  if (decision.steps.size() < 2) return {};
  const Step &first = decision.steps[0], &second = decision.steps[1];
  return fmt::format("{} {} {} before {} {} it", who(first, second), first.verb, first.cell,
                     who(second, first), second.verb);
}

}  // namespace gauntlet::witness
