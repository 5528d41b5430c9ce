#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""numba_tests_test.py SCRIPT GAUNTLET FOLDER: ci/numba-tests tells every test's outcome, shown with a package
that takes Numba's place and whose tests end in each of the ways; and what it cannot run it refuses."""
import json
import pathlib
import shutil
import subprocess
import sys

script, gauntlet, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
tests = folder / "packages" / "numba" / "cuda" / "tests" / "cudapy"
tests.mkdir(parents=True)
for package in (tests, tests.parent, tests.parent.parent):
    (package / "__init__.py").touch()
(folder / "packages" / "numba" / "__init__.py").write_text("__version__ = '99.1'\n")
(tests / "test_all.py").write_text("""
import os, unittest
class TestWays(unittest.TestCase):
    def test_a_right(self): print("numba-tests: not a test's name")
    def test_b_wrong(self): self.assertEqual(1, 2)
    def test_c_error(self): raise ValueError
    def test_d_ends_the_process(self): os._exit(0)
    def test_e_behind_it(self): pass
    @unittest.skip("no reason")
    def test_f_skipped(self): pass
    def test_g_part(self):
        for part in range(3):
            with self.subTest(part): self.assertNotEqual(part, 1)
    @unittest.expectedFailure
    def test_h_unexpected(self): pass
class TestFixture(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError
    def test_i(self): pass
""")
(tests / "test_import.py").write_text("import no_such_package\n")


def run(*arguments, python_path):
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(python_path)})


done = run(str(folder / "out"), gauntlet, sys.executable, python_path=folder / "packages")
assert done.returncode in (0, 1), done.stdout + done.stderr
told = json.loads((folder / "out" / "numba-tests.json").read_text())
ways = {name.rsplit(".", 1)[-1]: outcome["run"] for name, outcome in told["tests"].items()}
expected = {"test_a_right": "ok", "test_b_wrong": "failed", "test_c_error": "failed", "test_d_ends_the_process": "crashed",
            "test_e_behind_it": "ok", "test_f_skipped": "skipped", "test_g_part": "failed", "test_h_unexpected": "failed",
            "test_i": "failed", "test_import": "failed"}
assert told["numba"] == "99.1" and ways == expected, told
table = (folder / "out" / "numba-tests.md").read_text()
assert "\n| run | 2 | 1 | 6 | 1 | 0 |\n" in table and "- cudapy.test_all.TestWays.test_b_wrong: failed\n" in table, table
assert "No module named 'no_such_package'" in (folder / "out" / "cudapy.run").read_text()

for arguments, message in (((), "numba-tests: name the folder for the results"),
                           ((str(folder / "out"), "/nowhere"), "numba-tests: /nowhere is no program"),
                           ((str(folder / "out"), gauntlet, sys.executable), "has no tests of Numba's")):
    (folder / "empty" / "numba").mkdir(parents=True, exist_ok=True)
    (folder / "empty" / "numba" / "__init__.py").write_text("__version__ = '99.1'\n")
    refused = run(*arguments, python_path=folder / "empty")
    assert refused.returncode == 2 and message in refused.stderr and refused.stderr.count("\n") == 1, refused
print("ok")
