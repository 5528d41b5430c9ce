# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The same kernels on a GPU and by gauntlet.sanitize, without one: what they leave in their arrays.

    python3 sanitize_kernels.py gpu             launches them
    python3 sanitize_kernels.py                 gives them to gauntlet.sanitize

Each kind of kernel whose package is here prints a line for each right kernel, its values; all are sums of
integers, so that both print the same bits. Of the racy twins, which only gauntlet.sanitize is given, the kinds
of the findings go to standard error. Exit code: 1 where a right kernel has findings or a racy one has none; 77
where no package is here.
"""
import importlib.util
import sys

import numpy as np

on_gpu = sys.argv[1:] == ["gpu"]
n, block = 1000, 256
blocks = (n + block - 1) // block
values = (np.arange(n) % 17).astype(np.float32)
wrong = []

CUDA_SUM = """
extern "C" __global__ void block_sum(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  for (int o = 128; o > 0; o /= 2) {
    BARRIER
    if (t < o) s[t] += s[t + o];
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
"""


def cuda_sum(right):
    return CUDA_SUM.replace("BARRIER", "__syncthreads();" if right else "")


def show(name, result):
    print(f"{name}:", " ".join(f"{value:g}" for value in np.asarray(result).reshape(-1)))


def sanitize(name, right, kernel, grid, threads, *arguments, **options):
    import gauntlet
    found = gauntlet.sanitize(kernel, grid, threads, *arguments, **options)
    print(f"{name}, {'right' if right else 'racy'}: {' '.join(found.kinds()) or 'clean'}", file=sys.stderr)
    if found.clean != right:
        wrong.append(name)
        print(found, file=sys.stderr)


def numba_kernels():
    if on_gpu and not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 names it while it compiles; gauntlet.sanitize does the same
    import numba
    from numba import cuda, float32
    if numba.__version__.startswith("0.56."):
        import numba_0_56  # noqa: F401

    def make(right):
        @cuda.jit
        def block_sum(x, y):
            s = cuda.shared.array(256, float32)
            t, i = cuda.threadIdx.x, cuda.grid(1)
            s[t] = x[i] if i < x.shape[0] else 0
            o = 128
            while o > 0:
                if right:
                    cuda.syncthreads()
                if t < o:
                    s[t] += s[t + o]
                o //= 2
            if t == 0:
                y[cuda.blockIdx.x] = s[0]

        return block_sum

    @cuda.jit
    def scale(a, b, factor):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            b[i, j] = a[i, j] * factor

    sums, table = np.zeros(blocks, np.float32), np.arange(12, dtype=np.int64).reshape(3, 4)
    scaled = np.zeros_like(table)
    if on_gpu:
        make(True)[blocks, block](values, sums)
        scale[(1, 1), (8, 8)](table, scaled, 3)
    else:
        sanitize("Numba", True, make(True), blocks, block, values, sums)
        sanitize("Numba, two axes", True, scale, (1, 1), (8, 8), table, scaled, 3)
        sanitize("Numba", False, make(False), blocks, block, values, np.zeros(blocks, np.float32))
    show("Numba", sums)
    show("Numba, two axes", scaled)


def triton_kernels():
    import torch
    import triton
    import triton.language as tl
    globals()["tl"] = tl  # Triton looks names up in the module

    @triton.jit
    def block_sums(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + tl.program_id(0), tl.sum(tl.load(x + at, mask=at < n, other=0.0)))

    @triton.jit
    def add_sums(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(y, tl.sum(tl.load(x + at, mask=at < n, other=0.0)))

    @triton.jit
    def racy_sums(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y, tl.load(y) + tl.sum(tl.load(x + at, mask=at < n, other=0.0)))

    @triton.jit
    def row_max(x, y, columns, BLOCK: tl.constexpr):
        row, at = tl.program_id(0), tl.arange(0, BLOCK)
        tl.store(y + row, tl.max(tl.load(x + row * columns + at, mask=at < columns, other=-1.0)))

    constants = {"BLOCK": block}
    for name, kernel, size in [("Triton", block_sums, blocks), ("Triton, atomics", add_sums, 1)]:
        sums = np.zeros(size, np.float32)
        if on_gpu:
            on_device = torch.from_numpy(sums).cuda()
            kernel[(blocks,)](torch.from_numpy(values).cuda(), on_device, n, **constants)
            sums = on_device.cpu().numpy()
        else:
            sanitize(name, True, kernel, blocks, None, values, sums, n, constants=constants)
        show(name, sums)
    maxima, table = np.zeros(8, np.float32), values[:800].reshape(8, 100).copy()
    if on_gpu:
        on_device = torch.from_numpy(maxima).cuda()
        row_max[(8,)](torch.from_numpy(table).cuda(), on_device, 100, BLOCK=128)
        maxima = on_device.cpu().numpy()
    else:
        sanitize("Triton, rows", True, row_max, 8, None, torch.from_numpy(table), torch.from_numpy(maxima), 100,
                 constants={"BLOCK": 128}, compile_options={"num_warps": 2})
        sanitize("Triton", False, racy_sums, blocks, None, values, np.zeros(1, np.float32), n, constants=constants)
    show("Triton, rows", maxima)


def cupy_kernels():
    import cupy
    sums = np.zeros(blocks, np.float32)
    if on_gpu:
        on_device = cupy.asarray(sums)
        cupy.RawKernel(cuda_sum(True), "block_sum")((blocks,), (block,), (cupy.asarray(values), on_device, np.int32(n)))
        sums = on_device.get()
    else:
        for right in (True, False):
            left = sums if right else np.zeros_like(sums)
            sanitize("CuPy", right, cupy.RawKernel(cuda_sum(right), "block_sum"), blocks, block, values, left, np.int32(n))
    show("CuPy", sums)


def torch_kernels():
    """CUDA C++ as an extension of PyTorch has it; its arrays here are PyTorch's, on the CPU."""
    import torch
    x, y = torch.from_numpy(values), torch.zeros(blocks)
    if on_gpu:
        from torch.utils.cpp_extension import load_inline
        host = """#include <c10/cuda/CUDAStream.h>
void launch(torch::Tensor x, torch::Tensor y) {
  block_sum<<<y.numel(), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
}"""
        module = load_inline("gauntlet_sums", "void launch(torch::Tensor x, torch::Tensor y);", cuda_sum(True) + host,
                             functions=["launch"])
        on_device = y.cuda()
        module.launch(x.cuda(), on_device)
        y = on_device.cpu()
    else:
        for right in (True, False):
            sanitize("PyTorch", right, cuda_sum(right), blocks, block, x, y if right else torch.zeros(blocks), n)
    show("PyTorch", y.numpy())


tried = 0
for package, kernels in [("numba", numba_kernels), ("triton", triton_kernels), ("cupy", cupy_kernels), ("torch", torch_kernels)]:
    if importlib.util.find_spec(package) is None:
        print(f"{package}: not installed", file=sys.stderr)
        continue
    try:
        kernels()
        tried += 1
    except Exception as error:  # one package that does not work here must not hide the others
        print(f"{package}: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{package}: cannot be tried on this machine")
sys.exit(1 if wrong else 0 if tried else 77)
