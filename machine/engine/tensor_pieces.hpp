// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes and pixels of tensors in bulk copies: which of their bytes go where (PTX ISA 9.0, 5.5; CUDA
// driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/bulk_copy.hpp"
#include "machine/state/tensor_map.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

/// Appends the pieces of the lane's box, row by row, or of its pixels, as shared memory (from this
/// address on) and the tensor have them. Not empty: why a GPU stops the copy instead.
[[nodiscard]] std::string pieces_of_tensor(const Warp& w, std::uint32_t lane, const BulkOp& of,
                                           const TensorMap& map, std::uint64_t shared,
                                           std::vector<BulkPiece>& pieces);

}  // namespace gauntlet::simt
