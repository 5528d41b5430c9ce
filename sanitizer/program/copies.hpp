// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills as work that is put into a stream or a graph.
#pragma once

#include <string>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

/// Rows and planes of a copy; of one row, where all is one piece. In bytes.
struct Rows {
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t to_pitch = 0, from_pitch = 0, to_plane = 0, from_plane = 0;
};

/// `waits`: a call without Async in its name, whose memory says whether the host waits for it (CUDA
/// Runtime API, API synchronization behavior). Not cudaSuccess: what CUDA refuses at once.
cudaError_t copy_work(std::string call, void* to, const void* from, const Rows& rows,
                      cudaMemcpyKind kind, bool waits, Work& work);
cudaError_t copy_3d_work(State& state, std::string call, const cudaMemcpy3DParms& params,
                         bool waits, Work& work);
/// `to_symbol`: else from it.
cudaError_t copy_symbol_work(State& state, std::string call, bool to_symbol, void* other,
                             const void* symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind, bool waits, Work& work);
/// Elements of `element_bytes` bytes (1, 2 or 4), each with the value; `rows.width` in bytes.
Work fill_work(std::string call, void* to, unsigned value, unsigned element_bytes, const Rows& rows,
               bool waits);

}  // namespace gauntlet::runtime
