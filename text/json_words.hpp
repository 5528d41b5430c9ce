// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a JSON document is not of the shape that a reader wants, without the library's own terms.
#pragma once

#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace gauntlet {

/// "a member is of another type (a string was wanted, it is a number)", or which member is missing.
[[nodiscard]] inline std::string in_words(const nlohmann::json::exception& error) {
  // "[json.exception.KIND.NUMBER] WHAT"
  std::string what = error.what();
  what.erase(0, std::min(what.find("] ") + 2, what.size()));
  constexpr int wrong_type = 302, no_such_key = 403;
  constexpr char must[] = "type must be ", but[] = ", but is ";
  const auto middle = what.find(but);
  if (error.id == wrong_type && what.starts_with(must) && middle != what.npos) {
    const auto begin = sizeof must - 1;
    return "a member is of another type: " + what.substr(middle + sizeof but - 1) + " where " +
           what.substr(begin, middle - begin) + " belongs";
  }
  const auto open = what.find('\''), close = what.rfind('\'');
  if (error.id == no_such_key && open < close) {
    return "the member `" + what.substr(open + 1, close - open - 1) + "` is missing";
  }
  return "a member is no object or no array where one belongs";
}

/// A member that a reader cannot use. what() is in words.
struct JsonShapeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A member as the integer that it is given to: the library would cut a number that does not fit,
/// and convert one with a fraction or beyond 64 bits in a way that C++ does not define. Throws
/// JsonShapeError.
class Whole {
 public:
  explicit Whole(const nlohmann::ordered_json& value) : value_(value) {}
  template <std::integral T>
  operator T() const {  // NOLINT: it stands for the number
    const bool fits =
        value_.is_number_unsigned()
            ? std::in_range<T>(value_.get<std::uint64_t>())
            : value_.is_number_integer() && std::in_range<T>(value_.get<std::int64_t>());
    if (fits) return value_.get<T>();
    std::string is = value_.is_number() ? value_.dump() : std::string("a member");
    throw JsonShapeError(is + " is no whole number of " + std::to_string(8 * sizeof(T)) + " bits");
  }

 private:
  const nlohmann::ordered_json& value_;
};

}  // namespace gauntlet
