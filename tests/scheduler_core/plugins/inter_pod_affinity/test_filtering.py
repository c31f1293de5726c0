"""Required terms of pods."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import PodAffinityTerm
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.filtering import REASON_AFFINITY, REASON_ANTI_AFFINITY, REASON_EXISTING
from scheduler_core.testing.builders import make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import HOSTNAME, ZONE, app_is
from tests.scheduler_core.plugins.inter_pod_affinity.web_pods import DB, WEB, cluster_with, web_pod

TO_DB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("db"))
TO_WEB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("web"))
TO_NOBODY = PodAffinityTerm(topology_key=ZONE)


def refusals(cluster, pod):
    """Names of refused nodes by reason, None when PreFilter skips."""
    plugin = InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster))
    info = cluster.info(pod)
    result = plugin.pre_filter(CycleState(), info)
    if result.status.is_skip:
        return None
    refused = {}
    for row in cluster.table.order.tolist():
        status = plugin.filter_node(result.state, info, cluster.view(row))
        if not status.is_success:
            refused.setdefault(status.message, []).append(cluster.name_of(row))
    return {reason: sorted(names) for reason, names in refused.items()}


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
