#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The README as a new user has it: its blocks are files and commands, which print what it says.

readme_test.py PROJECT PROGRAM NVCC FOLDER

A block whose first line is a comment with a file's name is that file. In others the lines behind `$ ` are run
by bash in FOLDER, with PROGRAM as `gauntlet`; what follows is their output, `...` any lines of it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

project, program, nvcc, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
failures = []


def says(expected, printed):
    """Whether `printed` is `expected`, in which `...` stands for any lines."""
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, printed) is not None


assert says(["a", "...", "d"], "a\nb\nc\nd\n") and says(["a", "..."], "a\n")
assert not says(["a", "d"], "a\nb\nd\n") and not says(["a", "..."], "b\na\n")

text = (project / "README.md").read_text()
lines = text.splitlines()
if len(lines) > 120 or max(map(len, lines)) > 100:
    failures.append("README.md has more than 120 lines or a line of more than 100 columns")
for link in re.findall(r"(?:\]\(|srcset=\"|src=\")([^)\"#]+)", text):
    if not (project / link).exists():
        failures.append(f"README.md: no {link}")

shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
commands = 0
for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S):
    first, rest = block.split("\n", 1)
    name = re.fullmatch(r"(?://|#) (\w+\.\w+)", first)
    if name:
        (folder / name[1]).write_text(block)
        continue
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        commands += 1
        ended = subprocess.run(["bash", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT,
                               env={**os.environ, "PATH": f"{program.parent}:{nvcc.parent}:{os.environ['PATH']}"})
        if not says(output.splitlines(), ended.stdout):
            failures.append(f"{command}\nprints\n{ended.stdout}not\n{output}")
if commands < 3:
    failures.append(f"README.md has {commands} commands")

with tempfile.TemporaryDirectory() as drawn:
    subprocess.run([project / "ci/detection-chart", drawn], check=True)
    for chart in pathlib.Path(drawn).iterdir():
        if chart.read_text() != (project / "docs/images" / chart.name).read_text():
            failures.append(f"docs/images/{chart.name} is not what ci/detection-chart draws; run it")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
