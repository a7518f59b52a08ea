"""`--probtest-audit`: what the processes of one interpreter share is varied by starting others.

Runs are seeded, and time stands still, so what they find is the same each time.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy  # noqa: F401 (an inner run in this process could not load it twice)
import pytest

from .test_audit import AUDIT, FEW, SOON, STILL, _no_other_plugins, audit, replayed  # noqa: F401

SHARING = """
import os, pathlib, random, numpy

DATA = random.random()
ARRAY = numpy.random.rand()

def test_hash():
    with open("hashes", "a") as hashes:
        print(hash("alpha"), file=hashes)
    assert not 4 < int(os.environ["PYTHONHASHSEED"]) < 2**30, hash("alpha")

def test_import_of_numpy():
    assert ARRAY < 0.5

def test_both():
    assert random.random() < DATA
"""
#: Draws before the module of the tests does.
DRAWING = "import random\n\nrandom.random()\n\ndef test_first(): pass"
#: Rates are soon known to be above this.
LOW = ("--probtest-audit-max-rate", "0.0001", "--probtest-audit-time", "10m")


def test_a_hash_seed_and_what_is_drawn_on_import_are_varied_and_their_failures_replay(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_before=DRAWING, test_suite=SHARING, conftest=STILL)
    result, tests, facts = audit(pytester, *LOW, "--deselect", "test_before.py::test_first")
    hashes = set(Path(pytester.path, "hashes").read_text().split())
    assert len(hashes) == tests["test_hash"]["interpreters"]
    for name in ("test_hash", "test_import_of_numpy", "test_both"):
        test = tests[name]
        assert (test["outcome"], test["depends_on"]) == ("fails", "interpreter"), name
        # One interpreter is one observation.
        assert test["executed"] == test["interpreters"] <= facts["interpreters"], name
        assert test["rate"]["low"] < 0.5 < test["rate"]["high"], name
        assert test["message"].splitlines()[0] in replayed(pytester, test), name
    result.stdout.fnmatch_lines(["*it failed in * of * interpreters; depends on the hash seed or *"])


def test_a_hash_seed_that_is_given_stays_and_what_is_drawn_on_import_varies(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "5")
    pytester.makepyfile(test_suite=SHARING, conftest=STILL)
    result, tests, facts = audit(pytester, *LOW, "-k", "test_hash or test_import_of_numpy")
    assert len(set(Path(pytester.path, "hashes").read_text().split())) == 1
    assert tests["test_hash"]["outcome"] == "fails_always"
    assert tests["test_import_of_numpy"]["depends_on"] == "interpreter"
    assert "PYTHONHASHSEED=5 pytest" in tests["test_import_of_numpy"]["replay"]
    assert tests["test_import_of_numpy"]["message"] in replayed(pytester, tests["test_import_of_numpy"])
    assert facts["hash_seed"] == 5
    result.stdout.fnmatch_lines(
        ["*each with its own random numbers on import; all have your PYTHONHASHSEED=5"]
    )


COLLECTED = """
import random, pytest

@pytest.mark.parametrize("word", {"alpha", "beta"})
def test_of_a_set(word):
    assert word in ("alpha", "beta")

@pytest.mark.parametrize("number", [random.random()])
def test_of_a_draw(number):
    assert number < 2
"""


def test_a_test_that_interpreters_do_not_collect_is_told_and_the_order_of_others_is_no_matter(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_suite=COLLECTED, conftest=STILL)
    _, tests, facts = audit(pytester, *SOON)
    assert tests["test_of_a_set[alpha]"]["outcome"] == "never_failed"
    assert tests["test_of_a_set[beta]"]["outcome"] == "never_failed"
    (drawn,) = (test for name, test in tests.items() if "of_a_draw" in name)
    assert drawn["summary"] == "skipped: no interpreter has collected it"
    assert facts["ended"] == "decided"


def test_an_audit_whose_interpreters_do_not_start_says_what_they_print(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    pytester.makeconftest("""
        def pytest_collection_finish(session):
            if session.config.getoption("probtest_audit_channel"):
                raise OSError("no licence")
    """)
    result = pytester.runpytest_inprocess(*AUDIT, *FEW)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*an interpreter of the audit ended with exit code *", "*PYTHONHASHSEED=*", "*OSError: no licence*"]
    )


KILLING = """
import os, pathlib, signal

def test_kills_each():
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()

def test_kills_one():
    file = pathlib.Path(__file__).with_name("killed")
    if not file.exists():
        file.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
"""


def test_an_order_whose_interpreter_is_killed_is_made_again_and_a_test_that_kills_it_fails(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_suite=KILLING, conftest=STILL)
    _, tests, facts = audit(pytester, *SOON, "-k", "kills_one")
    assert (tests["test_kills_one"]["outcome"], facts["ended"]) == ("never_failed", "decided")
    few = ("--probtest-audit-max-rate", "0.01", "--probtest-audit-time", "10m")
    _, tests, facts = audit(pytester, *few, "-k", "kills_each")
    assert tests["test_kills_each"]["outcome"] == "fails_always"
    assert tests["test_kills_each"]["message"] == "its interpreter was killed by signal 9"
    assert facts["ended"] == "decided"


LIVING = """
import os, signal

def test_lives():
    with open("lives", "w") as pipe:
        pipe.write(f"{os.getpid()} {os.getppid()}")
    signal.pause()
"""


def test_no_process_is_left_behind_when_the_audit_is_killed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=LIVING)
    pipe = Path(pytester.path, "lives")
    os.mkfifo(pipe)
    audit = subprocess.Popen(
        [sys.executable, "-m", "pytest", *AUDIT], cwd=pytester.path, stdout=subprocess.DEVNULL
    )
    living = [os.pidfd_open(int(pid)) for pid in pipe.read_text().split()]
    audit.send_signal(signal.SIGKILL)
    audit.wait()
    for process in living:
        # It can be read from when it has ended.
        assert select.select([process], [], [], 60)[0]
        os.close(process)
    assert len(living) == 2


def test_an_import_seed_that_is_no_number_is_refused(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*AUDIT[:2], "--probtest-import-seed", "soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*given  --probtest-import-seed soon"])


def test_json_says_in_how_many_interpreters_each_test_ran(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    audit(pytester, "--probtest-audit-interpreters", "3", "--probtest-jobs", "2")
    facts = json.loads(Path(pytester.path, "facts.json").read_text())
    assert facts["interpreters"] >= facts["audited"][0]["interpreters"] >= 3
