"""Preferred terms of pods."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import PodAffinityTerm, WeightedPodAffinityTerm
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.testing.builders import make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import ZONE, app_is
from tests.scheduler_core.plugins.inter_pod_affinity.web_pods import DB, cluster_with, web_pod

TO_DB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("db"))
TO_WEB = PodAffinityTerm(topology_key=ZONE, label_selector=app_is("web"))
DB_ON_A = {"a1": make_pod("db", labels=DB)}


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
