"""Which tests are run for a change, and what a child of the process hands back."""

from __future__ import annotations

import os
import time

import pytest

from tests.mutation.generated import Mutant
from tests.mutation.judging import Asked, Run, chosen_tests, in_child
from tests.mutation.verdicts import Verdict, Verdicts, digest

PATH = "room/a.py"
RUNS = {
    "tests/room/test_a.py::one": Run(True, 0.1, {PATH: {4, 5}}),
    "tests/room/test_a.py::other": Run(True, 0.1, {PATH: {9}}),
    "tests/room/test_b.py::none": Run(True, 0.1, {}),
    "tests/room/test_b.py::broken": Run(False, 0.1, {PATH: {5}}),
    "tests/far/test_c.py::one": Run(True, 0.1, {PATH: {5}}),
}


def chosen(lines, imported, **how):
    mutant = Mutant(lines.start, "1 -> 2", "f", lines, 0)
    return chosen_tests(Asked(PATH, mutant, ("tests/room",), **how), RUNS, imported)


def test_near_tests_that_pass_and_come_to_the_line_are_run():
    assert chosen(range(5, 6), set()) == (["tests/room/test_a.py::one"], False)
    assert chosen(range(7, 8), set()) == ([], False)
    far = chosen(range(5, 6), set(), is_near=False)
    assert far == (["tests/room/test_a.py::one", "tests/far/test_c.py::one"], False)


def test_for_what_runs_at_import_all_near_tests_are_run_those_first_that_run_anything_of_the_module():
    near = ["tests/room/test_a.py::one", "tests/room/test_a.py::other", "tests/room/test_b.py::none"]
    assert chosen(range(5, 6), {5}) == (near, True)
    far = [*near[:2], "tests/far/test_c.py::one", near[2]]
    assert chosen(range(5, 6), {5}, is_near=False) == (far, True)


@pytest.mark.slow
def test_a_child_hands_back_what_it_works_out_unless_it_is_killed_or_takes_too_long():
    assert in_child(lambda: {"process": os.getpid()}, 20)["process"] != os.getpid()
    assert in_child(lambda: os.kill(os.getpid(), 9), 20) is None
    assert in_child(lambda: time.sleep(20), 0.05) is None
    with pytest.raises(RuntimeError):
        in_child(lambda: 1 / 0, 20)


def test_verdicts_are_kept_and_the_last_one_counts(tmp_path):
    def verdict(noticed):
        return Verdict("room", PATH, 5, "f", "1 -> 2", digest("text"), noticed, "a test", 0.1)

    verdicts = Verdicts(tmp_path / "kept/here.jsonl")
    assert verdicts.of(PATH, "1 -> 2", "text") is None
    verdicts.add(verdict(False))
    verdicts.add(verdict(True))
    again = Verdicts(tmp_path / "kept/here.jsonl")
    assert again.of(PATH, "1 -> 2", "text") == verdict(True)
    assert again.of(PATH, "1 -> 2", "another text") is None
