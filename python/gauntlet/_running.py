# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""What a Python program under `gauntlet run` can ask: the functions of gauntlet/run.h."""
import ctypes
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional


def _library() -> Optional[Any]:
    library = ctypes.CDLL(None)
    if not hasattr(library, "gauntlet_mark"):
        return None
    library.gauntlet_mark.restype = ctypes.c_ulonglong
    library.gauntlet_findings_since.restype = ctypes.c_size_t
    library.gauntlet_findings_since.argtypes = [ctypes.c_ulonglong]
    library.gauntlet_finding.restype = ctypes.c_char_p
    library.gauntlet_finding.argtypes = [ctypes.c_size_t]
    library.gauntlet_forget.argtypes = [ctypes.c_ulonglong]
    library.gauntlet_forget.restype = None
    return library


_found = _library()


def running() -> bool:
    """Whether this process is one of `gauntlet run`."""
    return _found is not None


def mark() -> int:
    """This moment, for the two below; 0 outside of `gauntlet run`."""
    return int(_found.gauntlet_mark()) if _found else 0


def findings_since(moment: int) -> List[str]:
    """The texts of the errors and warnings since, also of those that had been found before."""
    if not _found:
        return []
    count = _found.gauntlet_findings_since(moment)
    return [_found.gauntlet_finding(k).decode("utf-8", "replace") for k in range(count)]


def forget(moment: int) -> None:
    """What was found since for the first time was expected, and counts no more."""
    if _found:
        _found.gauntlet_forget(moment)


@contextmanager
def expected_findings() -> Iterator[List[str]]:
    """The list that it gives has the texts of what was found within, which counts no more."""
    texts: List[str] = []
    begin = mark()
    try:
        yield texts
    finally:
        texts += findings_since(begin)
        forget(begin)
