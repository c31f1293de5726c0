from __future__ import annotations

import io
import re

import pytest

from scheduler_core.cli.common.progress import ERASE_LINE, ProgressLine, SessionProgress, duration
from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import RunInputs, RunSession, timeline_from_raw
from tests.dashboard.run_helpers import cluster_of, pod


class Terminal(io.StringIO):
    def isatty(self):
        return True


def session_of(n_pods):
    inputs = RunInputs(objects=load_manifests(cluster_of(3, n_pods)).objects, schedule="all")
    return RunSession.start(inputs)


def test_a_line_writes_over_itself_and_is_gone_in_the_end():
    stream = Terminal()
    line = ProgressLine(stream)
    line.clear()
    assert stream.getvalue() == ""
    line.say("half")
    line.say("x" * 1000)
    line.clear()
    first, second, rest = stream.getvalue().split(ERASE_LINE)[1:]
    assert (first, rest) == ("half", "")
    assert 0 < len(second) < 1000


def test_nothing_is_written_where_there_is_no_terminal():
    stream = io.StringIO()
    line = ProgressLine(stream)
    line.say("half")
    line.clear()
    assert stream.getvalue() == ""


def test_a_run_tells_percentage_rate_and_time_left():
    session = session_of(40)
    progress = SessionProgress(session)
    session.advance(max_cycles=10)
    assert re.fullmatch(r" 25 %  10 cycles, [\d,]+/s, about \d+ s left, 30 pods wait", progress.text())
    session.advance()
    assert progress.text().startswith("100 %  40 cycles")
    assert "left" not in progress.text()


def test_a_run_without_pods_has_no_time_left():
    session = session_of(0)
    assert SessionProgress(session).text().startswith("  0 %  0 cycles")


def test_what_a_timeline_brings_is_part_of_what_there_is_to_do():
    entries = [{"at": i + 1, "action": "add", "object": pod(f"late-{i}")} for i in range(3)]
    objects = load_manifests(cluster_of(3, 4)).objects
    inputs = RunInputs(objects=objects, schedule="all", timeline=timeline_from_raw({"entries": entries}))
    session, steps_done = RunSession.start(inputs), []
    while not session.advance(max_cycles=1):
        steps_done.append(session.steps_done)
    assert session.n_steps == 10
    assert steps_done == [1, 2, 3, 4, 6, 8, 10]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (90, "2 min"), (3599, "60 min"), (9000, "2.5 h")]
)
def test_durations_are_rounded(seconds, text):
    assert duration(seconds) == text
