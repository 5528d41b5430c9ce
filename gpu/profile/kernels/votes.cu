// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 1: votes. Block b is one warp and one case: the lanes that masks[b] names vote among
// themselves, all others vote among themselves at the same time, in the other branch.

extern "C" __global__ void votes(const unsigned* masks, const unsigned* predicates,
                                 unsigned* ballots, unsigned* alls, unsigned* anys) {
  const unsigned lane = threadIdx.x;
  const unsigned mask = masks[blockIdx.x];
  const int predicate = predicates[blockIdx.x] >> lane & 1;
  const unsigned at = blockIdx.x * 32 + lane;
  if (mask >> lane & 1) {
    ballots[at] = __ballot_sync(mask, predicate);
    alls[at] = __all_sync(mask, predicate);
    anys[at] = __any_sync(mask, predicate);
  } else {
    ballots[at] = __ballot_sync(~mask, predicate);
    alls[at] = __all_sync(~mask, predicate);
    anys[at] = __any_sync(~mask, predicate);
  }
}
