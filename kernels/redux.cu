// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: integer warp reductions by one instruction.
#include "kernels/instantiate.cuh"
#include "kernels/redux.cuh"

#define GAUNTLET_REDUX_TYPE(FORM, FIXES, TYPE)            \
  GAUNTLET_ENTRY(redux, FORM, FIXES, TYPE, TYPE, sum)     \
  GAUNTLET_ENTRY(redux, FORM, FIXES, TYPE, TYPE, minimum) \
  GAUNTLET_ENTRY(redux, FORM, FIXES, TYPE, TYPE, maximum)
#define GAUNTLET_REDUX_I32(FORM, FIXES) GAUNTLET_REDUX_TYPE(FORM, FIXES, i32)

GAUNTLET_REDUX_I32(documented, fix::none)
GAUNTLET_REDUX_I32(fixed_early_exit, fix::partial_warp | fix::identity)
GAUNTLET_REDUX_I32(fixed_partial_warp, fix::early_exit | fix::identity)
GAUNTLET_REDUX_I32(fixed_identity, fix::early_exit | fix::partial_warp)
GAUNTLET_REDUX_I32(fixed, fix::early_exit | fix::partial_warp | fix::identity)
GAUNTLET_REDUX_TYPE(fixed, fix::early_exit | fix::partial_warp | fix::identity, u32)
GAUNTLET_ENTRY(redux, fixed, fix::early_exit | fix::partial_warp | fix::identity, i8, i32, sum)
GAUNTLET_ENTRY(redux, fixed, fix::early_exit | fix::partial_warp | fix::identity, u8, u32, sum)
GAUNTLET_ENTRY(redux, fixed, fix::early_exit | fix::partial_warp | fix::identity, i16, i32, sum)
