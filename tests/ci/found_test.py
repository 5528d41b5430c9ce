#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""found_test.py PROJECT GAUNTLET NVCC FOLDER: ci/found takes a row for shown where its finding is made at its lines,
and not where another line, kind or text is asked for; docs/found.md has the rows of docs/found.json."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

project, gauntlet, nvcc, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
shutil.rmtree(folder, ignore_errors=True)
(folder / "planted" / "src").mkdir(parents=True)
(folder / "planted" / "src" / "sum.cu").write_text("""\
__global__ void shift(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
  int* x;
  cudaMalloc(&x, 256);
  cudaMemset(x, 0, 256);
  shift<<<1, 64>>>(x);
  return cudaDeviceSynchronize();
}
""")
subprocess.run([nvcc, "-cudart", "shared", "-lineinfo", "sum.cu", "-o", "sum"], cwd=folder / "planted/src", check=True)
race = {"project": "somebody/planted", "folder": "src", "run": "./sum", "kind": "race_write_read",
        "lines": ["sum.cu:3", "sum.cu:4"], "lesson": "one", "what": "No barrier."}
rows = [race | {"name": "planted/race"},
        race | {"name": "planted/other_line", "lines": ["sum.cu:3", "sum.cu:5"]},
        race | {"name": "planted/end_of_a_number", "lines": ["um.cu:3"]},
        race | {"name": "planted/other_kind", "kind": "race_write_write"},
        race | {"name": "planted/other_text", "text": "__syncwarp"},
        race | {"name": "planted/not_built", "run": "./other"},
        race | {"name": "planted/no_folder", "folder": "nowhere"},
        race | {"name": "absent/race", "project": "somebody/absent"}]
document = {"projects": {f"somebody/{name}": {"commit": "0" * 40, "date": "2026-01-01"} for name in ("planted", "absent")},
            "lessons": [{"name": "one", "title": "One", "text": "Text."}], "rows": rows}
(folder / "found.json").write_text(json.dumps(document))


def found(*arguments):
    return subprocess.run([project / "ci/found", "--rows", folder / "found.json", "--gauntlet", gauntlet, *arguments],
                          capture_output=True, text=True, check=False, env=os.environ)


done = found(folder, "--update")
shown = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("found ")]
missed = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("NOT FOUND")]
assert done.returncode == 1 and shown == ["planted/race"], done
assert missed == [row["name"] for row in rows[1:7]], done
assert "there is no" in done.stdout and "other: build it as its project says" in done.stdout, done
assert "not tried  absent/race" in done.stdout and done.stdout.endswith("1 of 7 found again\n"), done
assert [row.get("seconds") is not None for row in json.loads((folder / "found.json").read_text())["rows"]] == [True] + 7 * [False]
assert found(folder, "planted/race").returncode == 0
for arguments, message in (((folder, "planted/nothing"), "no row is called planted/nothing"), ((), "name the folder"),
                           ((folder / "planted",), "has none of the projects")):
    refused = found(*arguments)
    assert refused.returncode == 2 and message in refused.stderr and refused.stderr.count("\n") == 1, refused

page = (project / "docs/found.md").read_text()
for name in ("found.json", "found.md"):
    shutil.copy(project / "docs" / name, folder / name)
assert found("--render").returncode == 0
assert (folder / "found.md").read_text() == page, "docs/found.md is not what ci/found --render writes"
rows = json.loads((project / "docs/found.json").read_text())["rows"]
assert len({row["name"] + row["kind"] for row in rows}) == len(rows) and all(row["name"] in page and row["seconds"] for row in rows)
print("ok")
