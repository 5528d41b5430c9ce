#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The files that a code host reads: what they call is there, and the action does what it says.

workflows_test.py PROJECT

No code host is needed: a release is an archive whose `gauntlet` writes down its arguments.
`action-validator` and `actionlint` judge the files too, where they are installed."""
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


def look_at_updates():
    for update in yaml.safe_load((project / ".github/dependabot.yml").read_text())["updates"]:
        require((project / update["directory"].lstrip("/")).is_dir(), f"dependabot.yml: no {update['directory']}")


def run_action(arguments, code=0, summary="", sarif="out.sarif", release="archive"):
    """The action's script, in a copy of ci/, with a release whose gauntlet ends with `code` and writes `summary`."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "made" / "gauntlet-0" / "bin" / "gauntlet"
        program.parent.mkdir(parents=True)
        program.write_text(f"""#!/bin/bash
for word; do echo "${{word/#$GITHUB_WORKSPACE/WORKSPACE}}"; done >{folder}/words
for word; do [[ ${{last:-}} != --markdown ]] || printf %s '{summary}' >"$word"; last=$word; done
pwd >{folder}/where
exit {code}
""")
        program.chmod(0o755)
        subprocess.run(["tar", "-C", folder / "made", "-cJf", folder / "archive", "gauntlet-0"], check=True)
        shutil.copytree(project / "ci", folder / "project" / "ci")
        (folder / "checkout" / "tests").mkdir(parents=True)
        (folder / "none").write_text("")
        step = yaml.safe_load((project / "action.yml").read_text())["runs"]["steps"][1]
        ended = subprocess.run(
            ["bash", "-c", step["run"]], capture_output=True, text=True,
            env={"PATH": os.environ["PATH"], "ARGUMENTS": arguments, "FOLDER": "tests", "SARIF": sarif,
                 "RELEASE": f"file://{folder}/{release}", "GITHUB_ACTION_PATH": f"{folder}/project",
                 "GITHUB_WORKSPACE": f"{folder}/checkout", "GITHUB_STEP_SUMMARY": f"{folder}/step.md",
                 "GITHUB_OUTPUT": f"{folder}/output"})
        if not (folder / "words").exists():
            return ended.returncode, ended.stderr
        require((folder / "where").read_text() == f"{folder}/checkout/tests\n", "the action's folder")
        require((folder / "output").read_text() == f"exit-code={code}\n", "the action's output")
        words = (folder / "words").read_text().split("\n")[:-1]
        if "--markdown" in words:  # a temporary file
            words[words.index("--markdown") + 1] = "SUMMARY"
        return ended.returncode, words, (folder / "step.md").read_text(), os.listdir(folder / "checkout")


def look_at_action():
    require(run_action("check\nmy kernels.gauntlet\n\n--cases\n50\n", 1, "# told") ==
            (1, ["check", "--sarif", "WORKSPACE/out.sarif", "--markdown", "SUMMARY",
                 "my kernels.gauntlet", "--cases", "50"], "# told", ["tests"]), "the action's check")
    require(run_action("run -- ./my_tests") ==
            (0, ["run", "--sarif", "WORKSPACE/out.sarif", "--", "./my_tests"], "", ["tests"]), "the action's run")
    require(run_action("sanitize\nk.cu\n", 2, sarif="") ==
            (2, ["sanitize", "k.cu"], "", ["tests"]), "the action without SARIF")
    code, said = run_action("check a.gauntlet", release="none")
    require(code == 2 and "action: cannot unpack file://" in said, "an archive that is none")


files = [*sorted((project / ".github/workflows").glob("*.yml")), project / "action.yml"]
for path in files:
    look_at_scripts(path.name, yaml.safe_load(path.read_text()))
    for judge, takes in (("action-validator", True), ("actionlint", path.name != "action.yml")):
        if takes and shutil.which(judge):
            ended = subprocess.run([judge, path], capture_output=True, text=True)
            require(ended.returncode == 0, f"{judge} {path.name}: {ended.stdout}{ended.stderr}")
look_at_updates()
look_at_action()
require(bash_refuses("if true"), "this test sees no wrong script")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
