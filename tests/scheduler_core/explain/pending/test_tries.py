"""The tries of pods that admission refuses: how often, when again, and what the quotas hold."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.not_created.in_run import refused_in_run
from scheduler_core.explain.pending.tries import Tries
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from scheduler_core.workloads.timeline import Timeline, TimelineEntry
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.arrivals.quota_histories import PLAYED, made_up, quota, replicas

SECOND = 1_000_000


def tries(key: str, *entries: TimelineEntry, **fields: Any) -> Tries:
    objects = ClusterObjects(nodes=[make_node("n", cpu="100")], **fields)
    inputs = RunInputs(objects=objects, policies=PLAYED, timeline=Timeline(entries))
    refused = refused_in_run(TrialsOf(recorded(inputs), inputs), key)
    assert refused is not None
    return refused.tries


def test_a_controllers_tries_are_counted_and_the_next_one_is_known() -> None:
    """A pod far later keeps the run going, so that tries take place until then: the wait doubles from 5 ms."""
    web = replicas("web", 4)
    later = TimelineEntry(10 * SECOND, "put", make_pod("later", namespace="b"))
    of_web = tries(
        "a/web", later, workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=2, requests_cpu=1200)]
    )
    assert (of_web.maker, of_web.desired, of_web.unmade) == ("ReplicaSet a/web", 4, 2)
    assert of_web.refused == 11
    assert of_web.next_at - of_web.at == 5_000 << 10
    amounts = {one.resource: (one.asked, one.used, one.hard, one.is_short) for one in of_web.quotas}
    assert amounts["pods"] == (1, 2, 2, True)
    assert amounts["requests.cpu"][2:] == (1200, True)


def test_nobody_tries_a_pod_of_an_input_again() -> None:
    alone = TimelineEntry(SECOND, "put", make_pod("alone", namespace="a"))
    of_pod = tries("a/alone", alone, resource_quotas=[quota(pods=0)])
    assert (of_pod.maker, of_pod.refused, of_pod.next_at, of_pod.at) == ("", 1, -1, SECOND)
