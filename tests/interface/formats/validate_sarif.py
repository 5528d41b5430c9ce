#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `gauntlet check`, `sanitize` and `run` with --sarif and validates what they write.

validate_sarif.py GAUNTLET PROJECT BUILD; exit code 77 where Python has no jsonschema."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("not run: Python has no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

gauntlet, project, build = sys.argv[1:4]
schema = json.loads((pathlib.Path(__file__).parent / "sarif-2.1.0-rtm.5.json").read_text())
validator = jsonschema.Draft4Validator(schema)


def accepted(log):
    """The errors of a log, most important first."""
    return [f"{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in validator.iter_errors(log)]


def sarif_of(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.sarif"
        command = [gauntlet, arguments[0], "--sarif", str(path), *arguments[1:]]
        ended = subprocess.run(command, cwd=project, capture_output=True, text=True)
        assert path.exists(), f"{command}: {ended.returncode}\n{ended.stderr}"
        return json.loads(path.read_text())


def require(what, message):
    if not what:
        print("FAILED:", message)
        sys.exit(1)


# The schema is one that refuses something.
broken = sarif_of("check", "--cases", "1", "sequential@fixed")
require(accepted(broken) == [], accepted(broken))
broken["runs"][0]["results"] = [{"ruleId": "wrong_result"}]
require(accepted(broken) != [], "a result without a message is accepted")

logs = {
    "check": sarif_of("check", "--cases", "2", "volatile_warp_tail@fixed-syncwarp"),
    "sanitize": sarif_of("sanitize", f"{build}/tests/sanitizer/kernel/sanitize_defects.ptx",
                         "--entry", "race_inside_warp<false>", "--grid", "1", "--block", "32",
                         "--arg", "out:i32[32]"),
}
program = pathlib.Path(build) / "tests/sanitizer/program/faults"
if program.exists():
    logs["run"] = sarif_of("run", "--", str(program), "double_free")
    logs["run of a kernel"] = sarif_of("run", "--", str(program), "race")
for verb, log in logs.items():
    require(accepted(log) == [], f"{verb}: {accepted(log)[:5]}")
    require(log["runs"][0]["results"], f"{verb}: no result")
    print(verb, len(log["runs"][0]["results"]), "results, accepted")

results = logs["check"]["runs"][0]["results"]
flows = [r for r in results if "codeFlows" in r]
require(flows, "no code flow of a committed witness")
threads = flows[0]["codeFlows"][0]["threadFlows"]
orders = sorted(step["executionOrder"] for t in threads for step in t["locations"])
require(len(threads) == 2 and orders == [1, 2], f"two threads, one step each: {threads}")
require(all(r["suppressions"][0]["status"] == "accepted" for r in results),
        "what the catalogue expects is accepted")
