# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""wild_test.py CI-WILD GAUNTLET PROGRAMS: a program of each class, and the table again from its JSON."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

wild, gauntlet, programs = sys.argv[1:]
commands = {
    "passes": "./basics vectors",
    "findings": "./faults race",
    "refused": "./faults missing",
    "slow": "sh -c 'while :; do :; done'",
    "needs": "sh -c 'echo no such device; exit 3'",
}
with tempfile.TemporaryDirectory() as folder:
    out = Path(folder)
    (out / "list").write_text("".join(f"{name}\t{programs}\t{command}\n" for name, command in commands.items()))
    ran = subprocess.run([wild, "-t", "4", "--gauntlet", gauntlet, out, out / "list"], text=True,
                         capture_output=True, env={"PATH": "/usr/bin:/bin"})
    assert ran.returncode == 0, ran
    document = json.loads((out / "wild.json").read_text())
    classes = {program["name"]: program["class"] for program in document["programs"]}
    assert classes == {name: name for name in commands}, classes
    why = {program["name"]: program["why"] for program in document["programs"]}
    assert why["needs"] == "exit code 3: no such device", why
    assert why["refused"] == "the program calls cudaMallocMipmappedArray, which is not supported", why
    table = (out / "wild.md").read_text()
    assert "| 1 | 1 | 1 | 1 | 1 | 0 | 5 |" in table, table
    again = subprocess.run([wild, "--render", out / "wild.json"], text=True, capture_output=True, check=True)
    assert again.stdout == table, again.stdout
