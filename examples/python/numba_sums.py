# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Sums of 64 numbers by Numba: with barriers, and with one only at the beginning.

    gauntlet run --device sm_86 -- python3 numba_sums.py

Both sums are printed as on a GPU. Of the second kernel's lanes nothing says who is first:

    gauntlet run: cudapy::__main__::racy_sum(...) <<<1, 64>>>, launch 2
      launched at numba_sums.py:58 in sum_by
      called from numba_sums.py:64 in main
    warning: race_write_read _cudapy_smem_2[16], 4 bytes (57 times)
      no __syncwarp orders the write at numba_sums.py:49 and the read at :49
"""
import numba
import numpy as np
from numba import cuda, float32

if numba.__version__.startswith("0.56."):
    import numba_0_56  # noqa: F401

n = 64


@cuda.jit(lineinfo=True)
def right_sum(values, result):
    partial = cuda.shared.array(n, float32)
    t = cuda.threadIdx.x
    partial[t] = values[t]
    half = n // 2
    while half > 0:
        cuda.syncthreads()
        if t < half:
            partial[t] += partial[t + half]
        half //= 2
    if t == 0:
        result[0] = partial[0]


@cuda.jit(lineinfo=True)
def racy_sum(values, result):
    partial = cuda.shared.array(n, float32)
    t = cuda.threadIdx.x
    partial[t] = values[t]
    cuda.syncthreads()
    half = n // 2
    while half > 0:
        if t < half:
            partial[t] += partial[t + half]
        half //= 2
    if t == 0:
        result[0] = partial[0]


def sum_by(kernel):
    values = cuda.to_device(np.arange(n, dtype=np.float32))
    result = cuda.to_device(np.zeros(1, dtype=np.float32))
    kernel[1, n](values, result)
    return result.copy_to_host()[0]


def main():
    print("right:", sum_by(right_sum))
    sum_by(racy_sum)  # which value comes out depends on the order
    print("racy: done")


main()
