"""Real workers that are killed before, at and behind the stops of a run: it stands and ends as if nobody had."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.lengths import length
from tests.faults.processes import embedded_environment, manage, prepare, start_run, wait_until, worker
from tests.faults.test_kill import ask, state_of

pytestmark = [pytest.mark.slow, pytest.mark.long]

N_NODES, N_PODS = length(short=(60, 900), long=(300, 5000))
STOPS = length(short=2, long=12)
ATTACH = """
from dashboard.accounts.models import Member
from dashboard.runs.breakpoints.attachments import attach
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
from dashboard.runs.models import Run
member, run = Member.objects.select_related("workspace", "user").get(), Run.objects.get()
attach(member, run, create_breakpoint(member, BreakpointFields("Cells", {cells!r})))
attach(member, run, create_breakpoint(member, BreakpointFields("Cycles", {cycles!r})))
"""
GO_ON = """
from dashboard.accounts.models import Member
from dashboard.runs.breakpoints import going_on
from dashboard.runs.models import Run
going_on.{how}(Member.objects.select_related("workspace", "user").get(), Run.objects.get())
"""


def shell(environment, text):
    manage(environment, "shell", "--no-imports", "-c", text)


def killed(environment, log, chance):
    """Let a worker work for a moment and kill it."""
    with worker(environment, log) as process:
        wait_until(lambda: state_of(environment) != "queued", "nobody took the run", log)
        time.sleep(chance.uniform(0, 0.6))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def standing(environment):
    """The cycle of the stop, the last cycle recorded, the name of the breakpoint, who holds the run."""
    stop = "SELECT cycle, name FROM runs_runstop", "SELECT cycle, lease_owner FROM runs_runhead"
    (cycle, name), (head, owner) = (ask(environment, query) for query in stop)
    return cycle, head, name, owner


def test_a_run_with_breakpoints_survives_workers_that_are_killed(tmp_path):
    environment, log = prepare(embedded_environment(tmp_path / "var")), tmp_path / "worker.log"
    manifests, chance = cluster_of(N_NODES, N_PODS), random.Random(7)
    start_run(environment, tmp_path, manifests)
    cycles = sorted(chance.sample(range(2, N_PODS), STOPS))
    stop_query = " or ".join(f"cycle:{number}" for number in cycles[::2])
    cells = " or ".join(f"cycle:{number}" for number in cycles[1::2])
    shell(
        environment,
        ATTACH.format(cycles=f"cycle ({stop_query})", cells=f"cell plugin:NodeResourcesFit node:node-3 ({cells})"),
    )
    for number in cycles:
        killed(environment, log, chance)
        with worker(environment, log) as process:
            wait_until(lambda: state_of(environment) in ("stopped", "finished", "failed"), "no stop", log)
            os.kill(process.pid, signal.SIGKILL)
        name = "Cycles" if number in cycles[::2] else "Cells"
        assert standing(environment) == (number, number, name, ""), log.read_text()[-3000:]
        shell(environment, GO_ON.format(how="continue_run" if number != cycles[-1] else "run_without_breakpoints"))
    with worker(environment, log):
        wait_until(lambda: state_of(environment) in ("stopped", "finished", "failed"), "never ended", log)
    state, error, recording_hash = ask(environment, "SELECT state, error, recording_hash FROM runs_run")
    assert (state, error) == ("finished", ""), log.read_text()[-3000:]
    assert recording_hash == undisturbed_hash(manifests)
    rows, distinct = ask(environment, "SELECT count(*), count(DISTINCT number) FROM runs_cycle")
    assert rows == distinct == N_PODS
    assert ask(environment, "SELECT count(*) FROM runs_runstop") == (0,)
