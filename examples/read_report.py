#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what `gauntlet check --json report.json` wrote (docs/json.md): read_report.py report.json"""
import json
import sys

report = json.load(open(sys.argv[1]))
for form in report["forms"]:
    print(f"{form['variant']}@{form['form']}: {form['outcome']}")
    for example in form["counterexamples"]:
        print(" ", example["case"])
        for finding in example["findings"]:
            print("   ", finding["kind"], finding["array"])
