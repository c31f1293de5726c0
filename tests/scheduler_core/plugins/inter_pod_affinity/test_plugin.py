"""InterPodAffinity: verdicts, skips, scores and queueing hints, case by case."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import PodAffinityTerm
from scheduler_core.framework.contracts.events import Hint, Resource
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.testing.builders import make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import ZONE, app_is
from tests.scheduler_core.plugins.inter_pod_affinity.web_pods import DB, WEB, cluster_with, web_pod

TO_DB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("db"))


def test_weights_out_of_range_are_refused():
    with pytest.raises(msgspec.ValidationError, match="hardPodAffinityWeight: 101"):
        msgspec.convert({"hard_pod_affinity_weight": 101}, InterPodAffinityArgs)


NEAR, AWAY = web_pod(pod_required=(TO_DB,)), web_pod(anti_required=(TO_DB,))
PLACED_DB = make_pod("db", labels=DB, node_name="a1")
PLACED_WEB = make_pod("db", labels=WEB, node_name="a1")
PENDING_DB = make_pod("db", labels=DB)
A, B, NO_ZONE = (make_node("n", labels=labels) for labels in ({ZONE: "a"}, {ZONE: "b"}, {}))
HINTS = {
    "a match for affinity arrives": (NEAR, None, PLACED_DB, Hint.QUEUE),
    "a pod that affinity does not mean arrives": (NEAR, None, PLACED_WEB, Hint.SKIP),
    "a match that is not assigned arrives": (NEAR, None, PENDING_DB, Hint.SKIP),
    "a match for affinity leaves": (NEAR, PLACED_DB, None, Hint.SKIP),
    "a match for anti-affinity leaves": (AWAY, PLACED_DB, None, Hint.QUEUE),
    "a match for anti-affinity arrives": (AWAY, None, PLACED_DB, Hint.SKIP),
    "labels change to match affinity": (NEAR, PLACED_WEB, PLACED_DB, Hint.QUEUE),
    "labels change to no longer match anti-affinity": (AWAY, PLACED_DB, PLACED_WEB, Hint.QUEUE),
    "a node with the key arrives for affinity": (NEAR, None, A, Hint.QUEUE),
    "a node without the key arrives for affinity": (NEAR, None, NO_ZONE, Hint.SKIP),
    "any node arrives for anti-affinity": (AWAY, None, NO_ZONE, Hint.QUEUE),
    "a node gets the key for affinity": (NEAR, NO_ZONE, A, Hint.QUEUE),
    "a node gets the key for anti-affinity": (AWAY, NO_ZONE, A, Hint.SKIP),
    "a node loses the key for anti-affinity": (AWAY, A, NO_ZONE, Hint.QUEUE),
    "a node loses the key for affinity": (NEAR, A, NO_ZONE, Hint.SKIP),
    "a node moves": (AWAY, A, B, Hint.QUEUE),
    "a node keeps its place": (AWAY, A, A, Hint.SKIP),
}


@pytest.mark.parametrize(("pod", "old", "new", "expected"), HINTS.values(), ids=HINTS.keys())
def test_hints(pod, old, new, expected):
    resource = Resource.NODE if A.__class__ in (type(old), type(new)) else Resource.POD
    plugin = InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster_with()))
    (hint,) = [e.hint for e in plugin.events_to_register() if e.event.resource is resource]
    assert hint(pod, old, new) is expected
