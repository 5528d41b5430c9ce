# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Tests CUDA kernels without a GPU (docs/python.md)."""
from importlib import import_module
from typing import Any

from gauntlet._arguments import undefined
from gauntlet._findings import Finding, Findings, GauntletFindings, Party
from gauntlet._program import GauntletError, program
from gauntlet._running import expected_findings, findings_since, forget, mark, running
from gauntlet._sanitize import sanitize
from gauntlet._specs import Checked, Proof, check, prove, repro



def __getattr__(name: str) -> Any:
    """gauntlet.strategies, which needs Hypothesis, when it is asked for."""
    if name == "strategies":
        return import_module("gauntlet.strategies")
    raise AttributeError(f"module 'gauntlet' has no attribute {name!r}")


__all__ = ["Checked", "Finding", "Findings", "GauntletError", "GauntletFindings", "Party", "Proof", "check",
           "expected_findings", "findings_since", "forget", "mark", "program", "prove", "repro", "running", "sanitize",
           "undefined"]
