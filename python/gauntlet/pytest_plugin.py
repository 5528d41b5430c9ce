# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""pytest --gauntlet: the same command line again under `gauntlet run`, where a finding fails the
test that launched the kernel. Without the option nothing changes."""
import os
import shlex
import sys
from typing import Any, Generator, List

import pytest

from gauntlet import _running
from gauntlet._program import GauntletError, program

_begin = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gauntlet", "CUDA kernels without a GPU (gauntlet run)")
    group.addoption("--gauntlet", action="store_true",
                    help="run on the SIMT machine: findings fail the test that launched the kernel")
    group.addoption("--gauntlet-ignore", metavar="FILE", help="findings to leave out, a line each (docs/run.md)")
    group.addoption("--gauntlet-options", metavar="OPTIONS", default="",
                    help="further options of gauntlet run, such as '--device sm_86 --no-races'")


# Before pytest's own wrapper, which begins to capture what is written.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    options = early_config.known_args_namespace
    if not options.gauntlet and (options.gauntlet_ignore or options.gauntlet_options):
        raise pytest.UsageError("--gauntlet-ignore and --gauntlet-options need --gauntlet")
    if options.gauntlet and not _running.running():
        _again_under_gauntlet(options)
    yield


def _again_under_gauntlet(options: Any) -> None:
    try:
        command: List[str] = [program(), "run"]
    except GauntletError as error:
        raise pytest.UsageError(str(error)) from error
    if options.gauntlet_ignore:
        command += ["--ignore", options.gauntlet_ignore]
    command += shlex.split(options.gauntlet_options)
    sys.stdout.flush()
    sys.stderr.flush()
    # The interpreter's own command line: -m pytest and the script differ in sys.path.
    os.execv(command[0], [*command, "--", sys.executable, *sys.orig_argv[1:]])


def _begins(item: pytest.Item) -> None:
    item.stash[_begin] = _running.mark()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _begins(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    _begins(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    _begins(item)


# Before all others, so that to them (xfail, say) a finding is a failure like any.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, None]:
    texts = _running.findings_since(item.stash.get(_begin, 0)) if _running.running() else []
    if texts and call.excinfo is None:
        try:
            pytest.fail("\n".join(texts), pytrace=False)
        except pytest.fail.Exception:
            call.excinfo = pytest.ExceptionInfo.from_current()
        texts = []
    outcome = yield
    if texts:
        outcome.get_result().sections.append(("gauntlet", "\n".join(texts)))
