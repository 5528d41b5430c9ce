// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_words.hpp"

#include <algorithm>

namespace gauntlet {

std::string in_words(const nlohmann::json::exception& error) {
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

Whole::Whole(const nlohmann::ordered_json& value)
    : value_(value), unsigned_(value.is_number_unsigned()), whole_(value.is_number_integer()) {
  if (unsigned_)
    bits_ = value.get<std::uint64_t>();
  else if (whole_)
    bits_ = static_cast<std::uint64_t>(value.get<std::int64_t>());
}

void Whole::refuse(std::size_t bytes) const {
  const std::string is = value_.is_number() ? value_.dump() : std::string("a member");
  throw JsonShapeError(is + " is no whole number of " + std::to_string(8 * bytes) + " bits");
}

}  // namespace gauntlet
