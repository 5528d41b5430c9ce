# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that cuda.core compiles and launches.

    gauntlet run -- python3 cuda_core_scale.py
"""
import ctypes

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

source = r"""
extern "C" __global__ void scale(float* values, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}", lineinfo=True)
    kernel = Program(source, "c++", options).compile("ptx").get_kernel("scale")
    n = 100
    memory = LegacyPinnedMemoryResource().allocate(n * ctypes.sizeof(ctypes.c_float))
    values = (ctypes.c_float * n).from_address(int(memory.handle))
    values[:] = range(n)
    config = LaunchConfig(grid=1, block=128)
    launch(stream, config, kernel, memory, ctypes.c_float(2.5), ctypes.c_int(n))
    stream.sync()
    print("scaled:", list(values)[:4])
    memory.close()


main()
