"""Nodes in zones, and pods that are spread over them."""

from __future__ import annotations

from scheduler_core.api.objects import TopologySpreadConstraint
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.plugins.generated import ZONE, app_is

WEB = {"app": "web"}


def spread_by(key=ZONE, action="DoNotSchedule", selector=None, **fields):
    return TopologySpreadConstraint(
        topology_key=key, when_unsatisfiable=action, label_selector=selector or app_is("web"), **fields
    )


def zoned_nodes():
    zones = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "none": None}
    return [make_node(name, labels={ZONE: zone} if zone else {}) for name, zone in zones.items()]


def web_pods(*names, **fields):
    return [make_pod(name, labels=WEB, **fields) for name in names]
