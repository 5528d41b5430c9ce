# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Findings as objects, of any verb: docs/json.md describes the members."""
import linecache
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple


@dataclass(frozen=True)
class Party:
    """A thread and what it did: line 0 is an unknown one, value may be empty."""
    file: str
    line: int
    block: Tuple[int, int, int]
    warp: int
    lane: int
    value: str = ""
    source: str = ""  #: the line's text, where the file was there

    def __str__(self) -> str:
        block = ",".join(map(str, self.block)) if any(self.block[1:]) else str(self.block[0])
        value = f", value {self.value}" if self.value else ""
        return f"block {block} warp {self.warp} lane {self.lane}{value}"


@dataclass(frozen=True)
class Finding:
    """One thing a run did wrong: `kind` is a name of docs/findings.md, `severity` note, warning
    or error; `array[index]` the cell, `at` who did it, `other` the other party of a race."""
    kind: str
    severity: str
    kernel: str
    array: str
    index: int
    size: int
    detail: str
    count: int
    at: Party
    other: Optional[Party] = None
    schedule: str = ""
    case: str = ""  #: of a spec: the case that shows it, for `gauntlet repro`

    def __str__(self) -> str:
        cell = f" {self.array}[{self.index}], {self.size} bytes" if self.array else ""
        times = f" ({self.count} times)" if self.count > 1 else ""
        lines = [f"{self.severity}: {self.kind}{cell}{times}"]
        lines += [f"  {self.detail}"] if self.detail else []
        for party in filter(None, (self.at, self.other)):
            lines.append(f"  at {party.file}:{party.line} by {party}" if party.line else f"  by {party}")
            lines += [f"    {party.source.strip()}"] if party.source else []
        return "\n".join(lines + ([f"  case '{self.case}'"] if self.case else []))

    def _repr_html_(self) -> str:
        from gauntlet._html import of_finding
        return of_finding(self)


class Findings(List[Finding]):
    """A list of findings. `clean`: none but notes; `text`: what the program printed;
    `printed`: what the kernel itself printed."""

    def __init__(self, findings: Iterable[Finding] = (), text: str = "", printed: str = "") -> None:
        super().__init__(findings)
        self.text = text
        self.printed = printed

    @property
    def clean(self) -> bool:
        return all(finding.severity == "note" for finding in self)

    def kinds(self) -> List[str]:
        """The kinds, each once, sorted."""
        return sorted({finding.kind for finding in self})

    def __str__(self) -> str:
        return self.text or "\n".join(map(str, self)) or "clean"

    def _repr_html_(self) -> str:
        from gauntlet._html import of_findings
        return of_findings(self)


class GauntletFindings(AssertionError):
    """What assert_clean raises: the program's text, and the findings themselves."""

    def __init__(self, findings: Findings) -> None:
        super().__init__("\n" + str(findings))
        self.findings = findings


def _party(party: Optional[Dict[str, Any]], folder: Path) -> Optional[Party]:
    if party is None:
        return None
    source = linecache.getline(str(folder / party["file"]), party["line"]).rstrip("\n") if party["line"] else ""
    x, y, z = party["block"]
    return Party(party["file"], party["line"], (x, y, z), party["warp"], party["lane"],
                 party["value"], source)


def read_finding(one: Dict[str, Any], folder: Optional[Path] = None, case: str = "") -> Finding:
    """From a document's finding; its paths are relative to the folder."""
    folder = folder or Path.cwd()
    at = _party(one["at"], folder)
    assert at is not None
    return Finding(one["kind"], one["severity"], one["kernel"], one["array"], one["index"],
                   one["size"], one["detail"], one["count"], at, _party(one["other"], folder),
                   one.get("schedule", ""), case)
