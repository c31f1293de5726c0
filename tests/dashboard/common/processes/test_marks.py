"""What a process says of its start, and where it says nothing."""

from __future__ import annotations

import os

import pytest

from dashboard.common.processes import marks
from dashboard.common.processes.marks import READY, VARIABLE, mark, mark_ready


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    os.close(reading)
    os.close(writing)


@pytest.fixture
def listened(pipe, monkeypatch):
    """The end that a supervisor reads of this process's marks."""
    monkeypatch.setenv(VARIABLE, str(pipe[1]))
    monkeypatch.setattr(marks, "_pipe", None)
    marks.speak_to(marks._inherited())
    return pipe[0]


def test_each_mark_is_a_line(listened):
    mark("migration\nclusters.0001")
    mark_ready()
    assert os.read(listened, 999) == f"migration clusters.0001\n{READY}\n".encode()


def test_what_the_process_starts_gets_no_pipe(pipe, listened):
    assert VARIABLE not in os.environ
    assert not os.get_inheritable(pipe[1])


def test_a_supervisor_that_does_not_read_is_not_waited_for(listened):
    for _ in range(5_000):
        mark("x" * 100)


@pytest.mark.parametrize("number", ["", "x", "-1", "123456"])
def test_no_pipe_is_none(number, monkeypatch):
    monkeypatch.setenv(VARIABLE, number)
    assert marks._inherited() is None


def test_a_file_in_place_of_the_pipe_is_left_alone(tmp_path, monkeypatch):
    with (tmp_path / "database").open("w") as file:
        monkeypatch.setenv(VARIABLE, str(file.fileno()))
        assert marks._inherited() is None


def test_without_a_supervisor_nothing_happens(monkeypatch):
    monkeypatch.setattr(marks, "_pipe", None)
    mark_ready()
