// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Members of Heap: the host's copies and fills of the arrays, and what libraries read and write
// there, checked; what is told of arrays, and of those that are left when the program ends.
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/text/text.hpp"
#include "machine/engine/system_calls.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {
namespace {

/// How many of these bytes of the program's own memory can be read, by a byte of each page; all
/// where the system does not tell.
std::uint64_t readable(Address from, std::uint64_t bytes) {
  constexpr std::size_t most = 512;  // pages at once
  std::array<iovec, most> pages;
  std::array<char, most> read;
  const std::uint64_t page = page_bytes();
  for (Address at = from; at - from < bytes;) {
    std::size_t count = 0;
    Address next = at;
    for (; count < most && next - from < bytes; next = (next / page + 1) * page) {
      pages[count++] = {reinterpret_cast<void*>(next), 1};
    }
    const iovec to{read.data(), count};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, pages.data(), count, 0);
    if (got < 0 && errno != EFAULT) return bytes;
    const auto good = got < 0 ? std::size_t{0} : static_cast<std::size_t>(got);
    if (good < count) return reinterpret_cast<Address>(pages[good].iov_base) - from;
    at = next;
  }
  return bytes;
}

}  // namespace

bool Heap::check_host(std::string_view call, std::string_view role, Address address,
                      std::uint64_t bytes) const {
  const std::uint64_t there = readable(address, bytes);
  if (there == bytes) return true;
  const std::string what = foreign(address);
  if (there == 0) {
    mistake(MistakeKind::wrong_space, call,
            fmt::format("its {}, 0x{:x}, is {} where host memory is wanted", role, address,
                        what.empty() ? "no memory of the program" : what));
  } else {
    mistake(MistakeKind::out_of_bounds, call,
            fmt::format("{} from its {}, 0x{:x}, on, but the program's memory ends {} behind it",
                        counted(bytes, "byte"), role, address, counted(there, "byte")));
  }
  return false;
}

Heap::Checked Heap::check(std::string_view call, std::string_view role, Address address, Side side,
                          std::uint64_t bytes) const {
  const Array* array = find(address);
  if (array == nullptr) {
    // One past an array's end is the array's, too: an empty rest, or an overrun of all of it.
    const Array* const before = address == 0 ? nullptr : find(address - 1);
    if (side != Side::device) {
      if (before == nullptr || before->space != Space::device) {
        return {nullptr, check_host(call, role, address, bytes)};
      }
    }
    if (before == nullptr) {
      const std::string what = foreign(address);
      mistake(MistakeKind::wrong_space, call,
              fmt::format("its {}, 0x{:x}, is {} where device memory is wanted", role, address,
                          what.empty() ? "no device memory" : what));
      return {};
    }
    array = before;
  }
  if (array->freed) {
    mistake(MistakeKind::use_after_free, call,
            fmt::format(
                "its {}, {}, {}", role, spelt(*array, address),
                array->of_graph ? "is memory of a graph, which is not allocated now" : "was freed"),
            array);
    return {};
  }
  if (side == Side::host && (array->space == Space::device || array->space == Space::variable)) {
    mistake(MistakeKind::wrong_space, call,
            fmt::format("its {}, {}, is device memory where host memory is wanted", role,
                        spelt(*array, address)),
            array);
    return {};
  }
  const std::uint64_t at = address - array->base;
  // The program's own memory may go on behind what it registered.
  const bool own = array->space == Space::registered && side != Side::device;
  if (own && !check_host(call, role, address, bytes)) return {};
  if (!own && (at > array->bytes || bytes > array->bytes - at)) {
    mistake(MistakeKind::out_of_bounds, call,
            fmt::format("{} from byte {} of its {} on, but {} has {}", counted(bytes, "byte"), at,
                        role, array->name, array->bytes),
            array);
    return {};
  }
  return {array, true};
}

bool Heap::copy(std::string_view call, void* to, Side to_side, const void* from, Side from_side,
                std::uint64_t bytes, std::string_view to_role, std::string_view from_role) {
  if (bytes == 0) return true;
  const auto t = reinterpret_cast<Address>(to), f = reinterpret_cast<Address>(from);
  const Checked target = check(call, to_role, t, to_side, bytes);
  if (!target.good) return false;
  const Checked source = check(call, from_role, f, from_side, bytes);
  if (!source.good) return false;
  const auto machine = [](const Checked& side) {
    return side.array != nullptr &&
           (side.array->space == Space::device || side.array->space == Space::variable);
  };
  // Of memory that goes on behind what was registered, only that has states.
  const bool undefined = may_be_undefined(source.array);
  const std::uint64_t known =
      undefined ? std::min(bytes, source.array->base + source.array->bytes - f) : bytes;
  if (machine(target)) {
    if (machine(source) || (undefined && known == bytes)) {
      memory.copy(t, f, bytes);
    } else {
      memory.write(t, {static_cast<const std::byte*>(from), bytes});
    }
    return true;
  }
  if (machine(source) || undefined) tell_undefined(call, *source.array, f, known);
  if (machine(source)) {
    memory.read(f, {static_cast<std::byte*>(to), bytes});
  } else {
    std::memmove(to, from, bytes);
  }
  if (may_be_undefined(target.array)) define(*target.array, t, t + bytes);
  return true;
}

bool Heap::may_be_undefined(const Array* array) const {
  if (array == nullptr || !shared_.contains(array->base)) return false;
  const simt::Allocation* const allocation = memory.find(array->base);
  return allocation != nullptr && !allocation->origin->empty();
}

void Heap::define(const Array& array, Address from, Address to) {
  simt::Allocation* const allocation = memory.find(array.base);
  if (allocation == nullptr) return;
  from = std::max(from, array.base);
  to = std::min(to, array.base + array.bytes);
  if (from >= to) return;
  allocation->define(from - array.base, to - from);
  if (to - from == array.bytes) allocation->origin->clear();
}

Heap::Undefined Heap::undefined(const Array& array, Address from, std::uint64_t bytes,
                                std::uint64_t enough) const {
  constexpr std::uint64_t word = 4;
  Undefined found;
  if (memory.initialised(from, bytes)) return found;
  const Address begin = round_up(from, word), end = (from + bytes) / word * word;
  const simt::Allocation* const allocation = memory.find(from);
  for (Address at = begin; at < end && found.poisoned < enough; at += word) {
    const auto* const state = allocation->state + (at - allocation->base);
    if (std::any_of(state, state + word, [](auto s) { return s == simt::initialised; })) continue;
    const bool stored = memory.poisoned(at, word);
    auto& count = stored ? found.poisoned : found.unwritten;
    if (count == 0) (stored ? found.first_poisoned : found.first_unwritten) = at - array.base;
    count += word;
  }
  return found;
}

/// Where the value at a byte of an array came from that a kernel stored, undefined.
std::string Heap::origin_of(const Array& array, std::uint64_t byte) const {
  const auto* const story = memory.story(array.base + byte);
  if (story == nullptr) return "a kernel computed them from memory that was never written";
  return fmt::format("that at byte {} {}, in {}", byte, story->text,
                     ptx::short_name(ptx::readable(story->kernel)));
}

void Heap::tell_left_undefined(std::string_view call, const Array& array, bool at_call) const {
  if (array.freed || array.bytes == 0 || array.undefined_told) return;
  const simt::Allocation* const allocation = memory.find(array.base);
  if (allocation == nullptr || allocation->origin->empty()) return;  // no such value was stored
  const auto [unwritten, poisoned, first_unwritten, first] =
      undefined(array, array.base, array.bytes);
  if (poisoned == 0) return;
  tell_({.kind = MistakeKind::undefined_left,
         .severity = Severity::note,
         .call = std::string(spelled(call)),
         .detail = fmt::format(
             "{} holds {} of uninitialised values, the first at byte {}: {}; nothing used them",
             array.name, counted(poisoned, "byte"), first, origin_of(array, first)),
         .stack = at_call ? frames(trace()) : std::vector<Frame>(),
         .notes = story(array)});
}

void Heap::tell_undefined_read(std::string_view call, const Array& array, Address from,
                               std::uint64_t bytes, const Trace& where) const {
  array.undefined_told = true;
  const std::uint64_t byte = undefined(array, from, bytes).first_poisoned;
  tell_({.kind = MistakeKind::undefined_copy,
         .call = std::string(call),
         .detail = fmt::format("the host reads byte {} of {}, an uninitialised value: {}", byte,
                               array.name, origin_of(array, byte)),
         .stack = frames(where),
         .notes = story(array)});
}

void Heap::tell_undefined(std::string_view call, const Array& array, Address from,
                          std::uint64_t bytes) const {
  const auto [unwritten, poisoned, first_unwritten, first_poisoned] = undefined(array, from, bytes);
  if (unwritten + poisoned == 0) return;
  // What Thrust copies to the host is the one result of an algorithm, a pair with padding, which is
  // shorter than what it aligns.
  constexpr std::uint64_t most_of_result = 64, most_padding = 15;
  if (poisoned == 0 && bytes <= most_of_result && unwritten <= most_padding &&
      from != array.base + first_unwritten && called_by_toolkit(trace())) {
    return;
  }
  array.undefined_told = true;
  const std::uint64_t first = unwritten == 0  ? first_poisoned
                              : poisoned == 0 ? first_unwritten
                                              : std::min(first_unwritten, first_poisoned);
  const std::string what =
      poisoned == 0 ? "that were never written"
                    : "that hold uninitialised values: " + origin_of(array, first_poisoned);
  mistake(MistakeKind::undefined_copy, call,
          fmt::format("copies {} of {} to the host, the first at byte {}, {}",
                      counted(unwritten + poisoned, "byte"), array.name, first, what),
          &array, poisoned == 0 ? Severity::warning : Severity::error);
}

bool Heap::fill(std::string_view call, void* to, unsigned value, unsigned element_bytes,
                std::uint64_t bytes) {
  if (bytes == 0) return true;
  const auto t = reinterpret_cast<Address>(to);
  const Checked target = check(call, "destination", t, Side::device, bytes);
  if (!target.good) return false;
  memory.fill(t, static_cast<std::byte>(value), bytes);
  if (element_bytes == 1) return true;
  std::vector<std::byte> elements(bytes);
  for (std::uint64_t at = 0; at < bytes; at += element_bytes) {
    std::memcpy(elements.data() + at, &value, element_bytes);
  }
  memory.write(t, elements);
  return true;
}

const Array* Heap::reach(std::string_view call, const Operand& operand) const {
  const Checked found = check(call, operand.role, operand.at, Side::device, operand.extent());
  return found.good ? found.array : nullptr;
}

void Heap::tell_undefined_operand(std::string_view call, const Array& array,
                                  const Operand& operand) const {
  if (memory.initialised(operand.at, operand.extent())) return;
  std::uint64_t undefined = 0, first = 0;
  bool stored = false;
  for (std::uint64_t column = 0; column < operand.columns; ++column) {
    for (std::uint64_t row = 0; row < operand.rows; ++row) {
      const Address at = operand.at + column * operand.distance + row * operand.step;
      if (memory.initialised(at, operand.element_bytes)) continue;
      if (undefined++ == 0) {
        first = at - array.base;
        stored = memory.poisoned(at, operand.element_bytes);
      }
    }
  }
  if (undefined == 0) return;
  array.undefined_told = true;
  mistake(MistakeKind::undefined_operand, call,
          fmt::format("reads {} of its {}, {}, the first at byte {}, {}",
                      counted(undefined, "element"), operand.role, array.name, first,
                      stored ? "that hold uninitialised values: " + origin_of(array, first)
                             : "that were never written"),
          &array);
}

std::vector<std::string> Heap::story(const Array& array) const {
  if (array.static_variable) return {};
  const auto at = [](const Trace& trace, std::string_view what) {
    std::string text;
    std::vector<Frame> user = frames(trace);
    user.resize(std::min<std::size_t>(user.size(), 2));
    for (const Frame& f : user) {
      text += fmt::format(", {} {}", text.empty() ? what : "called from",
                          f.line != 0 ? fmt::format("{}:{}", f.file, f.line)
                                      : fmt::format("{} of {}", f.function, f.module));
    }
    return text;
  };
  return {fmt::format("{}: {}{}{}", array.name, counted(array.bytes, "byte"),
                      at(array.allocated, "allocated at"),
                      array.freed ? at(array.released, "freed at") : "")};
}

void Heap::mistake(MistakeKind kind, std::string_view call, std::string detail, const Array* array,
                   Severity severity) const {
  tell_({.kind = kind,
         .severity = severity,
         .call = std::string(spelled(call)),
         .detail = std::move(detail),
         .stack = frames(trace()),
         .notes = array == nullptr ? std::vector<std::string>() : story(*array)});
}

void Heap::tell_leaks() const {
  constexpr std::size_t most_named = 8;
  struct Site {
    Mistake leak;
    Leaked left;
    std::string first, names;
  };
  std::vector<Site> sites;
  for (const auto& [base, array] : arrays_) {
    if (array.freed || array.static_variable || array.space == Space::registered) continue;
    Mistake leak;
    leak.call = array.name.substr(0, array.name.find('#'));
    leak.stack = frames(array.allocated);
    auto site = std::ranges::find_if(sites, [&](const Site& known) {
      return known.leak.call == leak.call && known.leak.stack == leak.stack;
    });
    if (site == sites.end()) site = sites.insert(site, {std::move(leak), {}, array.name, {}});
    site->left.bytes += array.bytes;
    if (++site->left.arrays > most_named) continue;
    site->names +=
        fmt::format("{}{} ({})", site->names.empty() ? "" : ", ", array.name, array.bytes);
  }
  const auto tell = [&](Mistake leak, const Leaked& left, const std::string& detail) {
    leak.kind = MistakeKind::leak;
    leak.count = left.arrays;
    leak.bytes = left.bytes;
    leak.detail = detail;
    tell_(std::move(leak));
  };
  for (Site& site : sites) {
    tell(std::move(site.leak), site.left,
         site.left.arrays == 1
             ? fmt::format("{}, {}, was not freed", site.first, counted(site.left.bytes, "byte"))
             : fmt::format("{}, were not freed: {}{}", site.left.text(), site.names,
                           site.left.arrays > most_named ? ", ..." : ""));
  }
  Leaked of_kernels;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const simt::Allocation& one = memory.at(k);
    if (one.freed || !one.name.starts_with(simt::kernel_heap_prefix)) continue;
    ++of_kernels.arrays;
    of_kernels.bytes += one.bytes;
  }
  if (of_kernels.arrays == 0) return;
  Mistake leak;
  leak.call = "malloc in kernels";
  tell(std::move(leak), of_kernels,
       fmt::format("{} that kernels allocated, {} in all, were not freed",
                   counted(of_kernels.arrays, "array"), counted(of_kernels.bytes, "byte")));
}

void Heap::tell_left_undefined(std::string_view call) const {
  for (const auto& [base, array] : arrays_) {
    if (!array.static_variable) tell_left_undefined(call, array, false);
  }
}

}  // namespace gauntlet::runtime
