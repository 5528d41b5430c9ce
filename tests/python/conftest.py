# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels as text, each right and with one planted defect, projects to run pytest in, and libNVVM where Numba looks for it."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gauntlet import _compilers

here = Path(__file__).resolve().parent
EXAMPLES = here.parent.parent / "examples/python"


def lay_toolkit():
    """Numba looks for libNVVM in nvvm/lib64 of CUDA_HOME. Some packages of the toolkit have it in lib: a folder
    of links is laid then, in which it stands there, and CUDA_HOME names it."""
    nvcc = _compilers.nvcc()
    if "CUDA_HOME" not in os.environ and nvcc is None:
        return
    toolkit = Path(os.environ.get("CUDA_HOME") or Path(nvcc).parent.parent).resolve()
    libraries = sorted(path for name in ("lib64", "lib") for path in (toolkit / name).glob("libnvvm.so*"))
    if list((toolkit / "nvvm").glob("lib64/libnvvm.so*")) or not libraries:
        return
    laid = Path(tempfile.mkdtemp(prefix="toolkit-"))
    atexit.register(shutil.rmtree, laid, ignore_errors=True)
    for path in toolkit.iterdir():
        if path.name != "nvvm":
            (laid / path.name).symlink_to(path)
    (laid / "nvvm/lib64").mkdir(parents=True)
    (laid / "nvvm/libdevice").symlink_to(toolkit / "nvvm/libdevice")
    for path in libraries:
        if not (laid / "nvvm/lib64" / path.name).exists():
            (laid / "nvvm/lib64" / path.name).symlink_to(path)
    os.environ["CUDA_HOME"] = str(laid)


lay_toolkit()

CUDA_SUM = """
__global__ void block_sum(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : 0;
  for (int o = 32; o > 0; o /= 2) {
    BARRIER
    if (t < o) s[t] += s[t + o];
  }
  if (t == 0) *y = s[0];
}
"""


def cuda_sum(right):
    return CUDA_SUM.replace("BARRIER", "__syncthreads();" if right else "")


# Thread t writes 2 t where thread t reads its neighbour's word, behind a barrier or not.
PTX_SHIFT = """
.version 7.0
.target sm_75
.address_size 64
.visible .entry shift(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .shared .align 4 .b8 s[512];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 1;
  cvta.to.shared.u64 %rd1, s;
  mul.wide.u32 %rd2, %r1, 4;
  mov.u64 %rd3, s;
  add.s64 %rd4, %rd3, %rd2;
  st.shared.u32 [%rd4], %r2;
  BARRIER
  xor.b32 %r3, %r1, 64;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd4, %rd3, %rd2;
  ld.shared.u32 %r4, [%rd4];
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd5, %rd1, %rd2;
  st.global.u32 [%rd5], %r4;
  ret;
}
""".replace("  cvta.to.shared.u64 %rd1, s;\n", "")


def ptx_shift(right):
    return PTX_SHIFT.replace("BARRIER", "bar.sync 0;" if right else "")


@pytest.fixture
def project(tmp_path):
    """run(files, arguments): pytest on these files, as from a shell: the process, its text."""

    def run(files, *arguments, plugin=True):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        words = ["-p", "gauntlet.pytest_plugin"] if plugin else []
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words, *arguments], cwd=tmp_path,
                              env=environment, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    return run


LAUNCHER = '''
import ctypes
import pytest


def launch(ptx):
    """One block of 128 threads through the driver: what it left in the array."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    array = ctypes.c_uint64()
    assert cuda.cuInit(0) == 0
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    cuda.cuCtxSetCurrent(context)
    assert cuda.cuModuleLoadData(ctypes.byref(module), ptx.encode() + b"\\0") == 0
    cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"shift")
    cuda.cuMemAlloc_v2(ctypes.byref(array), ctypes.c_size_t(512))
    given = (ctypes.c_void_p * 1)(ctypes.addressof(array))
    assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, None, given, None) == 0
    left = (ctypes.c_int * 128)()
    cuda.cuMemcpyDtoH_v2(left, array, ctypes.c_size_t(512))
    return list(left)
'''


def launcher():
    """A module with `launch`, and the two kernels RIGHT and RACY."""
    return LAUNCHER + f"\nRIGHT = {ptx_shift(True)!r}\nRACY = {ptx_shift(False)!r}\nSHIFTED = [2 * (t ^ 64) for t in range(128)]\n"
