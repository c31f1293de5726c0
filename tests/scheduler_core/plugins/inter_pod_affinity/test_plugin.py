"""InterPodAffinity: verdicts, skips, scores and queueing hints, case by case."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import Affinity, PodAffinityTerm, WeightedPodAffinityTerm
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint, Resource
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.filtering import REASON_AFFINITY, REASON_ANTI_AFFINITY, REASON_EXISTING
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import HOSTNAME, ZONE, app_is

WEB, DB = {"app": "web"}, {"app": "db"}
TO_DB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("db"))
TO_WEB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("web"))
TO_NOBODY = PodAffinityTerm(topology_key=ZONE)


def web_pod(name="p", labels=WEB, **affinity):
    return make_pod(name, labels=labels, affinity=Affinity(**affinity))


def cluster_with(**placed):
    zones = {"a1": "a", "a2": "a", "b1": "b", "none": None}
    nodes = [make_node(name, labels={ZONE: zone} if zone else {}) for name, zone in zones.items()]
    return make_cluster(nodes, {name: [pod] for name, pod in placed.items()})


def refusals(cluster, pod):
    """Names of refused nodes by reason, None when PreFilter skips."""
    plugin = InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster))
    info = cluster.info(pod)
    result = plugin.pre_filter(CycleState(), info)
    if result.status.is_skip:
        return None
    found = {}
    for row in cluster.table.order.tolist():
        status = plugin.filter_node(result.state, info, cluster.view(row))
        if not status.is_success:
            found.setdefault(status.message, []).append(cluster.name_of(row))
    return {reason: sorted(names) for reason, names in found.items()}


DB_ON_A = {"a1": make_pod("db", labels=DB)}
CASES = {
    "a pod without terms among pods without terms is skipped": (DB_ON_A, web_pod(), None),
    "affinity admits the domain of the other pod only": (
        DB_ON_A, web_pod(pod_required=(TO_DB,)), {REASON_AFFINITY: ["b1", "none"]}),
    "anti-affinity refuses the domain of the other pod only": (
        DB_ON_A, web_pod(anti_required=(TO_DB,)), {REASON_ANTI_AFFINITY: ["a1", "a2"]}),
    "anti-affinity of a placed pod counts for the pod that it means": (
        {"a1": web_pod("db", DB, anti_required=(TO_WEB,))}, web_pod(), {REASON_EXISTING: ["a1", "a2"]}),
    "the first pod of a group with affinity to itself may go to any labelled node": (
        {}, web_pod(pod_required=(TO_WEB,)), {REASON_AFFINITY: ["none"]}),
    "a pod that does not match its own affinity waits for one that does": (
        {}, web_pod(pod_required=(TO_DB,)), {REASON_AFFINITY: ["a1", "a2", "b1", "none"]}),
    "one pod must match all terms": (
        DB_ON_A, web_pod(pod_required=(TO_DB, msgspec.structs.replace(TO_WEB, topology_key=HOSTNAME))),
        {REASON_AFFINITY: ["a1", "a2", "b1", "none"]}),
    "a term without a selector matches nothing": (
        DB_ON_A, web_pod(anti_required=(TO_NOBODY,)), {}),
    "pods of another namespace do not count": (
        {"a1": make_pod("db", labels=DB, namespace="team-a")}, web_pod(anti_required=(TO_DB,)), {}),
    "unless the term names it": (
        {"a1": make_pod("db", labels=DB, namespace="team-a")},
        web_pod(anti_required=(msgspec.structs.replace(TO_DB, namespaces=("team-a",)),)),
        {REASON_ANTI_AFFINITY: ["a1", "a2"]}),
}  # fmt: skip


@pytest.mark.parametrize(("placed", "pod", "expected"), CASES.values(), ids=CASES.keys())
def test_required_terms(placed, pod, expected):
    assert refusals(cluster_with(**placed), pod) == expected


def test_the_first_pod_rule_ends_once_a_match_is_anywhere():
    cluster = cluster_with(b1=make_pod("w", labels=WEB))
    assert refusals(cluster, web_pod(pod_required=(TO_WEB,))) == {REASON_AFFINITY: ["a1", "a2", "none"]}


def scores(cluster, pod, args):
    plugin = InterPodAffinity(args, FakeHandle(cluster))
    info, rows = cluster.info(pod), cluster.table.order
    result = plugin.pre_score(CycleState(), info, rows)
    if result.status.is_skip:
        return None
    raw = plugin.score(result.state, info, rows)
    normal = normalize(plugin.normalize(result.state, info, rows, raw), raw)
    return {
        cluster.name_of(row): (r, n) for row, r, n in zip(rows.tolist(), raw.tolist(), normal.tolist(), strict=True)
    }


def weighted(weight, term):
    return (WeightedPodAffinityTerm(weight, term),)


SCORES = {
    "a preferred term attracts to the domain of its match": (
        DB_ON_A, web_pod(pod_preferred=weighted(10, TO_DB)), {},
        {"a1": (10, 100), "a2": (10, 100), "b1": (0, 0), "none": (0, 0)}),
    "alike pods that avoid each other count the term from both sides": (
        {"a1": web_pod("w", anti_preferred=weighted(13, TO_WEB))}, web_pod(anti_preferred=weighted(13, TO_WEB)), {},
        {"a1": (-26, 0), "a2": (-26, 0), "b1": (0, 100), "none": (0, 100)}),
    "required affinity of a placed pod counts with the hard weight": (
        {"b1": web_pod("db", DB, pod_required=(TO_WEB,))}, web_pod(), {"hard_pod_affinity_weight": 50},
        {"a1": (0, 0), "a2": (0, 0), "b1": (50, 100), "none": (0, 0)}),
    "no term at all skips": (DB_ON_A, web_pod(), {}, None),
    "a term that matches nobody skips": ({}, web_pod(pod_preferred=weighted(10, TO_DB)), {}, None),
    "preferences of placed pods can be left aside": (
        {"a1": web_pod("w", pod_preferred=weighted(13, TO_WEB))}, web_pod(),
        {"ignore_preferred_terms_of_existing_pods": True}, None),
}  # fmt: skip


@pytest.mark.parametrize(("placed", "pod", "args", "expected"), SCORES.values(), ids=SCORES.keys())
def test_preferred_terms(placed, pod, args, expected):
    assert scores(cluster_with(**placed), pod, InterPodAffinityArgs(**args)) == expected


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
