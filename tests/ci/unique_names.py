#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""unique_names.py CTEST BUILD: no two tests of a build folder have one name.

ctest gives the properties of a name, labels among them, to all tests that have it: a test of two
programs, one of which needs a GPU, would be left out with that one."""
import collections
import json
import subprocess
import sys

ctest, build = sys.argv[1:]
shown = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True,
                       capture_output=True, text=True).stdout
commands = collections.defaultdict(list)
for test in json.loads(shown)["tests"]:
    commands[test["name"]].append(test.get("command", ["not built"])[0])
if not commands:
    sys.exit(f"{build} has no tests")
twice = {name: programs for name, programs in commands.items() if len(programs) > 1}
for name, programs in sorted(twice.items()):
    print(f"{name} is the name of {len(programs)} tests: {', '.join(programs)}")
sys.exit(1 if twice else 0)
