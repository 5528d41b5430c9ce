// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_fields.hpp"

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

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string compact_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace json_detail {

void write(Json& json, bool value) { json = value; }
void write(Json& json, std::int64_t value) { json = value; }
void write(Json& json, std::uint64_t value) { json = value; }
void write(Json& json, double value) { json = value; }
void write(Json& json, std::string_view value) { json = value; }
Json& append(Json& array) { return array.emplace_back(nullptr); }
Json& member(Json& object, std::string_view key) { return object[std::string(key)]; }

const Json* find(const Json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

const Json& at(const Json& object, std::string_view key) { return object.at(std::string(key)); }
bool read_bool(const Json& json) { return json.get<bool>(); }
double read_double(const Json& json) { return json.get<double>(); }
const std::string& read_string(const Json& json) { return json.get_ref<const std::string&>(); }
const Json::array_t& read_array(const Json& json) { return json.get_ref<const Json::array_t&>(); }
const Json::object_t& read_object(const Json& json) {
  return json.get_ref<const Json::object_t&>();
}

void none_of(const std::string& word, std::span<const std::string_view> known) {
  std::string list;
  for (const std::string_view one : known) list.append(list.empty() ? "" : ", ").append(one);
  throw JsonShapeError("`" + word + "` is none of " + list);
}

}  // namespace json_detail
}  // namespace gauntlet
