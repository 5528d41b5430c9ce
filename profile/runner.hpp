// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch of a micro-kernel (profile/kernels/*.cu), on the SIMT machine or on a GPU.
//
//   Call call("votes", "votes", {cases}, {32});
//   call.in("masks", masks).in("predicates", predicates).out<std::uint32_t>("ballots", 32 * cases);
//   const Outcome outcome = runner.run(call);
//   outcome.array<std::uint32_t>("ballots")
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/finding.hpp"
#include "core/types.hpp"
#include "simt/counters/counters.hpp"

namespace gauntlet::profile {

/// One argument: an array with content, an array to be written, or a value.
struct Argument {
  enum class Kind : std::uint8_t { in, out, value } kind = Kind::value;
  std::string name;  ///< of an array, as findings print it
  std::uint32_t element_bytes = 0;
  std::vector<std::byte> bytes;  ///< content, or for `out` as many bytes as it has
  std::vector<bool> defined;     ///< after a launch on the SIMT machine: by element
};

struct Call {
  std::string module;  ///< file in profile/kernels/ without extension
  std::string entry;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;     ///< dynamic shared memory
  std::string schedule = "lockstep";  ///< on the SIMT machine
  std::vector<Argument> arguments;    ///< in the kernel's order

  Call(std::string module_, std::string entry_, Dim3 grid_, Dim3 block_)
      : module(std::move(module_)), entry(std::move(entry_)), grid(grid_), block(block_) {}

  template <class T>
  Call& in(std::string name, const std::vector<T>& content) {
    return add(Argument::Kind::in, std::move(name), sizeof(T), content.data(),
               content.size() * sizeof(T));
  }
  /// Nobody has written it before the launch.
  template <class T>
  Call& out(std::string name, std::size_t count) {
    return add(Argument::Kind::out, std::move(name), sizeof(T), nullptr, count * sizeof(T));
  }
  /// An array that holds `content` and that the kernel may change.
  template <class T>
  Call& inout(std::string name, const std::vector<T>& content) {
    add(Argument::Kind::out, std::move(name), sizeof(T), content.data(),
        content.size() * sizeof(T));
    arguments.back().kind = Argument::Kind::in;
    return *this;
  }
  template <class T>
  Call& value(const T& v) {
    return add(Argument::Kind::value, {}, sizeof(T), &v, sizeof(T));
  }

 private:
  Call& add(Argument::Kind kind, std::string name, std::size_t element, const void* content,
            std::size_t bytes) {
    Argument argument{kind, std::move(name), static_cast<std::uint32_t>(element), {}, {}};
    argument.bytes.resize(bytes);
    if (content != nullptr && bytes != 0) std::memcpy(argument.bytes.data(), content, bytes);
    arguments.push_back(std::move(argument));
    return *this;
  }
};

struct Outcome {
  bool completed = false;         ///< every thread exited normally
  std::vector<Argument> arrays;   ///< all of them, as the launch left them
  std::vector<Finding> findings;  ///< of the SIMT machine; a GPU reports none
  simt::KernelProfile profile;    ///< of the SIMT machine: counters by line and interval

  /// Throws std::out_of_range for a name that no array has.
  template <class T>
  [[nodiscard]] std::vector<T> array(std::string_view name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    for (const Argument& a : arrays) {
      if (a.name != name) continue;
      std::vector<T> values(a.bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), a.bytes.data(), values.size() * sizeof(T));
      return values;
    }
    throw std::out_of_range("no array named " + std::string(name));
  }
};

class Runner {
 public:
  virtual ~Runner() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Throws std::runtime_error, in one line, for a kernel that does not exist or cannot be
  /// launched.
  [[nodiscard]] virtual Outcome run(const Call& call) = 0;
};

/// The SIMT machine, with all its checks.
[[nodiscard]] std::unique_ptr<Runner> simt_runner();

/// GPU number `device`, in this process. Throws std::runtime_error where there is none.
[[nodiscard]] std::unique_ptr<Runner> cuda_runner(int device);

}  // namespace gauntlet::profile
