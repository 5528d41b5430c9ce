// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// GAUNTLET_FUZZ_TARGET(NAME) { ... } is what every fuzz target defines, a function of `data` and
// `size`; libFuzzer calls it with mutated inputs, replay.cpp (where GAUNTLET_FUZZ_REPLAY is defined
// all targets are in one program) with the files of a corpus folder, many in one process. Input
// that is refused in words is no failure; what ends the process is, and so is what `require` finds
// false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#ifdef GAUNTLET_FUZZ_REPLAY
#define GAUNTLET_FUZZ_TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size)
#else
#define GAUNTLET_FUZZ_TARGET(name) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#endif

namespace gauntlet::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process where something that must hold does not.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace gauntlet::fuzz
