# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""The program, and where its files are."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

_here = Path(__file__).resolve().parent


class GauntletError(Exception):
    """What cannot be done as asked; the text says what is wrong and what to do."""


def program() -> str:
    """The path of the program: $GAUNTLET, else that of the wheel, else the one in PATH."""
    named = os.environ.get("GAUNTLET")
    if named:
        if not os.access(named, os.X_OK):
            raise GauntletError(f"GAUNTLET={named} is no program; unset it, or name build/ci/gauntlet")
        return named
    packed = _here / "program" / "bin" / "gauntlet"
    found = str(packed) if packed.is_file() else shutil.which("gauntlet")
    if not found:
        raise GauntletError("there is no gauntlet; install the wheel (ci/wheel), or set GAUNTLET to the program")
    return found


def page_file(name: str) -> str:
    """A file of the page's drawing: the wheel has them, and so has a checkout."""
    for folder in (_here / "page", _here.parent.parent / "interface" / "page" / "page"):
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise GauntletError(f"{_here / 'page' / name} is missing; install the wheel again")


def call(arguments: Sequence[str], folder: Optional[Path] = None) -> Tuple[Dict[str, Any], str]:
    """Runs a verb with --json: its document, and what it printed. GauntletError with the program's
    own line where it refuses (exit code 2 and above)."""
    with tempfile.TemporaryDirectory(prefix="gauntlet-") as temporary:
        document = os.path.join(temporary, "result.json")
        ran = subprocess.run([program(), *arguments, "--json", document], cwd=folder,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        if ran.returncode not in (0, 1):
            raise GauntletError(_why(ran.stderr) or f"gauntlet ended with {ran.returncode}")
        with open(document, encoding="utf-8") as file:
            return json.load(file), ran.stdout


def _why(text: str) -> str:
    lines: List[str] = [line for line in text.strip().splitlines() if line]
    return "\n".join(line.removeprefix("gauntlet: ") for line in lines)
