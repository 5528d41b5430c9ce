// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills as work that is put into a stream or a graph.
#pragma once

#include <cstddef>
#include <string_view>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

/// Rows and planes of a copy; of one row, where all is one piece. In bytes.
struct Rows {
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0, to_plane = 0, from_plane = 0;
};

/// A call that copies or fills.
struct CopyCall {
  std::string_view name;
  /// It has no Async in its name: its memory says whether the host waits for it (CUDA Runtime API,
  /// API synchronization behavior).
  bool waits = false;
};

// What CUDA refuses at once ends the entry.

[[nodiscard]] Work copy_work(const CopyCall& call, void* to, const void* from, const Rows& rows,
                             cudaMemcpyKind kind);
[[nodiscard]] Work copy_3d_work(State& state, const CopyCall& call,
                                const cudaMemcpy3DParms& params);
/// Elements of `element_bytes` bytes (1, 2 or 4), each with the value; `rows.width` in bytes.
[[nodiscard]] Work fill_work(const CopyCall& call, void* to, unsigned value, unsigned element_bytes,
                             const Rows& rows);

/// The address that is so many bytes behind a variable's.
[[nodiscard]] void* at_symbol(State& state, const void* symbol, std::size_t offset);

[[nodiscard]] const DeviceArray& known_array(State& state, const void* handle);
/// Row `y` of an array from byte `x` on, where so many bytes and rows are inside of it.
[[nodiscard]] void* inside(const DeviceArray& array, std::size_t x, std::size_t y,
                           std::size_t width, std::size_t height);

/// An entry that puts what `work(state)` makes into a stream.
template <class F>
cudaError_t put_work(cudaStream_t stream, F&& work) {
  return entry([&](State& s) { return s.put(stream, work(s)); });
}

/// A list without its parentheses.
#define GAUNTLET_LIST(...) __VA_ARGS__

/// Defines NAME, and NAMEAsync with a stream behind its parameters; what is given last is the work,
/// in terms of these, of the state `s` and the call `call`.
#define GAUNTLET_COPY_PAIR(name, parameters, ...)                          \
  cudaError_t name(GAUNTLET_LIST parameters) {                             \
    return put_work(nullptr, [&]([[maybe_unused]] State& s) {              \
      constexpr CopyCall call{#name, true};                                \
      return __VA_ARGS__;                                                  \
    });                                                                    \
  }                                                                        \
  cudaError_t name##Async(GAUNTLET_LIST parameters, cudaStream_t stream) { \
    return put_work(stream, [&]([[maybe_unused]] State& s) {               \
      constexpr CopyCall call{#name "Async"};                              \
      return __VA_ARGS__;                                                  \
    });                                                                    \
  }

}  // namespace gauntlet::runtime
