// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a JSON document is not of the shape that a reader wants, without the library's own terms.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace gauntlet {

/// "a member is of another type (a string was wanted, it is a number)", or which member is missing.
[[nodiscard]] std::string in_words(const nlohmann::json::exception& error);

/// A member that a reader cannot use. what() is in words.
struct JsonShapeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A member as the integer that it is given to: the library would cut a number that does not fit,
/// and convert one with a fraction or beyond 64 bits in a way that C++ does not define. Throws
/// JsonShapeError.
class Whole {
 public:
  explicit Whole(const nlohmann::ordered_json& value);
  template <std::integral T>
  operator T() const {  // NOLINT: it stands for the number
    const auto is_signed = static_cast<std::int64_t>(bits_);
    if (unsigned_ ? std::in_range<T>(bits_) : whole_ && std::in_range<T>(is_signed)) {
      return static_cast<T>(bits_);
    }
    refuse(sizeof(T));
  }

 private:
  [[noreturn]] void refuse(std::size_t bytes) const;

  const nlohmann::ordered_json& value_;
  bool unsigned_, whole_;
  std::uint64_t bits_ = 0;
};

}  // namespace gauntlet
