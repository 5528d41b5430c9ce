// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/demangle.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "os/process.hpp"

namespace gauntlet::sanitize {
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

}  // namespace

std::string demangled(const std::string& symbol) {
  const auto references = std::count(symbol.begin(), symbol.end(), '_');
  if (references <= harmless_references) return demangled_here(symbol);
  // The library has no limit of its own.
  const auto text = os::made_apart([&] { return demangled_here(symbol); }, 1, longest);
  return text.value_or(symbol);
}

}  // namespace gauntlet::sanitize
