// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// printf of a kernel: vprintf(format, values) with the values one after the other, each at a
// multiple of its size (CUDA C++ Programming Guide, formatted output). What an assertion says.
#include <cstdio>
#include <cstring>
#include <string>

#include "base/scalar.hpp"
#include "machine/engine/system_calls.hpp"
#include "machine/isa/decode.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::size_t longest_text = 1 << 16, most_printed = 1 << 20;

/// Of one conversion; longer ones are cut.
template <class... Value>
std::string formatted(const std::string& conversion, Value... value) {
  char text[4096];
  std::snprintf(text, sizeof text, conversion.c_str(), value...);
  return text;
}

/// Memory under generic addresses, as one lane sees it.
class LaneMemory {
 public:
  LaneMemory(const GlobalMemory& memory, const Executed& by, std::uint32_t lane,
             std::uint64_t local_bytes)
      : memory_(memory),
        block_(by.block),
        local_(by.warp.local + lane * local_bytes),
        local_state_(by.warp.local_state + lane * local_bytes),
        local_bytes_(local_bytes) {}

  /// Where a place of the lane's local memory is.
  [[nodiscard]] const std::byte* local(std::uint32_t at) const { return local_ + at; }

  enum class Is : std::uint8_t { nowhere, undefined, defined };
  /// What is nowhere is not read.
  Is read(std::uint64_t address, void* to, std::size_t bytes) const {
    const auto in = [&](const std::byte* data, const std::uint8_t* state, std::uint64_t at,
                        std::uint64_t size) {
      if (at > size || bytes > size - at) return Is::nowhere;
      std::memcpy(to, data + at, bytes);
      return all_defined(state + at, bytes) ? Is::defined : Is::undefined;
    };
    if (address - local_window < window_bytes) {
      return in(local_, local_state_, address - local_window, local_bytes_);
    }
    if (address - shared_window < window_bytes) {
      for (const Region& region : block_.shared) {
        const auto at = address - shared_window - region.base;
        if (const Is is = in(region.data, region.state, at, region.bytes); is != Is::nowhere) {
          return is;
        }
      }
      return Is::nowhere;
    }
    const Allocation* const allocation = memory_.find(address);
    if (allocation == nullptr || allocation->freed) return Is::nowhere;
    return in(allocation->data, allocation->state, address - allocation->base, allocation->bytes);
  }

  [[nodiscard]] std::string text(std::uint64_t address) const {
    std::string text;
    for (char c = 0; text.size() < longest_text && read(address, &c, 1) != Is::nowhere && c != 0;
         ++address) {
      text += c;
    }
    return text;
  }

 private:
  const GlobalMemory& memory_;
  const Block& block_;
  const std::byte* local_;
  const std::uint8_t* local_state_;
  std::uint64_t local_bytes_;
};

}  // namespace

std::string SystemCalls::assertion_detail(const Executed& by, std::uint32_t lane) const {
  const LaneMemory memory(memory_, by, lane, kernel_.local_bytes);
  const Inst& i = kernel_.code[by.inst];
  std::string expression;
  if (i.extra != 0) {
    std::uint64_t address = 0;
    std::memcpy(&address, memory.local(i.extra - 1), sizeof address);
    expression = memory.text(address);
  }
  return expression.empty() ? "a device assertion failed"
                            : "a device assertion failed: " + expression;
}

void SystemCalls::print(const Executed& by, const SystemCall& op) const {
  for (const unsigned lane : lanes_of(by.mask)) {
    const LaneMemory memory(memory_, by, lane, kernel_.local_bytes);
    std::uint64_t format_at = 0, values_at = 0;
    std::memcpy(&format_at, memory.local(op.arguments[0]), sizeof format_at);
    std::memcpy(&values_at, memory.local(op.arguments[1]), sizeof values_at);
    bool defined = true;
    const auto next = [&](auto value) {
      values_at = (values_at + sizeof value - 1) / sizeof value * sizeof value;
      const auto is = memory.read(values_at, &value, sizeof value);
      if (is == LaneMemory::Is::nowhere) value = {};
      defined &= is != LaneMemory::Is::undefined;
      values_at += sizeof value;
      return value;
    };

    const std::string format = memory.text(format_at);
    std::string out;
    for (std::size_t k = 0; k < format.size(); ++k) {
      if (format[k] != '%') {
        out += format[k];
        continue;
      }
      defined = true;
      const std::size_t before = out.size();
      // "%[flags][width][.precision][size]type"
      std::string conversion = "%";
      bool wide = false;
      for (++k; k < format.size() && std::strchr("-+ #0123456789.*hljztLw", format[k]) != nullptr;
           ++k) {
        const char c = format[k];
        if (c == '*') {
          conversion += std::to_string(next(0));
        } else if (std::strchr("hljztL", c) == nullptr) {
          conversion += c;
        } else if (c != 'h') {
          wide = true;
        }
      }
      const char type = k < format.size() ? format[k] : '%';
      const auto is = [&](const char* types) { return std::strchr(types, type) != nullptr; };
      if (type == '%')
        out += '%';
      else if (is("di"))
        out +=
            wide ? formatted(conversion + "lld", next(0LL)) : formatted(conversion + "d", next(0));
      else if (is("uxXo"))
        out += wide ? formatted(conversion + "ll" + type, next(0ULL))
                    : formatted(conversion + type, next(0U));
      else if (is("c"))
        out += formatted(conversion + type, next(0));
      else if (is("s"))
        out += formatted(conversion + type, memory.text(next(std::uint64_t{0})).c_str());
      else if (is("p"))
        out += formatted(conversion + type, reinterpret_cast<void*>(next(std::uintptr_t{0})));
      else if (is("eEfFgGaA"))
        out += formatted(conversion + type, next(0.0));
      else
        out += conversion + type;
      if (!defined && config_.printed != nullptr) out.replace(before, out.npos, undefined_value);
    }
    if (config_.print) config_.print(out);
    if (config_.printed == nullptr || config_.printed->size() > most_printed) continue;
    *config_.printed += out;
    if (config_.printed->size() > most_printed) *config_.printed += "\n... (more was printed)\n";
  }
}

}  // namespace gauntlet::simt
