// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What plan() must know of a variant's launch: elements per block, how the result is finished, how
// much shared memory a block gets, which block sizes the kernel can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/catalogue.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

/// How n maps to blocks.
struct Geometry {
  std::string refusal;       ///< not empty: the block size that the kernel cannot do, and why
  std::string entry;         ///< of the kernel over the case's input
  std::uint64_t tile = 0;    ///< elements per block; grid-stride kernels: per block and round
  bool grid_stride = false;  ///< any grid covers n
  Finish finish = Finish::partials;
  Dim3 block;
  std::uint32_t shared_bytes = 0;
  std::uint32_t second_block = 0;   ///< threads of the second launch, 0: none
  std::uint64_t height = 0;         ///< roundings of an element that a thread takes in its first
                                    ///< round, those of the tree included
  std::uint64_t vector = 0;         ///< kernels/batch.cuh: elements of a vector; else 0
  std::uint64_t batch = 0;          ///< kernels/batch.cuh: vectors in flight per thread; else 0
  std::uint64_t tail_multiple = 0;  ///< documented loads stay below n rounded up to this
  bool input_may_change = false;
  bool constant_block = false;  ///< the kernel is compiled for each of some block sizes
};

/// Partials that the __device__ array of static_partials holds.
inline constexpr std::uint32_t static_partials = 10240;

/// Vectors that a thread of kernels/batch.cuh has in flight; 0 for other loads.
[[nodiscard]] std::uint64_t batch_of(Load load);

/// "variant__form__in_acc_op" of the case's kernel over elements of type `in`: its PTX entry, or,
/// where the block size is a constant of the kernel, what precedes "__bBLOCK" (kernels/images.hpp).
[[nodiscard]] std::string entry_stem(const Case& c, Type in);
/// The PTX entry itself.
[[nodiscard]] std::string entry_name(const Case& c, Type in);

/// Steps of a tree over `cells` cells.
[[nodiscard]] std::uint64_t tree_height(std::uint64_t cells);

/// What every row has: the entry and the block, or the refusal of it.
[[nodiscard]] Geometry geometry_of(Blocks blocks, const Case& c);
/// Of a row that CUB does not launch.
[[nodiscard]] Geometry geometry_of(const Row& row, const Form& form, const Case& c);
[[nodiscard]] Geometry geometry_of(const Mapping& mapping, const Form& form, const Case& c);

}  // namespace gauntlet::kernels
