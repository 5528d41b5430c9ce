# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""gauntlet.sanitize for Numba's kernels, without a driver."""
import sys

import numpy as np
import pytest
from conftest import EXAMPLES

import gauntlet

cuda = pytest.importorskip("numba.cuda", reason="python3-numba is not installed")
from numba import __version__, float32  # noqa: E402

if __version__.startswith("0.56."):  # Debian 12's, beside CUDA 13
    sys.path.append(str(EXAMPLES))
    import numba_0_56  # noqa: E402, F401

if cuda.cudadrv.nvvm is None or not hasattr(cuda, "compile_ptx"):
    pytest.skip("this Numba has no compiler for CUDA", allow_module_level=True)
try:
    cuda.cudadrv.nvvm.NVVM()
except Exception as error:  # its class differs with the version
    pytest.skip(f"Numba needs libNVVM: {str(error).splitlines()[0]}", allow_module_level=True)


def block_sum(right):
    @cuda.jit
    def kernel(x, y):
        s = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        o = 32
        while o > 0:
            if right:
                cuda.syncthreads()
            if t < o:
                s[t] += s[t + o]
            o //= 2
        if t == 0:
            y[0] = s[0]

    return kernel


def test_right_and_racy():
    x, y = np.arange(64, dtype=np.float32), np.zeros(1, np.float32)
    assert gauntlet.sanitize(block_sum(True), 1, 64, x, y, assert_clean=True) == []
    assert y[0] == x.sum()
    found = gauntlet.sanitize(block_sum(False), 1, 64, x, y)
    assert found.kinds() == ["poison_output", "race_write_read"], str(found)
    race = next(one for one in found if one.kind == "race_write_read")
    assert (race.other.source.strip(), race.at.source.strip()) == ("s[t] = x[t]", "s[t] += s[t + o]")


def test_an_overrun_names_the_array_and_the_line():
    @cuda.jit
    def shift(x, y, n):
        i = cuda.grid(1)
        if i < n:
            y[i] = x[i + 1]

    x, y = np.arange(100, dtype=np.int64), np.zeros(100, np.int64)
    assert gauntlet.sanitize(shift, 2, 64, x, y, 99).clean and (y[:99] == x[1:]).all()
    found = gauntlet.sanitize(shift, 2, 64, x, y, 100)
    assert found.kinds() == ["out_of_bounds_read"], str(found)
    assert (found[0].array, found[0].index) == ("x", 100) and found[0].at.source.strip() == "y[i] = x[i + 1]"


def test_two_axes_flags_tuples_and_complex_numbers():
    @cuda.jit
    def scale(a, b, on, factors, c):
        i, j = cuda.grid(2)
        if on and i < a.shape[0] and j < a.shape[1]:
            b[i, j] = a[i, j] * factors[1] + c[0].real

    a = np.arange(12, dtype=np.float64).reshape(3, 4)
    b, c = np.zeros_like(a), np.array([2 + 1j], np.complex64)
    assert gauntlet.sanitize(scale, (1, 1), (8, 8), a, b, True, (1, 3), c, assert_clean=True) == []
    assert (b == 3 * a + 2).all()


def test_what_cannot_be_compiled_is_told(monkeypatch):
    with pytest.raises(gauntlet.GauntletError, match="kernel takes 2 arguments, and 1 is given"):
        gauntlet.sanitize(block_sum(True), 1, 64, np.zeros(64, np.float32))
    with pytest.raises(gauntlet.GauntletError, match="give the kernel without .grid, block."):
        gauntlet.sanitize(block_sum(True)[1, 64], 1, 64, np.zeros(64, np.float32))
    from gauntlet import _kernels
    with pytest.raises(gauntlet.GauntletError, match="unset NUMBA_ENABLE_CUDASIM"):
        simulated = type("FakeCUDAKernel", (), {"__module__": "numba.cuda.simulator.kernel"})
        _kernels.prepare(simulated(), (), _kernels.Options(), None)


SPEC = """
in      x:f32[rows, columns]
out     y:f32[rows]
arg     scale:f32 = 2
launch  grid=rows block=64
result  y[r] = sum(x[r, ..]) * 2
"""


def row_sum(right):
    @cuda.jit
    def kernel(x, y, scale):
        s = cuda.shared.array(64, float32)
        t, row = cuda.threadIdx.x, cuda.blockIdx.x
        s[t] = 0
        for c in range(t, x.shape[1], 64):
            s[t] += x[row, c]
        o = 32
        while o > 0:
            if right:
                cuda.syncthreads()
            if t < o:
                s[t] += s[t + o]
            o //= 2
        if t == 0:
            y[row] = s[0] * scale

    return kernel


def test_a_spec_is_checked_and_proved_for_a_function_of_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "row_sum.gauntlet").write_text(SPEC)
    assert gauntlet.check("row_sum.gauntlet", kernel=row_sum(True), cases=30).holds
    found = gauntlet.check("row_sum.gauntlet", kernel=row_sum(False), cases=30)
    assert not found.holds and "race_write_read" in found.kinds(), str(found)
    race = next(one for one in found if one.kind == "race_write_read")
    assert "race_write_read" in gauntlet.repro(race.case, kernel=row_sum(False)).kinds()
    proof = gauntlet.prove("row_sum.gauntlet", kernel=row_sum(True), cases=5)
    assert proof.holds and proof.proved == 5, proof.text


@pytest.mark.parametrize("loaded", [True, False])
def test_numba_cuda_gets_the_name_that_it_misses_in_numpy_and_nobody_else_does(monkeypatch, loaded):
    monkeypatch.delattr(np, "row_stack", raising=False)
    monkeypatch.setattr(np, "row_stack", None, raising=False)  # so that what is set below is undone
    monkeypatch.delattr(np, "row_stack")
    monkeypatch.delitem(sys.modules, "numba_cuda", raising=False)
    if loaded:
        monkeypatch.setitem(sys.modules, "numba_cuda", cuda)
    assert gauntlet.sanitize(block_sum(True), 1, 64, np.ones(64, np.float32), np.zeros(1, np.float32)).clean
    assert hasattr(np, "row_stack") == loaded
