// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of the portable program only (Portable.cmake): what this machine's libraries have and those
// of an older Linux lack. fmt, which Debian has as a shared library alone, is compiled in; the rest
// was added to glibc after 2.31 and is asked for by the static C++ library.
#include <fmt/format-inl.h>
#include <unistd.h>

#include <cstdint>

template std::locale fmt::detail::locale_ref::get<std::locale>() const;
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(locale_ref);
template char fmt::detail::decimal_point_impl(locale_ref);

extern "C" {
// Whether atomic counts may be plain ones: no is always right.
char __libc_single_threaded = 0;
std::uint32_t arc4random() {
  std::uint32_t word = 0;
  while (getentropy(&word, sizeof word) != 0) {
  }
  return word;
}
}
