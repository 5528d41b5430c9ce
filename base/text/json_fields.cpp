// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_fields.hpp"

namespace gauntlet {

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
