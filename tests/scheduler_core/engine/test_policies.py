"""Choices of a run that are no Kubernetes configuration: what they switch off."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.engine.owned_pods import changes, job, owned, run, the_end
from tests.scheduler_core.engine.scenarios import case, finished

NOBODY = {"terminating": "stay", "owners": "ignore", "node_loss": "pods_stay"}


@pytest.mark.parametrize("timeline", ["deployment-timeline", "node-lost-timeline"])
def test_with_the_policies_off_nothing_follows(timeline: str) -> None:
    inputs = case("deployment", timeline, policies=Policies(victims="at_once", **NOBODY))  # type: ignore[arg-type]
    _, events = finished(inputs)
    assert changes(events, "added") == []
    if timeline == "node-lost-timeline":
        assert changes(events, "deleted") == []
        assert the_end(events).pending == 0
    else:
        (missing,) = the_end(events).missing
        assert (missing.workload, missing.bound, missing.desired) == ("Deployment default/d", 0, 2)


def test_terminating_pods_stay_where_the_policy_says_so() -> None:
    session, events = finished(case("terminating", policies=Policies(terminating="stay")))
    assert changes(events, "deleted") == []
    assert session.finish_reason.startswith("1 pod stays pending")


def test_pods_of_jobs_run_for_ever_where_the_policy_names_no_time() -> None:
    objects = ClusterObjects(nodes=[make_node("n")], pods=[owned("Job", "j-0", "j")], workloads=[job(completions=3)])
    _, events = run(objects, job_running_us=None)
    assert changes(events, "deleted") == []
    assert the_end(events).missing == (ev.Missing("Job default/j", desired=3, bound=1, unmade=2),)
