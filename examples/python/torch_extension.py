# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""A CUDA extension of PyTorch: sums of 64 numbers, once right and once without a barrier.

    gauntlet run -- python3 torch_extension.py

The right sum is printed as on a GPU. The second kernel has a race in shared memory, found with its
line of cuda.cu, which load_inline writes. Nothing is needed but PTX (+PTX) and line information.
"""
import os

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0+PTX")

import torch  # noqa: E402
from torch.utils.cpp_extension import load_inline  # noqa: E402

cuda_source = """
template <bool racy>
__global__ void sum(const float* values, float* result) {
  __shared__ float partial[64];
  const unsigned t = threadIdx.x;
  partial[t] = values[t];
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    if (!racy) __syncthreads();
  }
  if (t == 0) *result = partial[0];
}

torch::Tensor sum_by(torch::Tensor values, torch::Tensor result, bool racy) {
  (racy ? sum<true> : sum<false>)<<<1, 64>>>(values.data_ptr<float>(), result.data_ptr<float>());
  return result;
}
"""


def sum_by(extension, racy):
    values = torch.arange(64, dtype=torch.float32).cuda()
    result = torch.zeros(1, dtype=torch.float32).cuda()
    return extension.sum_by(values, result, racy).cpu()[0].item()


def main():
    extension = load_inline(
        name="gauntlet_example",
        cpp_sources="torch::Tensor sum_by(torch::Tensor, torch::Tensor, bool);",
        cuda_sources=cuda_source,
        functions=["sum_by"],
        extra_cuda_cflags=["-lineinfo"],
    )
    print("right:", sum_by(extension, False))
    sum_by(extension, True)  # which value comes out depends on the order: an H100 printed 537
    print("racy: done")


main()
