// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/ptx/source_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "base/numbers.hpp"
#include "base/os/process.hpp"

namespace gauntlet::ptx {
namespace {

constexpr std::size_t longest = std::size_t{1} << 16;
/// References to parts of itself that a symbol may have before it is looked at with care: 2^12
/// times its length is no trouble.
constexpr std::ptrdiff_t harmless_references = 12;

std::string demangled_here(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : symbol;
}

/// The library has no limit of its own. A process for each, so each once.
std::string demangled_apart(const std::string& symbol) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::string>;  // outlives exit handlers
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known->try_emplace(symbol);
  if (fresh) {
    const auto text = os::made_apart([&] { return demangled_here(symbol); }, 1, longest);
    at->second = text.value_or(symbol);
  }
  return at->second;
}

/// Digits of a mangled name that are no identifier's length: the back references S_, S4_, T_, T0_
/// and the constant in "Lj64E". Gives the position behind them, `i` where there are none.
std::size_t skip_reference(std::string_view name, std::size_t i) {
  const auto is_digit = [&](std::size_t k) {
    return k < name.size() && name[k] >= '0' && name[k] <= '9';
  };
  std::size_t k = i + 1;
  if (name[i] == 'S' || name[i] == 'T') {
    while (is_digit(k) || (k < name.size() && name[k] >= 'A' && name[k] <= 'Z')) ++k;
    return k < name.size() && name[k] == '_' ? k + 1 : i;
  }
  if (name[i] != 'L' || is_digit(k)) return i;
  for (++k; is_digit(k); ++k) {
  }
  return k < name.size() && name[k] == 'E' ? k + 1 : i;
}

}  // namespace

bool in_toolkit(std::string_view path) {
  constexpr std::string_view parts[] = {"/targets/",           "/cccl/",    "/cuda/include/",
                                        "/usr/include/",       "/usr/lib/", "/include/crt/",
                                        "/gauntlet/operators/"};
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return path.find(part) != path.npos; });
}

bool in_cooperative_groups(std::string_view path) {
  return in_toolkit(path) && path.find("/cooperative_groups") != path.npos;
}

std::string plain_name(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  std::string_view best = name;
  for (std::size_t i = 2; i < name.size();) {
    if (const std::size_t behind = skip_reference(name, i); behind != i) {
      i = behind;
      continue;
    }
    if (name[i] < '0' || name[i] > '9') {
      ++i;
      continue;
    }
    std::size_t length = 0;
    while (i < name.size() && name[i] >= '0' && name[i] <= '9') {
      length = length * 10 + static_cast<std::size_t>(name[i++] - '0');
    }
    if (length == 0 || i + length > name.size()) continue;
    best = name.substr(i, length);
    i += length;
  }
  return std::string(best);
}

std::string_view without_unit(std::string_view symbol) {
  constexpr std::string_view mark = "__nv_static_", end = "__";
  if (!symbol.starts_with(mark)) return symbol;
  std::string_view rest = symbol.substr(mark.size());
  const auto length = take_number<std::size_t>(rest);
  if (!length || !rest.starts_with(end) || rest.size() - end.size() <= *length) return symbol;
  return rest.substr(end.size() + *length);
}

std::string demangled(const std::string& whole) {
  const std::string symbol(without_unit(whole));
  if (!symbol.starts_with("_Z")) return symbol;
  const auto references = std::count(symbol.begin(), symbol.end(), '_');
  if (references <= harmless_references) return demangled_here(symbol);
  return demangled_apart(symbol);
}

std::string readable(const std::string& symbol) {
  std::string text = demangled(symbol);
  const bool nested = text.starts_with("_ZN");
  if (!text.starts_with("_Z")) return text;
  std::string_view rest = std::string_view(text).substr(nested ? 3 : 2);
  std::string name;
  do {
    if (rest.starts_with('L')) rest.remove_prefix(1);  // static
    const auto length = take_number<std::size_t>(rest);
    if (!length || *length == 0 || *length > rest.size()) break;
    name += fmt::format("{}{}", name.empty() ? "" : "::", rest.substr(0, *length));
    rest.remove_prefix(*length);
  } while (nested);
  if (name.empty()) return text;
  return rest.starts_with('I') ? name + "<...>" : name;
}

}  // namespace gauntlet::ptx
