#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The files that a code host reads: what they call is there, and the action does what it says.

workflows_test.py PROJECT

Neither a code host nor containers are needed: `docker` is a script that writes down its arguments.
`action-validator` and `actionlint` judge the files too, where they are installed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: no Python module yaml (Debian: python3-yaml)")
    sys.exit(77)

project = pathlib.Path(sys.argv[1])
failures = []


def require(what, message):
    if not what:
        failures.append(message)


def steps(document):
    for job in document.get("jobs", {}).values():
        yield from job["steps"]
    yield from document.get("runs", {}).get("steps", [])


def bash_refuses(text):
    """Expressions of the host become a word."""
    text = re.sub(r"\$\{\{.*?\}\}", "word", text)
    return subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).stderr


def look_at_scripts(path, document):
    for step in steps(document):
        text = step.get("run")
        require(text or "uses" in step, f"{path}: a step does nothing")
        if not text:
            continue
        require(not bash_refuses(text), f"{path}: {bash_refuses(text)}")
        for script in re.findall(r"(?:^|\s)(ci/[\w-]+)", text):
            require(os.access(project / script, os.X_OK), f"{path}: no program {script}")


def look_at_container():
    text = (project / "Containerfile").read_text()
    for source in re.findall(r"^COPY (?!--from)(\S+) ", text, re.M):
        require((project / source).exists(), f"Containerfile: no {source}")
    for preset in re.findall(r"--preset (\w+)", text):
        known = [p["name"] for p in json.loads((project / "CMakePresets.json").read_text())["configurePresets"]]
        require(preset in known, f"Containerfile: no preset {preset}")
    images = {f for f in re.findall(r"nvidia/cuda:([\w.-]+)", text)}
    release = (project / ".github/workflows/release.yml").read_text()
    require(images == set(re.findall(r"nvidia/cuda:([\w.-]+)", release)),
            "Containerfile and release.yml differ in their image")


def run_action(arguments, code=0, summary=None, sarif="out.sarif"):
    """The action's own step, with a docker that ends with `code` and writes `summary`."""
    with tempfile.TemporaryDirectory() as folder:
        docker = pathlib.Path(folder, "bin", "docker")
        docker.parent.mkdir()
        write = f"printf %s '{summary}' >{folder}/work/gauntlet-summary.md; " if summary else ""
        docker.write_text(f"#!/bin/sh\nfor w; do echo \"$w\"; done >{folder}/words\n{write}exit {code}\n")
        docker.chmod(0o755)
        pathlib.Path(folder, "work").mkdir()
        script = yaml.safe_load((project / "action.yml").read_text())["runs"]["steps"][0]["run"]
        ended = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True,
            env={"PATH": f"{docker.parent}:{os.environ['PATH']}", "ARGUMENTS": arguments, "FOLDER": "tests",
                 "IMAGE": "the-image", "SARIF": sarif, "GITHUB_WORKSPACE": f"{folder}/work",
                 "GITHUB_STEP_SUMMARY": f"{folder}/step.md"})
        step = pathlib.Path(folder, "step.md")
        left = os.listdir(f"{folder}/work")
        words = pathlib.Path(folder, "words").read_text().split("\n")[:-1]
        return ended.returncode, words[words.index("the-image") + 1:], step.read_text() if step.exists() else "", left


def look_at_action():
    require(run_action("check\nmy kernels.gauntlet\n\n--cases\n50\n", 1, "# told") ==
            (1, ["check", "--sarif", "/src/out.sarif", "--markdown", "/src/gauntlet-summary.md",
                 "my kernels.gauntlet", "--cases", "50"], "# told", []), "the action's check")
    require(run_action("run\n--\n./my_tests\n") ==
            (0, ["run", "--sarif", "/src/out.sarif", "--", "./my_tests"], "", []), "the action's run")
    require(run_action("sanitize\nk.cu\n", 2, sarif="") == (2, ["sanitize", "k.cu"], "", []), "the action without SARIF")


files = [*sorted((project / ".github/workflows").glob("*.yml")), project / "action.yml"]
for path in files:
    look_at_scripts(path.name, yaml.safe_load(path.read_text()))
    for judge, takes in (("action-validator", True), ("actionlint", path.name != "action.yml")):
        if takes and shutil.which(judge):
            ended = subprocess.run([judge, path], capture_output=True, text=True)
            require(ended.returncode == 0, f"{judge} {path.name}: {ended.stdout}{ended.stderr}")
look_at_container()
look_at_action()
require(bash_refuses("if true"), "this test sees no wrong script")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
