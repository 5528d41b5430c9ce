// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of cuGetProcAddress, generated from the toolkit's cudaTypedefs.h (entries.cmake). Apart
// from cuda.h, which declares the functions with their types.
#include <span>

#define GAUNTLET_ENTRY_POINT(name, version, function, per_thread) \
  extern "C" void function();                                     \
  extern "C" void per_thread();
#include "sanitizer/program/entry_points.inc"
#undef GAUNTLET_ENTRY_POINT

namespace gauntlet::runtime {

struct EntryPoint {
  const char* name;
  int version;
  void (*function)();
  void (*per_thread)();
};

std::span<const EntryPoint> entry_points() {
#define GAUNTLET_ENTRY_POINT(name, version, function, per_thread) \
  {#name, version, function, per_thread},
  static const EntryPoint all[] = {
#include "sanitizer/program/entry_points.inc"
  };
  return all;
}

}  // namespace gauntlet::runtime
