# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""seeds.py FOLDER MODULE.ptx...: the modules that nvcc wrote, a file FOLDER/MODULE_ENTRY.ptx for each of
their kernels, without source lines: short enough for a fuzzer to change all of it."""
import pathlib
import re
import sys


def without_source_lines(text):
    text = text.partition("\n\t.section")[0]
    lines = (re.sub(r"//.*", "", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line and not re.match(r"\s*\.(loc|file)\s", line)]


def kernels(lines):
    """The name of each kernel, and its module without the others."""
    parts = [("", [])]
    for line in lines:
        if entry := re.match(r"(?:\.visible |\.weak )?\.entry (\w+)", line):
            parts.append((entry[1], []))
        parts[-1][1].append(line)
        if line == "}":
            parts.append(("", []))
    for name, _ in parts:
        if name:
            yield name, [line for other, of in parts if other in ("", name) for line in of]


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for old in folder.glob("*.ptx"):
    old.unlink()
for module in map(pathlib.Path, sys.argv[2:]):
    for name, lines in kernels(without_source_lines(module.read_text())):
        (folder / f"{module.stem}_{name}.ptx").write_text("\n".join(lines) + "\n")
