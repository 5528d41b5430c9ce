// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 56, 71 to 73: document C shows banks with kernels that store one word per lane and
// never read it. As printed the compiler is free to delete such stores; the kernels named _kept
// make the array volatile, so that it may not.

#pragma nv_diag_suppress 550  // set but never used: that is the point

#define DEMO(NAME, DECLARATION, CELL)        \
  extern "C" __global__ void NAME() {        \
    __shared__ DECLARATION;                  \
    const unsigned t = threadIdx.x;          \
    CELL = 1;                                \
  }                                          \
  extern "C" __global__ void NAME##_kept() { \
    volatile __shared__ DECLARATION;         \
    const unsigned t = threadIdx.x;          \
    CELL = 1;                                \
  }
DEMO(row, int cells[32], cells[t])
DEMO(stride_32, int cells[32], cells[t * 32])
DEMO(column_of_32, int cells[32][32], cells[t][0])
DEMO(column_of_33, int cells[32][33], cells[t][0])
