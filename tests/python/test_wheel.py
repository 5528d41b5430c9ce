# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel in a fresh environment, with no more than NumPy and pytest beside it."""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import launcher

from gauntlet import _compilers

ROOT = Path(__file__).resolve().parent.parent.parent


def run(words, **more):
    return subprocess.run(words, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **more)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if run([sys.executable, "-c", "import setuptools, wheel, pip, venv, ensurepip"]).returncode:
        pytest.skip("python3-pip, -setuptools, -wheel or -venv is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    made = run([ROOT / "ci/wheel", folder, os.environ["GAUNTLET_INSTALLED"], sys.executable])
    assert made.returncode == 0, made.stdout
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """run(*words): the environment's python, away from the checkout."""
    folder = tmp_path_factory.mktemp("fresh")
    made = run([sys.executable, "-m", "venv", "--system-site-packages", folder])
    assert made.returncode == 0, made.stdout
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GAUNTLET")}
    environment["PATH"] = f"{folder}/bin:{environment['PATH']}"

    def of_environment(*words):
        return run(words, env=environment, cwd=folder)

    installed = of_environment("python", "-m", "pip", "install", "--quiet", "--no-index", str(wheel))
    assert installed.returncode == 0, installed.stdout
    return of_environment


def test_it_holds_the_program_and_nothing_of_cuda(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("gauntlet/py.typed", "gauntlet/program/bin/gauntlet", "gauntlet/program/lib/gauntlet/libgauntlet_machine.so",
                 "gauntlet/program/include/gauntlet/run.h", "gauntlet/page/lanes.js"):
        assert name in names
    assert not [name for name in names if name.endswith((".a", ".html", ".pyc", ".cmake"))]
    metadata = zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert re.findall("^Requires-Dist: (.*)$", metadata, re.M) == ["numpy", 'hypothesis ; extra == \'hypothesis\'']


def test_the_console_script_is_the_program(python):
    assert python("gauntlet", "--version").stdout.startswith("gauntlet 0.1.0 ")
    assert python("gauntlet", "help", "race_write_read").stdout.startswith("race_write_read: ")
    assert python("gauntlet", "chekc").returncode == 2


@pytest.mark.skipif(_compilers.nvcc() is None, reason="there is no nvcc")
def test_the_readme_s_lines_find_the_race(python):
    lines = re.search("^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    ran = python("python", "-c", lines)
    assert ran.returncode == 0 and "error: race_write_read s[32], 4 bytes (64 times)\n" in ran.stdout, ran.stdout


def test_pytest_finds_the_plug_in_by_itself(python, tmp_path):
    (tmp_path / "launcher.py").write_text(launcher())
    (tmp_path / "test_it.py").write_text("from launcher import RACY, RIGHT, launch\n\ndef test_right():\n    launch(RIGHT)\n\n"
                                         "def test_racy():\n    launch(RACY)\n")
    ran = python("python", "-m", "pytest", "-p", "no:cacheprovider", "--gauntlet", "-q", str(tmp_path))
    assert ran.returncode == 1 and "1 failed, 1 passed" in ran.stdout and "race_write_read" in ran.stdout, ran.stdout
