// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever lists its fields (base/fields.hpp) as bytes, for another process of the same program:
// numbers travel as they lie in memory, what follows from other members does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fields.hpp"
#include "base/names.hpp"

namespace gauntlet {

/// What the other process sent is not what it should be; it is not to be trusted any more.
struct ProtocolError : std::runtime_error {
  explicit ProtocolError(std::string_view what)
      : std::runtime_error("worker protocol: " + std::string(what)) {}
};

namespace packed_detail {

/// What lies in memory as it travels.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !Described<T> && !is_optional<T> &&
                !std::is_same_v<T, bool> && (!std::is_enum_v<T> || std::is_same_v<T, std::byte>);

}  // namespace packed_detail

class Packer {
 public:
  explicit Packer(std::vector<std::byte>& to) : to_(to) {}

  template <class T>
  void put(const T& value) {
    using namespace packed_detail;
    if constexpr (Described<T>) {
      for_each_field<T>([&](const auto& field) {
        if constexpr (requires { field.member; }) put(value.*field.member);
      });
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(static_cast<std::uint32_t>(value.size()));
      bytes(value.data(), value.size());
    } else if constexpr (is_optional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (is_list<T>) {
      using One = typename T::value_type;
      put(static_cast<std::uint64_t>(value.size()));
      if constexpr (Plain<One>) {
        bytes(value.data(), value.size() * sizeof(One));
      } else {
        for (const One& one : value) put(one);
      }
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      bytes(&value, sizeof value);
    }
  }

  void bytes(const void* from, std::size_t count) {
    const auto* const begin = static_cast<const std::byte*>(from);
    to_.insert(to_.end(), begin, begin + count);
  }

 private:
  std::vector<std::byte>& to_;
};

/// Each function throws ProtocolError for bytes that are too few, too many or out of range.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> from) : from_(from) {}

  template <class T>
  void get(T& value) {
    using namespace packed_detail;
    if constexpr (Described<T>) {
      for_each_field<T>([&](const auto& field) {
        if constexpr (requires { field.member; }) get(value.*field.member);
      });
    } else if constexpr (std::is_same_v<T, std::string>) {
      const auto size = one<std::uint32_t>();
      value.assign(reinterpret_cast<const char*>(take(size)), size);
    } else if constexpr (is_optional<T>) {
      value.reset();
      if (one<bool>()) get(value.emplace());
    } else if constexpr (is_list<T>) {
      using One = typename T::value_type;
      const auto count = one<std::uint64_t>();
      constexpr std::size_t least = Plain<One> ? sizeof(One) : 1;  // bytes of one
      if (count > from_.size() / least) throw ProtocolError("a list longer than its frame");
      value.resize(count);
      if constexpr (Plain<One>) {
        if (count != 0) std::memcpy(value.data(), take(count * sizeof(One)), count * sizeof(One));
      } else if constexpr (std::is_same_v<One, bool>) {
        for (std::size_t k = 0; k < count; ++k) value[k] = one<bool>();
      } else {
        for (One& each : value) get(each);
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      value = one<std::uint8_t>() != 0;
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      std::memcpy(&value, take(sizeof value), sizeof value);
      if constexpr (!Plain<T>) {
        if (static_cast<std::size_t>(value) >= enum_names<T>.size()) {
          throw ProtocolError("a choice out of range");
        }
      }
    }
  }
  template <class T>
  [[nodiscard]] T whole() {
    T value;
    get(value);
    end();
    return value;
  }
  void end() const {
    if (!from_.empty()) throw ProtocolError("bytes behind the end");
  }

 private:
  template <class T>
  [[nodiscard]] T one() {
    T value{};
    get(value);
    return value;
  }
  const std::byte* take(std::size_t size) {
    if (size > from_.size()) throw ProtocolError("a frame ends too early");
    const std::byte* const at = from_.data();
    from_ = from_.subspan(size);
    return at;
  }
  std::span<const std::byte> from_;
};

/// As text that a socket or a map takes.
template <Described T>
[[nodiscard]] std::string packed(const T& value) {
  std::vector<std::byte> bytes;
  Packer(bytes).put(value);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <Described T>
[[nodiscard]] T unpacked(std::string_view text) {
  return Unpacker(std::as_bytes(std::span(text))).whole<T>();
}

}  // namespace gauntlet
