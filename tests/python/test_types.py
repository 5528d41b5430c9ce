# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The package's types, strictly, and those that a caller sees."""
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent.parent / "python"


def mypy(folder, *words):
    if subprocess.run([sys.executable, "-c", "import mypy"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("mypy is not installed")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", "/dev/null", "--ignore-missing-imports", *words],
                         cwd=folder, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return ran.stdout


def test_the_package_is_typed_strictly():
    assert "Success: no issues found" in mypy(PACKAGE)


def test_a_caller_s_mistakes_are_seen(tmp_path):
    (tmp_path / "caller.py").write_text(
        "import gauntlet\nfound = gauntlet.sanitize('', 1, (32, 2), assert_clean=True)\nline: int = found[0].at.line\n"
        "gauntlet.sanitize('', 'one', 32)\nwrong: int = found.text\n")
    said = mypy(tmp_path, "--strict", "--allow-untyped-calls", "caller.py")
    assert [line.split(":")[1] for line in said.splitlines() if ": error:" in line] == ["4", "5"], said
