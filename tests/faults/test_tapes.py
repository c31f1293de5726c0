"""A worker that is killed in the middle of a run with a tape: the next one answers from the tape as it would have."""

from __future__ import annotations

import random

import pytest

from tests.faults.lengths import length
from tests.faults.processes import embedded_environment, manage, prepare, wait_until, worker
from tests.faults.test_kill import ask, kill_soon

pytestmark = [pytest.mark.slow, pytest.mark.long]

# Extenders take the plain engine: seconds of work.
N_NODES, N_PODS = length(short=(60, 600), long=(200, 3000))
START = """
from dashboard.accounts.models import Member
from tests.dashboard.extender_scene import taped_run

run, expected = taped_run(Member.objects.select_related("workspace", "user").get(), {nodes}, {pods})
print(run.pk, expected)
"""
RUN = "SELECT {columns} FROM runs_run JOIN runs_runhead ON runs_runhead.run_id = runs_run.id WHERE state <> 'cancelled'"


def of_run(environment, columns):
    return ask(environment, RUN.format(columns=columns))


def test_a_killed_run_goes_on_from_its_tape(tmp_path, monkeypatch):
    installation = prepare(embedded_environment(tmp_path / "var"))
    code = START.format(nodes=N_NODES, pods=N_PODS)
    expected = manage(installation, "shell", "--no-imports", "-c", code).splitlines()[-1].split()[1]
    log = tmp_path / "worker.log"
    monkeypatch.setattr("tests.faults.test_kill.head_of", lambda environment: of_run(environment, "seq")[0])
    monkeypatch.setattr("tests.faults.test_kill.state_of", lambda environment: of_run(environment, "state")[0])
    delays, head, kills = random.Random(7), 0, 0
    while kills < 3 and head is not None:
        head = kill_soon(installation, log, head, delays.random() / 4)
        kills += head is not None
    assert kills
    with worker(installation, log):
        wait_until(lambda: of_run(installation, "state")[0] in ("finished", "failed"), "the run does not end", log)
    state, error, made, left = of_run(installation, "state, error, recording_hash, left_tape_cycle")
    assert (state, error, made, left) == ("finished", "", expected, 0)
