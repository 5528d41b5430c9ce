// The instances that are printed: one block size, one type of each document.
#pragma once
#include_next "kernels/instantiate.cuh"
#undef GAUNTLET_BLOCKS
#undef GAUNTLET_BLOCKS_FROM_2
#undef GAUNTLET_ALL
#undef GAUNTLET_SUMS_F32_F64
#define GAUNTLET_BLOCKS(M, V, FIXES, TYPE) M(V, FIXES, TYPE, 256)
#define GAUNTLET_BLOCKS_FROM_2(M, V, FIXES, TYPE) M(V, FIXES, TYPE, 256)
#define GAUNTLET_ALL(V, FORM, FIXES) GAUNTLET_SUMS_F32_I32(V, FORM, FIXES)
#define GAUNTLET_SUMS_F32_F64(V, FORM, FIXES) GAUNTLET_SUMS_F32(V, FORM, FIXES)
