// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

constexpr int part_cells = 32;

struct Part {
  /// Each cell gets `value`. Throws std::runtime_error where that is negative.
  void (*fill)(int* cells, int value, cudaStream_t stream);
  int (*made_by_constructor)();
};

extern "C" Part linked_part();
