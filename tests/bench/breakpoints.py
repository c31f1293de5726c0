"""What attached breakpoints cost a live run, and how long a hit takes to stop it (--workload breakpoints).

The run of the mix is executed by the worker's code: once without breakpoints, once with each of QUERIES, which have no
hit, and once with a hit at two thirds. `check_ms_per_chunk` is the processor's time for looking at a chunk,
`check_share` its part of executing and committing; without breakpoints it is one query for the attachments.
`stop_ms` is from the chunk with the hit being cut to the run standing there, most of it the restoring of the cluster
at a keyframe; `continue_ms` from the press to the next hit, a cycle later, by the session that was kept.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Revision
    from dashboard.runs.models import Run

QUERIES = {
    "cycle": "cycle outcome:error and margin>100000",
    "cell": "cell plugin:NodeResourcesFit and verdict:refused and node:node-of-nobody-*",
    "every_cell": "cell raw<-1000000",
    "event": "event message~nothing-says-this",
}
Spent = dict[str, list[float]]


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises ValueError where a run does not stop or end as it should."""
    from tests.bench import recorded

    member, revision = revision_of_mix(recorded, nodes, cycles)
    line: dict[str, Any] = {"workload": "breakpoints", "nodes": nodes, "cycles": cycles}
    executed(member, revision, "", "finished")  # what is imported and made once
    hashes = set()
    for name, query in {"none": "", **QUERIES}.items():
        run, spent = executed(member, revision, query, "finished")
        checks, work = spent["_checked"], sum(spent["advance"]) + sum(spent["commit"])
        line[f"check_ms_per_chunk_{name}"] = 1e3 * sum(checks) / len(checks)
        line[f"check_share_{name}"] = sum(checks) / work
        hashes.add(run.recording_hash)
    if len(hashes) > 1:
        raise ValueError("the runs have different recordings")
    number = cycles * 2 // 3
    run, spent = executed(member, revision, f"cycle cycle>={number}", "stopped")
    if run.head.cycle != number:
        raise ValueError(f"the run stands at cycle {run.head.cycle}, not at {number}")
    line["stop_ms"] = 1e3 * spent["wall"][-1]
    line["continue_ms"] = 1e3 * _continued(member, run)
    yield line


def revision_of_mix(recorded: ModuleType, nodes: int, cycles: int) -> tuple[Member, Revision]:
    """Return the owner and the cluster of the mix; `recorded` has set Django up."""
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions import object_store
    from dashboard.clusters.revisions.object_store import Saving
    from dashboard.common.processes.gc_tuning import tune_gc
    from tests.bench.workloads import WORKLOADS, manifests_of

    member = Member.objects.select_related("workspace", "user").get(user=recorded.owner())
    cluster = Cluster.objects.create(workspace=member.workspace, slug="breakpoints", name="breakpoints")
    revision = object_store.save_revision(cluster, manifests_of(WORKLOADS["mix"], nodes, cycles), Saving(None))
    tune_gc()
    return member, revision


def executed(member: Member, revision: Revision, query: str, state: str) -> tuple[Run, Spent]:
    """Return a run that was executed until it stood or ended, and what its parts took."""
    from dashboard.runs import actions, committing, execution, sessions
    from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint
    from scheduler_core.simulate import RunSession

    sessions.forget()
    fields = BreakpointFields(f"at {time.perf_counter_ns()}", query)
    breakpoints = (create_breakpoint(member, fields),) if query else ()
    run = actions.create_run(member, actions.Launch(revision, schedule="pending", seed=3, breakpoints=breakpoints))
    spent: Spent = defaultdict(list)
    parts = [(committing.Commits, "commit"), (committing.Commits, "_checked"), (RunSession, "advance")]
    real = [(place, name, getattr(place, name)) for place, name in parts]
    for place, name, function in real:
        setattr(place, name, _timed(function, spent, name))
    try:
        while execution.work():
            pass
    finally:
        for place, name, function in real:
            setattr(place, name, function)
    run = actions.find_run(member.workspace, run.number)
    if run.state != state:
        raise ValueError(f"the run is {run.state}, not {state}: {run.error}")
    return run, spent


def _timed(function: Callable[..., Any], spent: Spent, name: str) -> Callable[..., Any]:
    def timed(*args: Any, **named: Any) -> Any:
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            return function(*args, **named)
        finally:
            spent[name].append(time.process_time() - cpu)
            if name == "commit":
                spent["wall"].append(time.perf_counter() - wall)

    return timed


def _continued(member: Member, run: Run) -> float:
    """Return how many seconds it took to stand one hit further."""
    from dashboard.runs import actions, execution
    from dashboard.runs.breakpoints.going_on import continue_run

    began, cycle = time.perf_counter(), run.head.cycle
    continue_run(member, run)
    execution.work()
    seconds = time.perf_counter() - began
    if actions.find_run(member.workspace, run.number).head.cycle != cycle + 1:
        raise ValueError("the run does not stand at the next hit")
    return seconds
