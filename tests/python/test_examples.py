# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""examples/python/sanitize_kernels.py with the packages that are here (ci/python-doors: on a GPU too)."""
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples/python/sanitize_kernels.py"


def test_right_kernels_are_clean_and_racy_ones_found():
    ran = subprocess.run([sys.executable, EXAMPLE], encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if ran.returncode == 77:
        pytest.skip("none of Numba (with libNVVM), Triton, CuPy and PyTorch is here")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ", right: clean\n" in ran.stderr and ", racy: " in ran.stderr, ran.stderr
    if "Numba, right" in ran.stderr:
        assert "Numba: 2040 2041 2042 1856\nNumba, two axes: 0 3 6 9 12 15 18 21 24 27 30 33\n" in ran.stdout
