// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: copies and fills. All are done when they return, which is early for those
// that are asynchronous, and allowed.
#include "sanitizer/program/copies.hpp"

namespace gauntlet::runtime {
namespace {

Work fill(const CopyCall& call, void* to, int value, const Rows& rows) {
  return fill_work(call, to, static_cast<unsigned>(value), 1, rows);
}

Rows rows_of(const cudaPitchedPtr& p, const cudaExtent& e) {
  return {e.width, e.height, e.depth, p.pitch, 0, p.pitch * p.ysize, 0};
}

}  // namespace

extern "C" {

GAUNTLET_COPY_PAIR(cudaMemcpy, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
                   copy_work(call, to, from, {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpyPeer, (void* to, int, const void* from, int, std::size_t bytes),
                   copy_work(call, to, from, {bytes}, cudaMemcpyDeviceToDevice))
GAUNTLET_COPY_PAIR(cudaMemcpy2D,
                   (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind),
                   copy_work(call, to, from, {width, height, 1, to_pitch, from_pitch, 0, 0}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpy3D, (const cudaMemcpy3DParms* p), copy_3d_work(s, call, *p))
GAUNTLET_COPY_PAIR(cudaMemcpyToSymbol,
                   (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind),
                   copy_work(call, at_symbol(s, symbol, offset), from, {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemcpyFromSymbol,
                   (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind),
                   copy_work(call, to, at_symbol(s, symbol, offset), {bytes}, kind))
GAUNTLET_COPY_PAIR(cudaMemset, (void* to, int value, std::size_t bytes),
                   fill(call, to, value, {bytes}))
GAUNTLET_COPY_PAIR(cudaMemset2D,
                   (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
                   fill(call, to, value, {width, height, 1, pitch, 0, 0, 0}))
GAUNTLET_COPY_PAIR(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent),
                   fill(call, to.ptr, value, rows_of(to, extent)))

GAUNTLET_ENTRY(cudaGetSymbolAddress, (void** out, const void* symbol),
               give(out, at_symbol(s, symbol, 0)))
GAUNTLET_ENTRY(cudaGetSymbolSize, (std::size_t * bytes, const void* symbol),
               give(bytes, s.known_symbol(symbol).bytes))

}  // extern "C"

}  // namespace gauntlet::runtime
