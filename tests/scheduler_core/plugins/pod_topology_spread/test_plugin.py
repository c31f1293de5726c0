"""PodTopologySpread: verdicts, default constraints, scores and queueing hints, case by case."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.framework.contracts.events import Hint, Resource
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import ZONE
from tests.scheduler_core.plugins.pod_topology_spread.zones import WEB, spread_by

BAD_ARGS = {
    "defaultingType": {"defaulting_type": "Sometimes"},
    "must be List": {"default_constraints": [{"topology_key": "zone"}]},
    "defaultConstraints\\[0\\].maxSkew": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone", "max_skew": 0}]},
    "defaultConstraints\\[1\\]: repeats": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone"}, {"topology_key": "zone"}]},
    "labelSelector": {
        "defaulting_type": "List", "default_constraints": [{"topology_key": "zone", "label_selector": {}}]},
}  # fmt: skip


@pytest.mark.parametrize(("message", "raw"), BAD_ARGS.items(), ids=BAD_ARGS.keys())
def test_bad_arguments_are_refused_by_name(message, raw):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(raw, PodTopologySpreadArgs)


PENDING = make_pod("p", labels=WEB, topology_spread_constraints=(spread_by(node_taints_policy="Honor"),))
PLACED = make_pod("w", labels=WEB, node_name="a1")
POD_HINTS = {
    "a matching pod arrives": (None, PLACED, Hint.QUEUE),
    "a matching pod leaves": (PLACED, None, Hint.QUEUE),
    "another app's pod arrives": (None, msgspec.structs.replace(PLACED, labels={"app": "db"}), Hint.SKIP),
    "a pod of another namespace arrives": (None, msgspec.structs.replace(PLACED, namespace="team-a"), Hint.SKIP),
    "an unassigned pod arrives": (None, msgspec.structs.replace(PLACED, node_name=""), Hint.SKIP),
    "a pod's labels change to match": (msgspec.structs.replace(PLACED, labels={}), PLACED, Hint.QUEUE),
    "a pod's labels change without a difference": (
        PLACED, msgspec.structs.replace(PLACED, labels={**WEB, "x": "y"}), Hint.SKIP),
    "the pending pod tolerates more": (
        PENDING, msgspec.structs.replace(PENDING, tolerations=(Toleration(operator="Exists"),)), Hint.QUEUE),
}  # fmt: skip
A, NO_ZONE = make_node("a1", labels={ZONE: "a"}), make_node("a1")
NODE_HINTS = {
    "a node with the key arrives": (None, A, Hint.QUEUE),
    "a node without the key arrives": (None, NO_ZONE, Hint.SKIP),
    "a node with the key leaves": (A, None, Hint.QUEUE),
    "a node gets the key": (NO_ZONE, A, Hint.QUEUE),
    "a node moves": (A, make_node("a1", labels={ZONE: "b"}), Hint.QUEUE),
    "a node's taints change": (A, msgspec.structs.replace(A, taints=(Taint("x"),)), Hint.QUEUE),
    "another label changes": (A, make_node("a1", labels={ZONE: "a", "x": "y"}), Hint.SKIP),
}  # fmt: skip


def hint_for(resource):
    plugin = PodTopologySpread(PodTopologySpreadArgs(), FakeHandle(make_cluster([])))
    (hint,) = [e.hint for e in plugin.events_to_register() if e.event.resource is resource]
    return hint


@pytest.mark.parametrize(("old", "new", "expected"), POD_HINTS.values(), ids=POD_HINTS.keys())
def test_hints_on_pods(old, new, expected):
    assert hint_for(Resource.POD)(PENDING, old, new) is expected


@pytest.mark.parametrize(("old", "new", "expected"), NODE_HINTS.values(), ids=NODE_HINTS.keys())
def test_hints_on_nodes(old, new, expected):
    assert hint_for(Resource.NODE)(PENDING, old, new) is expected
