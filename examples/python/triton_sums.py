# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Sums of 1000 numbers by Triton: with an atomic, and with a planted race between programs.

    gauntlet run --device sm_86 -- python3 triton_sums.py

The first sum is printed as on a GPU. The second kernel loads the result, adds and stores it, which
programs do at the same time: a race, at the line of the tl.store. Tensors are made on the CPU and
copied: PyTorch's own operators are machine code.
"""
import torch
import triton
import triton.language as tl

n, block = 1000, 256


@triton.jit
def right_sum(values, result, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.atomic_add(result, tl.sum(tl.load(values + at, mask=at < n, other=0.0)))


@triton.jit
def racy_sum(values, result, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    part = tl.sum(tl.load(values + at, mask=at < n, other=0.0))
    tl.store(result, tl.load(result) + part)


def sum_by(kernel):
    values = torch.arange(n, dtype=torch.float32).cuda()
    result = torch.zeros(1, dtype=torch.float32).cuda()
    kernel[(triton.cdiv(n, block),)](values, result, n, block=block)
    return result.cpu()[0].item()


def main():
    print("right:", sum_by(right_sum))
    sum_by(racy_sum)  # which value comes out depends on the order
    print("racy: done")


main()
