// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/witness/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/scalar.hpp"
#include "machine/engine/module.hpp"
#include "machine/isa/decode.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::witness {
namespace {

using simt::Event;

/// Accesses of a cell that an access is compared with: a cell that thousands touch is an atomic's.
constexpr std::size_t most_back = 512;

/// An access, told apart from the same thread's other executions of the instruction.
using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
/// Shared?, block (of shared memory), address of a 4-byte cell.
using Cell = std::tuple<bool, std::uint32_t, std::uint64_t>;

/// Calls visit(name, event) for each access, in the order of the run.
template <class Visit>
void for_each_access(const simt::EventLog& log, const Visit& visit) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> seen;
  for (const Event& e : log) {
    if (e.what > Event::What::atomic) continue;
    visit(Name{e.block, e.thread, e.inst, seen[{e.block, e.thread, e.inst}]++}, e);
  }
}

/// An access of the wrong run, and the same one in the right run.
struct Access {
  const Event* event = nullptr;
  const Event* right = nullptr;    ///< none where the right run lacks it
  std::size_t right_position = 0;  ///< among the right run's accesses
};

/// What it read or wrote: the bits that count, and those that nobody defined.
std::pair<std::uint64_t, std::uint64_t> value_of(const Event& e) {
  return {e.value & ~e.undefined & simt::bits_of(e.width), e.undefined};
}

std::string element_text(const simt::MemoryOp& op, const Event& e, const WordTypes& types) {
  const std::uint64_t bits = e.value & simt::bits_of(op.size);
  using C = ptx::ScalarType;
  switch (op.cell) {
    case C::f32:
      return format_bits(Type::f32, bits);
    case C::f64:
      return format_bits(Type::f64, bits);
    case C::f16:
      return format_bits(Type::f16, bits);
    case C::bf16:
      return format_bits(Type::bf16, bits);
    default:  // nvcc stores a float constant by st.u32
      if (op.size == 4 && !types.floats.empty()) {
        const bool is_float = types.floats.contains({e.shared, e.address / 4});
        return is_float ? format_bits(Type::f32, bits) : fmt::format("{}", bits);
      }
      return size_of(types.acc) == op.size  ? format_bits(types.acc, bits)
             : size_of(types.in) == op.size ? format_bits(types.in, bits)
                                            : fmt::format("{}", bits);
  }
}

std::string text_of(const simt::Kernel& kernel, const Event& e, const WordTypes& types) {
  const auto& op = kernel.memory_ops[kernel.code[e.inst].extra];
  const bool undefined = (e.undefined & simt::bits_of(op.size)) != 0;
  std::string text(undefined ? undefined_value : element_text(op, e, types));
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
    case Event::What::copies_arrive:
      return "lets its copies arrive";
    case Event::What::copies_commit:
      return "commits its copies";
    case Event::What::copies_wait:
      return "waits for its copies";
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

/// Numbers of accesses in the wrong run's order.
struct Pair {
  std::size_t first = 0, second = 0;
};

class Comparison {
 public:
  Comparison(const LaunchLog& wrong, const LaunchLog& right, Type in, Type acc)
      : log_(wrong), types_(wrong, in, acc) {
    std::map<Name, std::pair<const Event*, std::size_t>> others;
    for_each_access(right.events, [&](const Name& name, const Event& e) {
      others.emplace(name, std::pair(&e, others.size()));
    });
    for_each_access(wrong.events, [&](const Name& name, const Event& e) {
      for (auto word = e.address / 4; word <= (e.address + e.width - 1) / 4; ++word) {
        cells_[{e.shared, e.shared ? e.block : 0, word}].push_back(accesses_.size());
      }
      const auto other = others.find(name);
      if (other == others.end()) {
        accesses_.push_back({&e});
      } else {
        accesses_.push_back({&e, other->second.first, other->second.second});
      }
    });
  }

  /// Conflicting accesses of one cell in another order than in the right run, as the second of
  /// them happens; the ones that changed what was read first.
  std::vector<Pair> pairs() const {
    std::vector<Pair> read, written;
    for (const auto& [cell, numbers] : cells_) {
      for (std::size_t b = 1; b < numbers.size(); ++b) {
        const std::size_t last = b > most_back ? b - most_back : 0;
        for (std::size_t a = b; a-- > last;) {
          const Access &x = accesses_[numbers[a]], &y = accesses_[numbers[b]];
          if (!reordered(x, y)) continue;
          (differs(x) || differs(y) ? read : written).push_back({numbers[a], numbers[b]});
          break;  // the nearest one
        }
      }
    }
    const auto by_time = [](const Pair& x, const Pair& y) { return x.second < y.second; };
    std::stable_sort(read.begin(), read.end(), by_time);
    std::stable_sort(written.begin(), written.end(), by_time);
    // What was read wrong at first is the cause of what follows.
    if (read.empty()) read = std::move(written);
    return read;
  }

  Step step(std::size_t number, std::uint32_t launch) const {
    const Access& access = accesses_[number];
    Step s = step_of(log_, *access.event, launch, types_);
    if (differs(access)) {
      s.other = text_of(*log_.module->find(log_.entry), *access.right, types_);
    }
    return s;
  }

 private:
  static bool reordered(const Access& a, const Access& b) {
    const Event &x = *a.event, &y = *b.event;
    if (x.block == y.block && x.thread == y.thread) return false;
    if (x.what == Event::What::read && y.what == Event::What::read) return false;
    if (x.what == Event::What::atomic && y.what == Event::What::atomic) return false;
    return a.right && b.right && a.right_position > b.right_position;
  }
  /// It read something else than in the right run.
  static bool differs(const Access& access) {
    return access.event->what == Event::What::read && access.right &&
           value_of(*access.event) != value_of(*access.right);
  }

  const LaunchLog& log_;
  WordTypes types_;
  std::vector<Access> accesses_;                    ///< in the order of the run
  std::map<Cell, std::vector<std::size_t>> cells_;  ///< numbers of the accesses of each
};

std::string who(const Step& s, const Step& other) {
  std::string text = fmt::format("lane {}", s.lane);
  if (s.warp != other.warp || s.warp != 0) text = fmt::format("warp {} {}", s.warp, text);
  if (s.block != other.block) text = fmt::format("block {} {}", s.block, text);
  return text;
}

}  // namespace

WordTypes::WordTypes(const LaunchLog& log, Type in_type, Type acc_type)
    : in(in_type), acc(acc_type) {
  const simt::Kernel& kernel = *log.module->find(log.entry);
  for (const Event& e : log.events) {
    if (e.what > Event::What::atomic) continue;
    if (kernel.memory_ops[kernel.code[e.inst].extra].cell != ptx::ScalarType::f32) continue;
    for (std::uint32_t at = 0; at < e.width; at += 4) {
      floats.insert({e.shared, (e.address + at) / 4});
    }
  }
}

Step step_of(const LaunchLog& log, const Event& e, std::uint32_t launch, const WordTypes& types) {
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
  s.value = text_of(kernel, e, types);
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
