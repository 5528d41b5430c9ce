# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of CuPy's three kinds: RawKernel, ElementwiseKernel, and the sum of an array.

    gauntlet run -- python3 cupy_sums.py
"""
import cupy
import numpy as np

raw = cupy.RawKernel(
    r"""
extern "C" __global__ void sum(const float* values, float* result) {
  __shared__ float partial[64];
  const unsigned t = threadIdx.x;
  partial[t] = values[t];
  for (unsigned half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  if (t == 0) *result = partial[0];
}
""",
    "sum",
    options=("-lineinfo",),
)
elementwise = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * y", "times")


def main():
    values = cupy.asarray(np.arange(64, dtype=np.float32))
    result = cupy.asarray(np.zeros(1, dtype=np.float32))
    raw((1,), (64,), (values, result))
    print("RawKernel:", cupy.asnumpy(result)[0])
    print("ElementwiseKernel:", cupy.asnumpy(elementwise(values, values))[:4])
    print("sum:", cupy.asnumpy(cupy.sum(values)))


main()
