// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON of whatever lists its fields (core/fields.hpp) or names its values (core/names.hpp), members
// in the order of the list: `Json(value)` writes, `from_json<T>(json)` reads. Documents begin with
// their schema and its version.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/case.hpp"
#include "core/fields.hpp"
#include "core/names.hpp"
#include "core/types.hpp"
#include "text/json_words.hpp"

namespace gauntlet {

/// Members in the order they were added, so that equal results are equal text.
using Json = nlohmann::ordered_json;

/// Version of what docs/json.md describes; goes up when a member changes its meaning or goes away.
inline constexpr int json_schema_version = 1;

/// {"schema": "gauntlet.VERB", "version": json_schema_version}
[[nodiscard]] inline Json json_head(std::string_view verb) {
  return Json{{"schema", "gauntlet." + std::string(verb)}, {"version", json_schema_version}};
}

/// Extents are written as [x, y, z], cases as their lines.
inline void to_json(Json& json, const Dim3& extent) { json = {extent.x, extent.y, extent.z}; }
inline void to_json(Json& json, const Case& c) { json = to_string(c); }
/// A type that writes itself by such a to_json is read by a read_json beside it.
[[nodiscard]] inline Dim3 read_json(const Json& json, const Dim3*) {
  return {Whole(json.at(0)), Whole(json.at(1)), Whole(json.at(2))};
}
[[nodiscard]] inline Case read_json(const Json& json, const Case*) {
  return parse_case(json.get_ref<const std::string&>());
}

/// The members of a struct behind those that are there.
template <Described T>
void add_fields(Json& json, const T& value) {
  for_each_field<T>([&](const auto& field) {
    const std::string key(field.name);
    if constexpr (requires { field.of; }) {
      json[key] = std::invoke(field.of, value);
    } else {
      const auto& member = value.*field.member;
      if constexpr (requires { member.empty(); }) {
        if (field.empty == Empty::left_out && member.empty()) return;
      } else if constexpr (requires { member.has_value(); }) {
        if (field.empty == Empty::left_out && !member) return;
      }
      json[key] = member;
    }
  });
}

namespace json_detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class K, class V>
inline constexpr bool is_map<std::map<K, V>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace json_detail

/// Throws nlohmann::json::exception or JsonShapeError where the text is of another shape; members
/// that the list does not name are passed over.
template <class T>
[[nodiscard]] T from_json(const Json& json) {
  if constexpr (Named<T>) {
    const auto& word = json.get_ref<const std::string&>();
    if (const auto value = parse<T>(word)) return *value;
    std::string known;
    for (const std::string_view one : enum_names<T>) {
      known.append(known.empty() ? "" : ", ").append(one);
    }
    throw JsonShapeError("`" + word + "` is none of " + known);
  } else if constexpr (Described<T>) {
    T value{};
    for_each_field<T>([&](const auto& field) {
      if constexpr (requires { field.member; }) {
        const std::string key(field.name);
        if (field.empty == Empty::left_out && json.is_object() && !json.contains(key)) return;
        auto& member = value.*field.member;
        member = from_json<std::remove_reference_t<decltype(member)>>(json.at(key));
      }
    });
    return value;
  } else if constexpr (json_detail::is_vector<T>) {
    T values;
    for (const Json& one : json.get_ref<const Json::array_t&>()) {
      values.push_back(from_json<typename T::value_type>(one));
    }
    return values;
  } else if constexpr (json_detail::is_optional<T>) {
    if (json.is_null()) return std::nullopt;
    return from_json<typename T::value_type>(json);
  } else if constexpr (requires { read_json(json, static_cast<const T*>(nullptr)); }) {
    return read_json(json, static_cast<const T*>(nullptr));
  } else if constexpr (json_detail::is_map<T>) {
    T values;
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
      values.emplace(from_json<typename T::key_type>(Json(key)),
                     from_json<typename T::mapped_type>(value));
    }
    return values;
  } else if constexpr (std::is_same_v<T, Json>) {
    return json;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return Whole(json);
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

template <gauntlet::Described T>
struct adl_serializer<T> {
  static void to_json(gauntlet::Json& json, const T& value) {
    json = gauntlet::Json::object();
    gauntlet::add_fields(json, value);
  }
};

template <gauntlet::Named E>
struct adl_serializer<E> {
  static void to_json(gauntlet::Json& json, E value) { json = gauntlet::name(value); }
};

/// An object whose members are the names.
template <gauntlet::Named E, class V>
struct adl_serializer<std::map<E, V>> {
  static void to_json(gauntlet::Json& json, const std::map<E, V>& values) {
    json = gauntlet::Json::object();
    for (const auto& [key, value] : values) json[std::string(gauntlet::name(key))] = value;
  }
};

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(gauntlet::Json& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
};

}  // namespace nlohmann
