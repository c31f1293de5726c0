"""Why of an owner: refused pods, by the run or by the input, or nothing that holds it up."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.unplayed import RefusedCreation
from scheduler_core.explain.pending.model import NOT_CREATED
from scheduler_core.explain.rollouts.answer import report_of_owner
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.arrivals.quota_histories import PLAYED, made_up, quota, replicas


def test_what_the_run_refused_is_before_what_the_input_says_and_others_have_no_report() -> None:
    web, fine = replicas("web", 3), replicas("fine", 1, namespace="b")
    said = RefusedCreation(kind="ReplicaSet", namespace="b", name="held", code="NOT_CREATED_QUOTA", message="no")
    held = replace(replicas("held", 0, namespace="b"), refusal=said, n_refused=1)
    objects = ClusterObjects(
        nodes=[make_node("n", cpu="9")],
        workloads=[web, fine, held],
        pods=[*made_up(web), *made_up(fine)],
        resource_quotas=[quota(pods=1)],
    )
    inputs = RunInputs(objects=objects, policies=PLAYED)
    trials = TrialsOf(recorded(inputs), inputs)
    of_run, by_input = (report_of_owner(trials, key, lambda: True) for key in ("a/web", "b/held"))
    assert of_run is not None
    assert by_input is not None
    assert (of_run.pending.state, of_run.tries is not None) == (NOT_CREATED, True)
    assert (by_input.pending.state, by_input.tries) == (NOT_CREATED, None)
    assert report_of_owner(trials, "b/fine", lambda: True) is None
