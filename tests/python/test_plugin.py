# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""pytest --gauntlet: which tests fail, and that nothing else changes."""
import re

from conftest import launcher

TESTS = """
import pytest
from launcher import RACY, RIGHT, SHIFTED, launch

def test_right():
    assert launch(RIGHT) == SHIFTED

def test_racy():
    launch(RACY)

def test_right_again():
    assert launch(RIGHT) == SHIFTED

@pytest.mark.xfail(strict=True)
def test_known():
    launch(RACY)

def test_wrong_by_itself():
    launch(RACY)
    assert False, "its own words"

@pytest.fixture
def racy_fixture():
    launch(RACY)

def test_of_a_fixture(racy_fixture):
    pass
"""
FILES = {"launcher.py": launcher(), "test_it.py": TESTS}
VERDICTS = {"test_right": "PASSED", "test_racy": "FAILED", "test_right_again": "PASSED", "test_known": "XFAIL",
            "test_wrong_by_itself": "FAILED", "test_of_a_fixture": "ERROR"}


def verdicts(text):
    found = re.findall(r"^(?:\[gw\d\] \[ *\d+%\] )?(?:test_it\.py::(\w+) )?(PASSED|FAILED|XFAIL|ERROR)(?: test_it\.py::(\w+))?", text, re.MULTILINE)
    return {a or b: verdict for a, verdict, b in found if a or b}


def test_a_finding_fails_the_test_that_launched_the_kernel_and_no_other(project):
    ran = project(FILES, "--gauntlet", "-v", "test_it.py")
    assert ran.returncode == 1, ran.stdout
    assert verdicts(ran.stdout.split("short test summary")[0]) == VERDICTS, ran.stdout
    racy = ran.stdout.split("_ test_racy _")[1].split("_ test_wrong_by_itself _")[0]
    assert "race_" in racy and "no barrier orders the" in racy, racy
    wrong = ran.stdout.split("_ test_wrong_by_itself _")[1]
    assert "its own words" in wrong and "--- gauntlet ---" in wrong, wrong


def test_xdist_gives_the_same(project):
    import pytest
    pytest.importorskip("xdist", reason="python3-pytest-xdist is not installed")
    ran = project(FILES, "--gauntlet", "-v", "-n", "2", "test_it.py")
    assert ran.returncode == 1, ran.stdout
    assert verdicts(ran.stdout.split("short test summary")[0]) == VERDICTS, ran.stdout


def test_what_a_file_leaves_out_fails_no_test(project):
    ignored = {"known.txt": "* kernel=shift\nundefined_copy function=launch\n"}
    tests = TESTS.replace("@pytest.mark.xfail(strict=True)\n", "").replace('assert False, "its own words"', "pass")
    ran = project({**FILES, **ignored, "test_it.py": tests}, "--gauntlet", "--gauntlet-ignore", "known.txt", "-v", "test_it.py")
    assert ran.returncode == 0, ran.stdout
    assert set(verdicts(ran.stdout).values()) == {"PASSED"}, ran.stdout


def test_options_reach_gauntlet_run(project):
    ran = project(FILES, "--gauntlet", "--gauntlet-options=--no-races", "-v", "test_it.py", "-k", "test_racy or test_right")
    # The race is not looked for; the unwritten values that it lets through are found all the same.
    assert ran.returncode == 1 and "race_" not in ran.stdout and "undefined_copy" in ran.stdout, ran.stdout
    refused = project(FILES, "--gauntlet", "--gauntlet-options=--devices sm_90", "test_it.py")
    assert refused.returncode == 2 and "--devices" in refused.stdout, refused.stdout


def test_without_the_option_nothing_changes(project):
    tests = {"test_it.py": "import gauntlet\n\ndef test_plain():\n    assert not gauntlet.running()\n    assert gauntlet.findings_since(gauntlet.mark()) == []\n"}
    with_plugin = project(tests, "-v", "test_it.py")
    assert with_plugin.returncode == 0, with_plugin.stdout
    without = project(tests, "-v", "test_it.py", plugin=False)
    times = re.compile(r"in [\d.]+s|^plugins:.*\n|^=+|=+$", re.MULTILINE)
    assert times.sub("", with_plugin.stdout) == times.sub("", without.stdout)
    alone = project(tests, "--gauntlet-ignore", "known.txt", "test_it.py")
    assert alone.returncode == 4 and "need --gauntlet" in alone.stdout, alone.stdout


def test_what_a_test_expects_counts_no_more(project):
    tests = """
import gauntlet
from launcher import RACY, RIGHT, launch

def test_expected():
    assert gauntlet.running()
    with gauntlet.expected_findings() as found:
        launch(RACY)
    assert len(found) == 2 and "race_write_read" in found[0] and "undefined_copy" in found[1]
    with gauntlet.expected_findings() as found:
        launch(RIGHT)
    assert found == []
"""
    ran = project({"launcher.py": launcher(), "test_it.py": tests}, "--gauntlet", "-v", "test_it.py")
    assert ran.returncode == 0 and verdicts(ran.stdout) == {"test_expected": "PASSED"}, ran.stdout


def test_a_missing_program_is_told_in_one_line(project, monkeypatch):
    monkeypatch.setenv("GAUNTLET", "/nowhere/gauntlet")
    ran = project(FILES, "--gauntlet", "test_it.py")
    assert ran.returncode == 4, ran.stdout
    assert ran.stdout.strip() == "ERROR: GAUNTLET=/nowhere/gauntlet is no program; unset it, or name build/ci/gauntlet"
