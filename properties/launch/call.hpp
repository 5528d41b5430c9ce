// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of any kernel with the content of its arrays.
//
//   Call call("votes", "votes", {cases}, {32});
//   call.in("masks", masks).in("predicates", predicates).out<std::uint32_t>("ballots", 32 * cases);
//   const CallResult outcome = run(device, call);
//   outcome.array<std::uint32_t>("ballots")
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/device.hpp"

namespace gauntlet {

/// An array, and what it holds before or after a launch.
struct ArrayContent {
  std::string name;  ///< as findings print it
  std::uint32_t element_bytes = 0;
  bool given = false;  ///< it has content before the launch
  std::vector<std::byte> bytes;
  std::vector<bool> defined;  ///< after a launch: by element
};

struct Call : Launch {
  std::vector<ArrayContent> arrays;   ///< in the kernel's order
  std::string schedule = "lockstep";  ///< on the SIMT machine

  Call(std::string module_, std::string entry_, Dim3 grid_, Dim3 block_)
      : Launch{std::move(module_), std::move(entry_), grid_, block_, 0, false, false, {}} {}

  template <class T>
  Call& in(std::string name, const std::vector<T>& content) {
    return add(std::move(name), sizeof(T), true, std::as_bytes(std::span(content)));
  }
  /// The same of an array that the kernel may change.
  template <class T>
  Call& inout(std::string name, const std::vector<T>& content) {
    return in(std::move(name), content);
  }
  /// Nobody has written it before the launch.
  template <class T>
  Call& out(std::string name, std::size_t count) {
    return add(std::move(name), sizeof(T), false, std::vector<std::byte>(count * sizeof(T)));
  }
  /// A number.
  template <class T>
  Call& value(const T& v) {
    args.push_back(Arg::of_value(v));
    return *this;
  }

 private:
  Call& add(std::string name, std::size_t element, bool given, std::span<const std::byte> bytes) {
    args.push_back(Arg::of_array(static_cast<std::uint32_t>(arrays.size())));
    arrays.push_back({std::move(name),
                      static_cast<std::uint32_t>(element),
                      given,
                      {bytes.begin(), bytes.end()},
                      {}});
    return *this;
  }
};

struct CallResult {
  bool completed = false;            ///< every thread exited normally
  std::vector<ArrayContent> arrays;  ///< all of them, as the launch left them
  std::vector<Finding> findings;     ///< of the SIMT machine; a GPU reports none

  /// Throws std::out_of_range for a name that no array has.
  template <class T>
  [[nodiscard]] std::vector<T> array(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    for (const ArrayContent& a : arrays) {
      if (a.name != name) continue;
      std::vector<T> values(a.bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), a.bytes.data(), values.size() * sizeof(T));
      return values;
    }
    throw std::out_of_range("no array named " + std::string(name));
  }
};

/// Allocates the arrays, launches, and reads them back. Throws as Device::launch does.
[[nodiscard]] CallResult run(Device& device, const Call& call);

}  // namespace gauntlet
