// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Macros that compile a kernel template into entries named VARIANT__FORM__IN_ACC_OP.
//
//   GAUNTLET_SUMS_F32(sequential, documented, fix::none)
//   GAUNTLET_ALL(sequential, fixed, fix::bounds_check | fix::power_of_two_block)
#pragma once

#include "kernels/fixes.cuh"
#include "kernels/operators.cuh"

// A file whose kernels take other arguments defines its own GAUNTLET_ENTRY first.
#ifndef GAUNTLET_ENTRY
#define GAUNTLET_ENTRY(VARIANT, FORM, FIXES, IN, ACC, OP)                                 \
  extern "C" __global__ void VARIANT##__##FORM##__##IN##_##ACC##_##OP(                    \
      const gauntlet::device::IN* in, gauntlet::device::ACC* out, unsigned long long n) { \
    using namespace gauntlet::device;                                                     \
    gauntlet::device::VARIANT<IN, ACC, OP, (FIXES)>(in, out, n);                          \
  }
#endif

// The documented form of a kernel that has its block size as a constant, one entry for each size:
// the documents' own, those that every test sweeps, and small ones. The array of C v2 has B/2
// cells, which for B = 1 does not compile.
#define GAUNTLET_BLOCK_ENTRY(V, FIXES, TYPE, BLOCK)                                          \
  extern "C" __global__ void V##__documented__##TYPE##_##TYPE##_sum__b##BLOCK(               \
      const gauntlet::device::TYPE* in, gauntlet::device::TYPE* out, unsigned long long n) { \
    using namespace gauntlet::device;                                                        \
    gauntlet::device::V<TYPE, TYPE, sum, (FIXES), BLOCK>(in, out, n);                        \
  }
#define GAUNTLET_BLOCKS_FROM_2(M, V, FIXES, TYPE) \
  M(V, FIXES, TYPE, 2)                            \
  M(V, FIXES, TYPE, 3)                            \
  M(V, FIXES, TYPE, 4)                            \
  M(V, FIXES, TYPE, 8)                            \
  M(V, FIXES, TYPE, 16)                           \
  M(V, FIXES, TYPE, 24)                           \
  M(V, FIXES, TYPE, 32)                           \
  M(V, FIXES, TYPE, 33)                           \
  M(V, FIXES, TYPE, 48)                           \
  M(V, FIXES, TYPE, 64)                           \
  M(V, FIXES, TYPE, 96)                           \
  M(V, FIXES, TYPE, 128)                          \
  M(V, FIXES, TYPE, 180)                          \
  M(V, FIXES, TYPE, 192)                          \
  M(V, FIXES, TYPE, 256)                          \
  M(V, FIXES, TYPE, 320)                          \
  M(V, FIXES, TYPE, 512)                          \
  M(V, FIXES, TYPE, 1024)
#define GAUNTLET_BLOCKS(M, V, FIXES, TYPE) \
  M(V, FIXES, TYPE, 1) GAUNTLET_BLOCKS_FROM_2(M, V, FIXES, TYPE)
#define GAUNTLET_DOCUMENTED(V, TYPE, FIXES) GAUNTLET_BLOCKS(GAUNTLET_BLOCK_ENTRY, V, FIXES, TYPE)

// The documents' own types: f32 for A and B, f32 and f64 for D, i32 for C and E.
#define GAUNTLET_SUMS_F32(V, FORM, FIXES) GAUNTLET_ENTRY(V, FORM, FIXES, f32, f32, sum)
#define GAUNTLET_SUMS_I32(V, FORM, FIXES) GAUNTLET_ENTRY(V, FORM, FIXES, i32, i32, sum)
#define GAUNTLET_SUMS_F32_F64(V, FORM, FIXES)   \
  GAUNTLET_ENTRY(V, FORM, FIXES, f32, f32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, f64, f64, sum)
#define GAUNTLET_SUMS_F32_I32(V, FORM, FIXES)   \
  GAUNTLET_ENTRY(V, FORM, FIXES, f32, f32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, i32, i32, sum)
#define GAUNTLET_SUMS_F32_F64_I32(V, FORM, FIXES) \
  GAUNTLET_SUMS_F32_F64(V, FORM, FIXES)           \
  GAUNTLET_ENTRY(V, FORM, FIXES, i32, i32, sum)

// Every pair whose accumulator is the input's own type.
#define GAUNTLET_SAME_TYPE(V, FORM, FIXES)      \
  GAUNTLET_ENTRY(V, FORM, FIXES, f32, f32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, f64, f64, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, f16, f16, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, i32, i32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, u32, u32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, i64, i64, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, u64, u64, sum) \
  GAUNTLET_OPERATORS(V, FORM, FIXES, f32)       \
  GAUNTLET_OPERATORS(V, FORM, FIXES, f64)       \
  GAUNTLET_OPERATORS(V, FORM, FIXES, i32)       \
  GAUNTLET_OPERATORS(V, FORM, FIXES, f16)

#define GAUNTLET_WIDENING(V, FORM, FIXES)        \
  GAUNTLET_ENTRY(V, FORM, FIXES, f32, f64, sum)  \
  GAUNTLET_ENTRY(V, FORM, FIXES, f16, f32, sum)  \
  GAUNTLET_ENTRY(V, FORM, FIXES, bf16, f32, sum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, i32, i64, sum)  \
  GAUNTLET_ENTRY(V, FORM, FIXES, i8, i32, sum)   \
  GAUNTLET_ENTRY(V, FORM, FIXES, u8, u32, sum)   \
  GAUNTLET_ENTRY(V, FORM, FIXES, i16, i32, sum)

#define GAUNTLET_OPERATORS(V, FORM, FIXES, TYPE)      \
  GAUNTLET_ENTRY(V, FORM, FIXES, TYPE, TYPE, product) \
  GAUNTLET_ENTRY(V, FORM, FIXES, TYPE, TYPE, minimum) \
  GAUNTLET_ENTRY(V, FORM, FIXES, TYPE, TYPE, maximum)

// All 14 pairs for sum; product, minimum and maximum for f32, f64, i32 and f16.
#define GAUNTLET_ALL(V, FORM, FIXES) \
  GAUNTLET_SAME_TYPE(V, FORM, FIXES) \
  GAUNTLET_WIDENING(V, FORM, FIXES)
