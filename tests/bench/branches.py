"""How long a branch at the end of a large run takes (--workload branches).

The run of the mix is executed by the worker's code, then branched at its last event by one cordoned node, TIMES times.
`create_s` is the request that makes it, `first_event_s` from a worker's look for work to the commit of the first
event after the place: the place is found, what lies before it taken over, and a session restored. `cold` has the
inputs read from the database first, as in a worker that never saw the run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run

TIMES = 5


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises ValueError where a branch does not begin with what its origin recorded."""
    from tests.bench import recorded
    from tests.bench.breakpoints import executed, revision_of_mix

    member, revision = revision_of_mix(recorded, nodes, cycles)
    run, _ = executed(member, revision, "", "finished")
    line: dict[str, Any] = {"workload": "branches", "nodes": nodes, "cycles": cycles, "events": run.head.seq}
    for name in ("first_event_s", "first_event_cold_s"):
        taken = sorted(_branched(member, run, is_cold=name.endswith("cold_s")) for _ in range(TIMES))
        creating, first = (sorted(one[i] for one in taken) for i in (0, 1))
        line |= {f"{name}_p50": first[len(first) // 2], f"{name}_max": first[-1], "create_s_max": creating[-1]}
    yield line


def _branched(member: Member, run: Run, is_cold: bool) -> tuple[float, float]:
    """Return what the request and the worker took for one branch, which is thrown away."""
    from dashboard.clusters.revisions import contents
    from dashboard.runs import actions, committing, execution, sessions
    from dashboard.runs.branches.actions import Branching, branch_run
    from dashboard.runs.models import Run as Runs
    from dashboard.runs.storage import deletion

    real, first = committing.Commits.commit, []

    def commit(self: committing.Commits) -> bool:
        stopped = real(self)
        if self.current.session.head_seq > (self.run.branch.seq or 0):
            first.append(time.perf_counter() - began)
        return stopped

    node = next(iter(contents.read_contents(run.revision).loaded.objects.nodes)).name
    patch = {"kind": "Node", "metadata": {"name": node}, "spec": {"unschedulable": True}}
    began = time.perf_counter()
    branch = branch_run(member, run, Branching(run.head.seq, ({"action": "patch", "object": patch},)))
    created = time.perf_counter() - began
    sessions.forget()
    if is_cold:
        contents.cache.clear()
    committing.Commits.commit = commit  # type: ignore[method-assign]
    began = time.perf_counter()
    try:
        execution.work()
    finally:
        committing.Commits.commit = real  # type: ignore[method-assign]
    made = Runs.everything.select_related("head", "branch").get(pk=branch.pk)
    if not 0 < (made.branch.seq or 0) < made.head.seq:
        raise ValueError(f"the branch stands at event {made.head.seq}: {made.error}")
    actions.delete_run(member, made)
    while deletion.delete_some():
        pass
    return created, first[0]
