// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON of whatever lists its fields (base/fields.hpp) or names its values (base/names.hpp), members
// in the order of the list: `Json(value)` writes, `from_json<T>(json)` reads. Documents begin with
// their schema and its version.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/case_error.hpp"
#include "base/fields.hpp"
#include "base/names.hpp"
#include "base/types.hpp"

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

/// Members in the order they were added, so that equal results are equal text.
using Json = nlohmann::ordered_json;

/// Version of what docs/json.md describes; goes up when a member changes its meaning or goes away.
inline constexpr int json_schema_version = 1;

/// is_discarded() where the text is no JSON.
[[nodiscard]] Json parse_json(std::string_view text);
/// Without blanks; what is no UTF-8 is replaced.
[[nodiscard]] std::string compact_json(const Json& json);

/// {"schema": "gauntlet.VERB", "version": json_schema_version}
[[nodiscard]] inline Json json_head(std::string_view verb) {
  return Json{{"schema", "gauntlet." + std::string(verb)}, {"version", json_schema_version}};
}

/// Extents are written as [x, y, z].
inline void to_json(Json& json, const Dim3& extent) { json = {extent.x, extent.y, extent.z}; }
/// A type that writes itself by such a to_json is read by a read_json beside it.
[[nodiscard]] inline Dim3 read_json(const Json& json, const Dim3*) {
  return {Whole(json.at(0)), Whole(json.at(1)), Whole(json.at(2))};
}

template <Described T>
void add_fields(Json& json, const T& value);

namespace json_detail {

template <class T>
inline constexpr bool is_map = false;
template <class K, class V>
inline constexpr bool is_map<std::map<K, V>> = true;
template <class T>
inline constexpr bool is_named_map = false;
template <Named E, class V>
inline constexpr bool is_named_map<std::map<E, V>> = true;

/// Json, and nullptr, convert to text without being any.
template <class T>
inline constexpr bool is_text =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
    std::is_same_v<T, const char*>;

// What is the same for every struct is compiled once, in json_fields.cpp.
void write(Json& json, bool value);
void write(Json& json, std::int64_t value);
void write(Json& json, std::uint64_t value);
void write(Json& json, double value);
void write(Json& json, std::string_view value);
Json& append(Json& array);
Json& member(Json& object, std::string_view key);
const Json* find(const Json& object, std::string_view key);
const Json& at(const Json& object, std::string_view key);
bool read_bool(const Json& json);
double read_double(const Json& json);
const std::string& read_string(const Json& json);
const Json::array_t& read_array(const Json& json);
const Json::object_t& read_object(const Json& json);
[[noreturn]] void none_of(const std::string& word, std::span<const std::string_view> known);

}  // namespace json_detail

/// Json(value) into `json`.
template <class T>
void write_json(Json& json, const T& value) {
  using namespace json_detail;
  if constexpr (Named<T>) {
    write(json, name(value));
  } else if constexpr (Described<T>) {
    json = Json::object();
    add_fields(json, value);
  } else if constexpr (is_list<T>) {
    json = Json::array();
    for (const auto& one : value) write_json<typename T::value_type>(append(json), one);
  } else if constexpr (is_optional<T>) {
    if (value) {
      write_json(json, *value);
    } else {
      json = nullptr;
    }
  } else if constexpr (is_named_map<T>) {  // an object whose members are the names
    json = Json::object();
    for (const auto& [key, one] : value) write_json(member(json, name(key)), one);
  } else if constexpr (std::is_same_v<T, bool> || is_text<T>) {
    write(json, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    write(json, double{value});
  } else if constexpr (std::is_integral_v<T>) {
    write(json,
          static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  } else {
    json = value;
  }
}

/// The members of a struct behind those that are there.
template <Described T>
void add_fields(Json& json, const T& value) {
  for_each_field<T>([&](const auto& field) {
    if constexpr (requires { field.of; }) {
      write_json(json_detail::member(json, field.name), std::invoke(field.of, value));
    } else {
      const auto& member = value.*field.member;
      if constexpr (requires { member.empty(); }) {
        if (field.empty == Empty::left_out && member.empty()) return;
      } else if constexpr (requires { member.has_value(); }) {
        if (field.empty == Empty::left_out && !member) return;
      }
      write_json(json_detail::member(json, field.name), member);
    }
  });
}

/// Throws nlohmann::json::exception or JsonShapeError where the text is of another shape; members
/// that the list does not name are passed over.
template <class T>
[[nodiscard]] T from_json(const Json& json) {
  using namespace json_detail;
  if constexpr (Named<T>) {
    const std::string& word = read_string(json);
    if (const auto value = parse<T>(word)) return *value;
    none_of(word, enum_names<T>);
  } else if constexpr (Described<T>) {
    T value{};
    for_each_field<T>([&](const auto& field) {
      if constexpr (requires { field.member; }) {
        if (field.empty == Empty::left_out && json.is_object() && !find(json, field.name)) return;
        auto& member = value.*field.member;
        member = from_json<std::remove_reference_t<decltype(member)>>(at(json, field.name));
      }
    });
    return value;
  } else if constexpr (is_list<T>) {
    T values;
    for (const Json& one : read_array(json)) {
      values.push_back(from_json<typename T::value_type>(one));
    }
    return values;
  } else if constexpr (is_optional<T>) {
    if (json.is_null()) return std::nullopt;
    return from_json<typename T::value_type>(json);
  } else if constexpr (requires { read_json(json, static_cast<const T*>(nullptr)); }) {
    return read_json(json, static_cast<const T*>(nullptr));
  } else if constexpr (is_map<T>) {
    T values;
    for (const auto& [key, value] : read_object(json)) {
      values.emplace(from_json<typename T::key_type>(Json(key)),
                     from_json<typename T::mapped_type>(value));
    }
    return values;
  } else if constexpr (std::is_same_v<T, Json>) {
    return json;
  } else if constexpr (std::is_same_v<T, bool>) {
    return read_bool(json);
  } else if constexpr (std::is_integral_v<T>) {
    return Whole(json);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(read_double(json));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return read_string(json);
  } else {
    return json.get<T>();
  }
}

/// The document of a verb: its head, then the value's members.
template <Described T>
[[nodiscard]] Json json_of(std::string_view verb, const T& value) {
  Json json = json_head(verb);
  add_fields(json, value);
  return json;
}

/// What `read` makes of the document of a verb, of this version. Throws JsonShapeError, "it is no
/// gauntlet.time document: the member `n` is missing".
template <class Read>
[[nodiscard]] auto read_document(const Json& json, std::string_view verb, Read read) {
  const std::string schema = "gauntlet." + std::string(verb);
  std::string why;
  try {
    if (json.at("schema") == schema && json.at("version") == json_schema_version) return read(json);
    why = " of version " + std::to_string(json_schema_version);
  } catch (const nlohmann::json::exception& error) {
    why = ": " + in_words(error);
  } catch (const JsonShapeError& error) {
    why = std::string(": ") + error.what();
  } catch (const CaseError& error) {
    why = std::string(": ") + error.what();
  }
  throw JsonShapeError("it is no " + schema + " document" + why);
}

}  // namespace gauntlet

namespace nlohmann {

template <class T>
requires gauntlet::Described<T> || gauntlet::Named<T> || gauntlet::is_optional<T> ||
    gauntlet::json_detail::is_named_map<T>
struct adl_serializer<T> {
  static void to_json(gauntlet::Json& json, const T& value) { gauntlet::write_json(json, value); }
};

}  // namespace nlohmann
