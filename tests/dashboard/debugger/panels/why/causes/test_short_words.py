"""Obstacles in two short words."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.causes.short_words import HEADS, head_of, value_of
from scheduler_core.framework.contracts.obstacles import KINDS
from tests.dashboard.debugger.panels.why.causes.diagnoses import obstacle


@pytest.mark.parametrize(
    ("refusing", "value"),
    [
        (obstacle("SHORT_CPU", "cpu"), "cpu"),
        (obstacle("SHORT_RESOURCE", "nvidia.com/gpu"), "gpu"),
        (obstacle("TAINT_UNTOLERATED", "node-role.kubernetes.io/control-plane:NoSchedule"), "control-plane"),
        (obstacle("SELECTOR_NO_MATCH", "spec.nodeSelector", {"kubernetes.io/arch": "arm64"}), "arch=arm64"),
        (obstacle("SPREAD_SKEW", "spec", {"topologyKey": "topology.kubernetes.io/zone"}), "zone"),
        (obstacle("AFFINITY_NO_POD", "spec", {"labelSelector": "app=db", "topologyKey": "zone"}), "app=db"),
        (obstacle("VOLUME_TOPOLOGY", "shop/data-0"), "data-0"),
        (obstacle("CORDONED", "spec.unschedulable"), ""),
    ],
)
def test_the_value_is_what_tells_it_apart(refusing, value):
    assert value_of(refusing) == value


def test_heads_are_of_published_codes_and_an_unknown_code_says_itself():
    assert set(HEADS) <= set(KINDS)
    assert head_of("QUIET_TOO_MANY") == "quiet too many"
