// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Signatures of C++, as demanglers spell them, without what makes them long.
#include <array>

#include "machine/ptx/source_names.hpp"

namespace gauntlet::ptx {
namespace {

constexpr std::size_t longest_shown = 80;
constexpr std::string_view unnamed = "(anonymous namespace)::";

void remove_all(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

struct Parts {
  std::size_t name = 0, parameters = 0;  ///< where they begin; the end: there are none
  std::string qualified;                 ///< the name without template arguments
};

/// Of a text without unnamed namespaces.
Parts parts_of(std::string_view text) {
  Parts parts{0, text.size(), {}};
  std::string open;  // brackets
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    constexpr std::string_view call = "operator()", op = "operator";
    const bool begins = k == 0 || text[k - 1] == ':' || text[k - 1] == ' ';
    if (open.empty() && begins && text.substr(k).starts_with(op)) {
      // What its name ends with is no bracket.
      auto end = k + (text.substr(k).starts_with(call) ? call.size() : op.size());
      while (end < text.size() && (text[end] == '<' || text[end] == '>' || text[end] == '-')) ++end;
      parts.qualified += text.substr(k, end - k);
      k = end - 1;
      continue;
    }
    if (c == '(' && open.empty()) {
      parts.parameters = k;
      break;
    }
    if (c == ' ' && open.empty()) {
      parts.name = k + 1;
      parts.qualified.clear();
      continue;
    }
    if (c == '<' || c == '(' || c == '{' || c == '[') open += c;
    if (open.find('<') == open.npos) parts.qualified += c;
    constexpr std::string_view pairs = "<>(){}[]";
    // A > within parentheses compares.
    if (!open.empty() && c == pairs[pairs.find(open.back()) + 1]) open.pop_back();
  }
  return parts;
}

std::string_view last_of(std::string_view qualified) {
  const auto colons = qualified.rfind("::");
  return colons == qualified.npos ? qualified : qualified.substr(colons + 2);
}

}  // namespace

std::string without_tags(std::string_view signature) {
  std::string text(signature);
  for (auto at = text.find("[abi:"); at != text.npos; at = text.find("[abi:", at)) {
    const auto end = text.find(']', at);
    if (end == text.npos) break;
    text.erase(at, end + 1 - at);
  }
  return text;
}

std::string qualified_name(std::string_view signature) {
  std::string text = without_tags(signature);
  remove_all(text, unnamed);
  return parts_of(text).qualified;
}

std::string bare_name(std::string_view signature) {
  return std::string(last_of(qualified_name(signature)));
}

std::string short_name(std::string_view signature) {
  const std::string qualified = qualified_name(signature);
  constexpr std::array<std::string_view, 2> libraries{"cub::", "thrust::"};
  for (const std::string_view library : libraries) {
    if (qualified.starts_with(library)) {
      return std::string(library).append(last_of(qualified));
    }
  }
  std::string text = without_tags(signature);
  constexpr std::string_view nothing = "void ";
  if (text.starts_with(nothing)) text.erase(0, nothing.size());
  if (text.size() <= longest_shown) return text;
  remove_all(text, unnamed);
  const Parts parts = parts_of(text);
  const std::string name = text.substr(parts.name, parts.parameters - parts.name);
  const bool has_parameters = parts.parameters != text.size();
  constexpr std::string_view left_out = "(...)";
  if (name.size() + left_out.size() <= longest_shown) {
    return has_parameters ? name + std::string(left_out) : name;
  }
  return qualified + (qualified.size() < name.size() ? "<...>" : "");
}

}  // namespace gauntlet::ptx
