"""A run that takes more memory than there is: three deaths fail it with words, and the others go on."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.installations import embedded
from tests.faults.processes import ROOT, start_run, wait_until
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

SMALL = cluster_of(10, 40)
HEADROOM = 24 << 20
"""Bytes: enough to read a run, not enough for the inputs of the large one."""
DEATHS = 3
# A worker that may take `more` bytes beyond what it has when it starts, until nothing waits.
STARVED = """
import resource, sys
import django
django.setup()
from dashboard.runs import execution
from dashboard.runs.lifecycle import reconcile, waiting
from dashboard.runs.models import Run, State

reconcile.reconcile()
first = Run.everything.order_by("pk").first()
if first.state == State.QUEUED:
    assert execution.work() and Run.everything.get(pk=first.pk).state == State.FINISHED
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]), -1))
turns = 0
while waiting.anything() and turns < 50:
    turns += 1
    execution.work()
print(turns)
"""
# A library in C that does not check for want of memory ends its process: its supervisor starts another.
KILLED_BY_A_LIBRARY = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """An embedded installation, nothing of it started."""
    with embedded(tmp_path_factory.mktemp("memory")) as installation:
        yield installation


def run_of(installation, run):
    return installation.ask(f"SELECT state, error, recording_hash FROM runs_run WHERE id = {run['id']}")


def work_starved(environment) -> subprocess.CompletedProcess:
    """Work in a starved process, and in another one where that was killed by a library."""
    command = [sys.executable, "-c", STARVED, str(HEADROOM)]
    for _ in range(DEATHS + 1):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode not in KILLED_BY_A_LIBRARY:
            break
    return done


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: the limit on a process' memory")
def test_a_run_that_finds_no_memory_three_times_fails_and_the_others_go_on(installation, tmp_path):
    first = start_run(installation.environment, tmp_path, SMALL)
    greedy = start_run(installation.environment, tmp_path, cluster_of(3000, 12_000), "--cluster", "large")
    done = work_starved(installation.environment)
    assert done.returncode == 0, done.stderr[-4000:]
    state, error, _hash = run_of(installation, greedy)
    assert state == "failed", (state, done.stdout, done.stderr[-3000:])
    assert error.startswith("The worker died 3 times at event 0 of this run, most likely for want of memory.")
    assert "Resume it on a worker with more memory" in error
    assert run_of(installation, first) == ("finished", "", undisturbed_hash(SMALL))
    # What the large run left of the memory is in pieces; a worker that has some goes on with other runs.
    other = start_run(installation.environment, tmp_path, SMALL, "--seed", "1")
    installation.start("worker1")
    wait_until(lambda: run_of(installation, other)[0] == "finished", "the other run waits", installation.log)
    assert run_of(installation, other)[2] == undisturbed_hash(SMALL, seed=1)
    assert run_of(installation, greedy)[0] == "failed"
    installation.kill_alone("worker1")


@pytest.mark.long
def test_a_run_whose_worker_is_killed_three_times_at_one_event_fails_and_the_others_go_on(installation, tmp_path):
    poison = start_run(installation.environment, tmp_path, cluster_of(500, 5000), "--cluster", "large")
    behind = start_run(installation.environment, tmp_path, SMALL, "--background")
    executing = f"SELECT seq FROM runs_runhead WHERE run_id = {poison['id']} AND lease_owner LIKE '%/{{}}/%'"
    for _ in range(3):
        installation.start("worker1")
        mine = executing.format(installation.processes["worker1"].pid)
        wait_until(lambda mine=mine: installation.ask(mine), "the run was not claimed", installation.log)
        installation.kill_alone("worker1")
        # Only what happens before the first event is a death at one event; the run is long enough for that.
        assert installation.ask(mine) == (0,)
    installation.start("worker1")
    wait_until(lambda: run_of(installation, behind)[0] == "finished", "the other run waits", installation.log)
    # The fourth worker may come to the small run before it finds the third death.
    wait_until(lambda: run_of(installation, poison)[0] != "running", "the deaths are not counted", installation.log)
    state, error, _hash = run_of(installation, poison)
    assert (state, "The worker died 3 times at event 0" in error) == ("failed", True)
    assert run_of(installation, behind)[2] == undisturbed_hash(SMALL)
    assert installation.ended() == {}
