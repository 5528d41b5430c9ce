# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Machine code by nvJitLink, to a file: jit_link.py LIBRARY OUTPUT ptx|lto|any INPUT... (LTO IR with -lto)"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv.pop(1))
kinds = {"ptx": 2, "lto": 3, "any": 10}
kind = kinds[sys.argv[2]]


def check(result):
    if result != 0:
        size = ctypes.c_size_t()
        library.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvJitLinkGetErrorLog(handle, log)
        sys.exit(f"result {result}: {log.value.decode()}")


handle = ctypes.c_void_p()
options = [b"-arch=sm_80"] + ([b"-lto"] if kind != 2 else [])
check(library.__nvJitLinkCreate_13_0(ctypes.byref(handle), len(options), (ctypes.c_char_p * len(options))(*options)))
for name in sys.argv[3:]:
    with open(name, "rb") as file:
        data = file.read()
    check(library.nvJitLinkAddData(handle, kind, data, ctypes.c_size_t(len(data)), name.encode()))
check(library.nvJitLinkComplete(handle))
size = ctypes.c_size_t()
check(library.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size)))
if size.value != 0:
    sys.exit("there is an error log")
check(library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)))
image = ctypes.create_string_buffer(size.value)
check(library.nvJitLinkGetLinkedCubin(handle, image))
check(library.nvJitLinkDestroy(ctypes.byref(handle)))
with open(sys.argv[1], "wb") as file:
    file.write(image.raw)
