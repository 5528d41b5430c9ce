# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""check, repro and prove of specs, for the kernel that the spec names or for one of Python."""
import re
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from gauntlet._compilers import folder
from gauntlet._findings import Findings, GauntletFindings, read_finding
from gauntlet._kernels import Options, flag_words
from gauntlet._program import GauntletError, call
from gauntlet._spec_text import PTX_NAME, text_of, with_kernel


class Checked(Findings):
    """Findings with the case that shows each. `holds`: as the spec says; `cases`: how many were run;
    `problems`: why it does not hold where nothing was found; `document`: docs/json.md."""
    holds: bool
    cases: int
    problems: List[str]
    document: Dict[str, Any]


@dataclass(frozen=True)
class Proof:
    """`proved` of `cases` shapes; `holds`: all that must be; `text`: what the program printed."""
    holds: bool
    proved: int
    cases: int
    text: str
    document: Dict[str, Any]


def check(spec: Union[str, Path], kernel: Any = None, *, cases: int = 200, seed: int = 1, keep_cases: bool = True,
          assert_holds: bool = False, **compile_with: Any) -> Checked:
    """Draws cases of a spec, judges each value, shrinks (docs/own_kernels.md). Each finding has its
    case line, for `repro`, and its text. What is found is kept in NAME.cases beside the spec and
    replayed first, unless keep_cases is False.

    kernel: what gauntlet.sanitize takes, in place of the spec's `kernel` statement, with its entry,
    constants, arch, flags, compiler, compile_options. The spec's declarations are its parameters.
    assert_holds raises GauntletFindings where the spec does not hold."""
    with _ready(Path(spec), kernel, compile_with) as (home, name):
        result, text = call(["check", name, "--cases", str(cases), "--seed", str(seed),
                             *([] if keep_cases else ["--no-regressions"])], home)
    form = result["forms"][0]
    found, seen = [], set()
    for one in (one for form in result["forms"] for one in form["counterexamples"]):
        for finding in one["findings"]:
            key = (finding["kind"], finding["array"], finding["at"]["line"], (finding["other"] or {}).get("line"))
            if key not in seen:
                seen.add(key)
                found.append(read_finding(finding, home, _short(one["case"])))
    text = _here(text)
    if kernel is not None:  # the program has it not
        text = re.sub(r"^  gauntlet repro '?(.*?)'?$", r'  gauntlet.repro("\1", kernel=...)', text, flags=re.MULTILINE)
    checked = Checked(found, text)
    checked.holds, checked.document = result["as_expected"], result
    checked.cases, checked.problems = sum(one["cases"] for one in result["forms"]), form["problems"]
    if assert_holds and not checked.holds:
        raise GauntletFindings(checked)
    return checked


def repro(case: str, kernel: Any = None, **compile_with: Any) -> Findings:
    """One case of a spec, as check prints it: its findings, its values in the text."""
    spec, words = _split(case)
    with _ready(spec, kernel, compile_with) as (home, name):
        result, text = call(["repro", f"{name} {words}"], home)
    if result["refused"]:
        raise GauntletError(f"{case}: {result['refused']}")
    return Findings([read_finding(one, home, case) for one in result["findings"]], _here(text))


def prove(spec: Union[str, Path], kernel: Any = None, *, cases: int = 100, **compile_with: Any) -> Proof:
    """For all data and all schedules of as many shapes of a spec (docs/prove.md)."""
    with _ready(Path(spec), kernel, compile_with) as (home, name):
        result, text = call(["prove", name, "--cases", str(cases)], home)
    forms = [one for one in result["forms"] if one["must_hold"]]
    proved, drawn = (sum(one[member] for one in forms) for member in ("proved", "cases"))
    holds = all(one["unexpected"] is None and not one.get("untested") for one in result["forms"])
    return Proof(holds, proved, drawn, _here(text), result)


@contextmanager
def _ready(spec: Path, kernel: Any, compile_with: Mapping[str, Any]) -> Iterator[Tuple[Optional[Path], str]]:
    """Where the program finds the spec, and its name there."""
    text = text_of(spec)
    unknown = set(compile_with) - (set(Options.__dataclass_fields__) - {"blocks"})
    if unknown or (compile_with and kernel is None):
        raise GauntletError(f"{sorted(unknown or compile_with)[0]} is " + ("no option" if unknown else "for kernel=...; give that too"))
    if kernel is None:
        yield Path.cwd(), str(spec)
        return
    options = replace(Options(), **{**compile_with, "flags": flag_words(compile_with.get("flags", ()))})
    kept = spec.with_suffix(".cases")
    made = with_kernel(text, kernel, options)
    with tempfile.TemporaryDirectory(prefix="spec-", dir=folder()) as temporary:
        place = Path(temporary)
        for other in spec.resolve().parent.iterdir():  # what the spec names is beside it
            if other.name not in (spec.name, kept.name, PTX_NAME):
                (place / other.name).symlink_to(other)
        (place / spec.name).write_text(made.text, encoding="utf-8")
        shutil.copy(made.ptx, place / PTX_NAME)
        if kept.is_file():
            shutil.copy(kept, place)
        try:
            yield made.folder or Path.cwd(), str(place / spec.name)
        except GauntletError as error:
            raise GauntletError(_as_written(str(error), place, spec, made.lines)) from error
        if (place / kept.name).is_file():
            shutil.copy(place / kept.name, kept)


def _as_written(text: str, place: Path, spec: Path, lines: Sequence[int]) -> str:
    """A refusal with the lines of the user's spec, for those of the spec that was made of it."""
    def line(found: "re.Match[str]") -> str:
        own = lines[int(found[1]) - 1] if int(found[1]) <= len(lines) else 0
        return f"{spec}:{own}:" if own else f"{spec}:"

    name = str(place / spec.name)
    return re.sub(re.escape(name) + r":(\d+):", line, text).replace(name, str(spec))


def _split(case: str) -> Tuple[Path, str]:
    found = re.fullmatch(r'\s*(?:"([^"]+)"|(\S+))\s*(.*)', case)
    if not found:
        raise GauntletError("a case is a line such as 'my_sum.gauntlet n=0 block=64'")
    return Path(found[1] or found[2]), found[3]


def _here(text: str) -> str:
    """A spec's temporary folder is nothing to be told."""
    return re.sub(r"(?:[\w./-]*/)?" + re.escape(folder().name) + r"/spec-\w+/", "", text).rstrip()


def _short(case: str) -> str:
    return _here(re.sub(r" (?:data=ones|seed=1|offset=0|schedule=lockstep)(?= |$)", "", case))
