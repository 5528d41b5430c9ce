# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Launches a kernel with a race from Python: python_frames.py PTX HOW"""
import contextlib
import ctypes
import sys
import threading

cuda = ctypes.CDLL("libcuda.so.1")
# Functions of it keep the global lock of Python while they run.
cuda_with_lock = ctypes.PyDLL("libcuda.so.1")


def load():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    cuda.cuInit(0)
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    cuda.cuCtxSetCurrent(context)
    with open(sys.argv[1], "rb") as file:
        cuda.cuModuleLoadData(ctypes.byref(module), file.read() + b"\0")
    cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"add_up_without_barrier")
    return context, kernel


def arguments():
    n, array = ctypes.c_int(100), ctypes.c_uint64()
    cuda.cuMemAlloc_v2(ctypes.byref(array), ctypes.c_size_t(400))
    cuda.cuMemsetD32_v2(array, 1, ctypes.c_size_t(100))
    all = (ctypes.c_void_p * 2)(ctypes.addressof(array), ctypes.addressof(n))
    return all, n, array


def launch(library, kernel):
    given = arguments()
    library.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 512, None, given[0], None)


def step(library, kernel):
    launch(library, kernel)


def steps(kernel):
    launch(cuda, kernel)
    yield


def by_library(kernel):
    # Python's library has the frames between this one and that of step.
    stack = contextlib.ExitStack()
    stack.callback(step, cuda, kernel)
    stack.close()


def copy_too_much():
    array = arguments()[2]
    cuda.cuMemcpyDtoH_v2((ctypes.c_int * 200)(), array, ctypes.c_size_t(800))


def from_threads(context, kernel):
    def work():
        cuda.cuCtxSetCurrent(context)
        for _ in range(20):
            step(cuda, kernel)
            step(cuda_with_lock, kernel)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def main():
    context, kernel = load()
    how = sys.argv[2]
    if how == "step":
        step(cuda, kernel)
    elif how == "with_lock":
        step(cuda_with_lock, kernel)
    elif how == "generator":
        next(steps(kernel))
    elif how == "library":
        by_library(kernel)
    elif how == "copy":
        copy_too_much()
    elif how == "threads":
        from_threads(context, kernel)
    print("done")


main()  # the outermost frame
