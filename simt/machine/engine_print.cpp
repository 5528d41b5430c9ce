// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// printf of a kernel: vprintf(format, values) with the values one after the other, each at a
// multiple of its size (CUDA C++ Programming Guide, formatted output).
#include <cstdio>
#include <cstring>
#include <string>

#include "simt/decode/decode.hpp"
#include "simt/machine/engine.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::size_t longest_text = 1 << 16;

/// Of one conversion; longer ones are cut.
template <class... Value>
std::string formatted(const std::string& conversion, Value... value) {
  char text[4096];
  std::snprintf(text, sizeof text, conversion.c_str(), value...);
  return text;
}

}  // namespace

void Engine::print(const Block& b, const Warp& w, const SystemCall& op, std::uint32_t mask) {
  for (const unsigned lane : lanes_of(mask)) {
    const std::byte* const local = w.local + std::size_t{lane} * kernel_.local_bytes;
    // Memory under a generic address, wherever it is; false where there is none.
    const auto read = [&](std::uint64_t address, void* to, std::size_t bytes) {
      const auto inside = [&](const std::byte* data, std::uint64_t at, std::uint64_t size) {
        if (at > size || bytes > size - at) return false;
        std::memcpy(to, data + at, bytes);
        return true;
      };
      if (address - local_window < window_bytes) {
        return inside(local, address - local_window, kernel_.local_bytes);
      }
      if (address - shared_window < window_bytes) {
        for (const Region& region : b.shared) {
          if (inside(region.data, address - shared_window - region.base, region.bytes)) return true;
        }
        return false;
      }
      const Allocation* const allocation = memory_.find(address);
      return allocation != nullptr && !allocation->freed &&
             inside(allocation->data, address - allocation->base, allocation->bytes);
    };
    const auto text_at = [&](std::uint64_t address) {
      std::string text;
      for (char c = 0; text.size() < longest_text && read(address, &c, 1) && c != 0; ++address) {
        text += c;
      }
      return text;
    };
    std::uint64_t format_at = 0, values_at = 0;
    std::memcpy(&format_at, local + op.arguments[0], sizeof format_at);
    std::memcpy(&values_at, local + op.arguments[1], sizeof values_at);
    const auto next = [&](auto value) {
      values_at = (values_at + sizeof value - 1) / sizeof value * sizeof value;
      if (!read(values_at, &value, sizeof value)) value = {};
      values_at += sizeof value;
      return value;
    };

    const std::string format = text_at(format_at);
    std::string out;
    for (std::size_t k = 0; k < format.size(); ++k) {
      if (format[k] != '%') {
        out += format[k];
        continue;
      }
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
      switch (type) {
        case '%':
          out += '%';
          break;
        case 'd':
        case 'i':
          out += wide ? formatted(conversion + "lld", next(0LL))
                      : formatted(conversion + "d", next(0));
          break;
        case 'u':
        case 'x':
        case 'X':
        case 'o':
          out += wide ? formatted(conversion + "ll" + type, next(0ULL))
                      : formatted(conversion + type, next(0U));
          break;
        case 'c':
          out += formatted(conversion + "c", next(0));
          break;
        case 's':
          out += formatted(conversion + "s", text_at(next(std::uint64_t{0})).c_str());
          break;
        case 'p':
          out += formatted(conversion + "p", reinterpret_cast<void*>(next(std::uintptr_t{0})));
          break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
          out += formatted(conversion + type, next(0.0));
          break;
        default:
          out += conversion + type;
      }
    }
    config_.print(out);
  }
}

}  // namespace gauntlet::simt
