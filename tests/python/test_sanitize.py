# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""gauntlet.sanitize for CUDA C++ and PTX: planted defects found, right kernels silent, values."""
import numpy as np
import pytest
from conftest import cuda_sum, ptx_shift

import gauntlet
from gauntlet import _compilers

needs_nvcc = pytest.mark.skipif(_compilers.nvcc() is None, reason="there is no nvcc")


def sums():
    return np.arange(64, dtype=np.float32), np.zeros(1, np.float32)


@needs_nvcc
def test_cuda_text_right_and_racy():
    x, y = sums()
    found = gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 64, assert_clean=True)
    assert found == [] and found.clean and y[0] == x.sum()
    found = gauntlet.sanitize(cuda_sum(False), 1, 64, x, y, 64)
    assert not found.clean and found.kinds() == ["poison_output", "race_write_read"], str(found)
    race = next(one for one in found if one.kind == "race_write_read")
    assert (race.array, race.size, race.severity) == ("s", 4, "error")
    assert {race.at.line, race.other.line} == {5, 8} and race.at.file == "kernel.cu"
    assert race.at.source.strip() == "if (t < o) s[t] += s[t + o];"
    assert "no barrier orders the write at kernel.cu:5 and the read at :8" in str(found)
    with pytest.raises(gauntlet.GauntletFindings, match="race_write_read") as raised:
        gauntlet.sanitize(cuda_sum(False), 1, 64, x, y, 64, assert_clean=True)
    assert raised.value.findings.kinds() == found.kinds()


@pytest.mark.skipif(_compilers.nvrtc() is None, reason="there is no NVRTC")
def test_nvrtc_gives_the_same():
    x, y = sums()
    assert gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 64, compiler="nvrtc").clean and y[0] == x.sum()
    found = gauntlet.sanitize(cuda_sum(False), 1, 64, x, y, 64, compiler="nvrtc")
    assert found.kinds() == ["poison_output", "race_write_read"] and {(5, 8)} <= {(one.other.line, one.at.line) for one in found}
    with pytest.raises(gauntlet.GauntletError, match="NVRTC cannot compile kernel.cu:\n.*identifier"):
        gauntlet.sanitize("__global__ void k(int* x) { *x = y; }", 1, 1, np.zeros(1, np.int32), compiler="nvrtc")


def test_ptx_text_right_and_racy():
    y = np.zeros(128, np.int32)
    assert gauntlet.sanitize(ptx_shift(True), 1, 128, y, assert_clean=True) == []
    assert y.tolist() == [2 * (t ^ 64) for t in range(128)]
    assert gauntlet.sanitize(ptx_shift(False), 1, 128, y, entry="shift").kinds() == ["poison_output", "race_write_read"]
    out_of_bounds = gauntlet.sanitize(ptx_shift(True), 1, 128, y[:100].copy())
    assert out_of_bounds.kinds() == ["out_of_bounds_write"] and out_of_bounds[0].index == 100


@needs_nvcc
def test_every_element_type_comes_back():
    text = "template <class T> __global__ void twice(const T* x, T* y, int n) { int t = threadIdx.x; if (t < n) y[t] = x[t] + x[t]; }\n"
    types = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
             "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long", "float32": "float", "float64": "double"}
    text += "".join(f"template __global__ void twice<{name}>(const {name}*, {name}*, int);\n" for name in types.values())
    for name, of_cpp in types.items():
        x = np.arange(6, dtype=name).reshape(2, 3)
        y = np.zeros_like(x)
        assert gauntlet.sanitize(text, 1, 32, x, y, 6, entry=f"twice<{of_cpp}>").clean, name
        assert (y == 2 * x).all(), name


@needs_nvcc
def test_numbers_take_the_parameter_s_type_and_structs_their_bytes():
    text = """
struct Pair { int a; float b; };
__global__ void k(float* y, double d, unsigned char c, Pair p, long long l, bool f, const float* none) {
  y[0] = d; y[1] = c; y[2] = p.a; y[3] = p.b; y[4] = l; y[5] = f; y[6] = none == nullptr;
}
"""
    y = np.zeros(7, np.float32)
    pair = np.array((3, 4.5), dtype=[("a", np.int32), ("b", np.float32)])[()]
    assert gauntlet.sanitize(text, 1, 1, y, 1, np.uint8(200), pair, -5, True, None).clean
    assert y.tolist() == [1, 200, 3, 4.5, -5, 1, 1]


@needs_nvcc
def test_undefined_one_memory_twice_and_what_must_not_be_written():
    copy = "__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }"
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    assert gauntlet.sanitize(copy, 1, 32, gauntlet.undefined(x.copy()), y).kinds() == ["poison_output"]
    assert gauntlet.sanitize(copy, 1, 32, x, gauntlet.undefined(y)).clean and y.sum() == 32
    assert gauntlet.sanitize(copy, 1, 32, x, x).clean
    y.flags.writeable = False
    assert gauntlet.sanitize(copy, 1, 32, x, y).kinds() == ["write_to_input"]
    with pytest.raises(gauntlet.GauntletError, match="overlap in part"):
        gauntlet.sanitize(copy, 1, 16, x[:20], x[10:30])


@needs_nvcc
def test_shared_bytes_schedules_and_printf():
    text = """
#include <cstdio>
extern __shared__ int s[];
__global__ void k(int* y) { s[threadIdx.x] = 1; y[threadIdx.x] = s[threadIdx.x]; if (threadIdx.x == 0) printf("hello\\n"); }
"""
    y = np.zeros(32, np.int32)
    found = gauntlet.sanitize(text, (1, 1), (32, 1, 1), y, shared=128, schedule="high_lane_first")
    assert found.clean and found.printed == "hello\n"
    assert gauntlet.sanitize(text, 1, 32, y, shared=64).kinds() == ["out_of_bounds_write"]


@needs_nvcc
@pytest.mark.parametrize("wrong, words", [
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y), "takes 3 arguments, and 2 are given"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1.5), "1.5 is no i32; give an integer"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, "n"), "an argument is of str"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x[::2], y, 1), "numpy.ascontiguousarray"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 0, 64, x, y, 1), "grid=0; give one to three numbers"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, None, x, y, 1), "block=None; give the threads of a block"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1, entry="nothing"), "is no kernel of the text; it has block_sum"),
    (lambda x, y: gauntlet.sanitize("void f() {}", 1, 64), "neither PTX .* nor CUDA C"),
    (lambda x, y: gauntlet.sanitize(print, 1, 64), "a kernel cannot be builtin_function_or_method; give a Numba"),
    (lambda x, y: gauntlet.sanitize("__global__ void k() { undeclared(); }", 1, 64), "nvcc cannot compile kernel.cu:\n.*undeclared"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1, schedule="best"), "best"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True) + "__global__ void other() {}", 1, 64, x, y, 1),
     "several kernels; give entry=, one of block_sum, other"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x), "^block_sum takes 3 arguments"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1, arch="sm_80"), "arch='sm_80'; give a number, 80 for"),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1, flags="-O1 -G"), "give a list: .'-O1', '-G'."),
    (lambda x, y: gauntlet.sanitize(cuda_sum(True), 1, 64, x, y, 1, constants={"B": 1}), "constants= is for Triton"),
])
def test_what_cannot_be_run_is_told(wrong, words):
    with pytest.raises(gauntlet.GauntletError, match=words):
        wrong(*sums())


def test_without_a_compiler_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_compilers, "nvcc", lambda: None)
    monkeypatch.setattr(_compilers, "nvrtc", lambda: None)
    with pytest.raises(gauntlet.GauntletError, match="neither nvcc nor libnvrtc; install one .pip install nvidia-cuda-nvrtc."):
        gauntlet.sanitize(cuda_sum(True) + "// not compiled before", 1, 64, *sums(), 1)


def test_without_the_program_it_says_so(monkeypatch):
    monkeypatch.delenv("GAUNTLET")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(gauntlet.GauntletError, match="there is no gauntlet; install the wheel"):
        gauntlet.program()
