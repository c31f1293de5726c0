"""What is common to the supervisor's processes: reading marks, sending signals."""

from __future__ import annotations

import os
import signal

import pytest

from dashboard.common.processes.marked import MarkedProcess


class StatedProcess(MarkedProcess):
    """A process whose status is said, none of this machine."""

    state = None

    def status(self):
        return self.state


@pytest.fixture
def pipe():
    return os.pipe()


def test_marks_are_whole_lines_however_they_arrive(pipe):
    reading, writing = pipe
    process = StatedProcess(1, reading)
    assert process.new_marks() == []
    for text, marks in ((b"migration on", []), (b"e\ntwo\nth", ["migration one", "two"]), (b"ree\n", ["three"])):
        os.write(writing, text)
        assert process.new_marks() == marks
    os.close(writing)
    assert process.new_marks() == []
    process.close()


@pytest.mark.parametrize(("state", "sent"), [(None, [(4711, signal.SIGTERM)]), (0, [])])
def test_signals_go_to_all_that_a_living_process_started(pipe, monkeypatch, state, sent):
    signals = []
    monkeypatch.setattr(os, "killpg", lambda pid, number: signals.append((pid, number)))
    process = StatedProcess(4711, pipe[0])
    process.state = state
    process.signal(signal.SIGTERM)
    assert signals == sent
    process.close()
    os.close(pipe[1])


def test_a_fork_that_has_no_session_yet_gets_the_signal_alone(pipe, monkeypatch):
    signals = []

    def gone(_pid, _number):
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", gone)
    monkeypatch.setattr(os, "kill", lambda pid, number: signals.append((pid, number)))
    process = StatedProcess(4711, pipe[0])
    process.signal(signal.SIGTERM)
    assert signals == [(4711, signal.SIGTERM)]
    process.close()
    os.close(pipe[1])


def test_one_that_is_gone_meanwhile_needs_no_signal(pipe, monkeypatch):
    def gone(_pid, _number):
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", gone)
    monkeypatch.setattr(os, "kill", gone)
    process = StatedProcess(4711, pipe[0])
    process.signal(signal.SIGTERM)
    process.close()
    os.close(pipe[1])
