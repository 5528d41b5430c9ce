# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""PTX by the driver's interface and ctypes: load_ptx.py FILE KERNEL"""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def check(error):
    if error != 0:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(error, ctypes.byref(name))
        sys.exit(name.value.decode())


check(cuda.cuInit(0))
device, context = ctypes.c_int(), ctypes.c_void_p()
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
with open(sys.argv[1], "rb") as file:
    check(cuda.cuModuleLoadData(ctypes.byref(module), file.read() + b"\0"))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, sys.argv[2].encode()))

n = ctypes.c_int(100)
values = (ctypes.c_int * n.value)(*range(n.value))
array = ctypes.c_uint64()
check(cuda.cuMemAlloc_v2(ctypes.byref(array), ctypes.sizeof(values)))
check(cuda.cuMemcpyHtoD_v2(array, values, ctypes.c_size_t(ctypes.sizeof(values))))
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(array), ctypes.addressof(n))
check(cuda.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 512, None, arguments, None))
total, size, result = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_int()
check(cuda.cuModuleGetGlobal_v2(ctypes.byref(total), ctypes.byref(size), module, b"total"))
check(cuda.cuMemcpyDtoH_v2(ctypes.byref(result), total, ctypes.c_size_t(4)))
check(cuda.cuMemFree_v2(array))
check(cuda.cuCtxDestroy_v2(context))
print(result.value)
