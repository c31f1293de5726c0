"""Pods that mean each other, and clusters with such pods."""

from __future__ import annotations

from scheduler_core.api.objects import Affinity
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import ZONE

WEB, DB = {"app": "web"}, {"app": "db"}


def web_pod(name="p", labels=WEB, **affinity):
    return make_pod(name, labels=labels, affinity=Affinity(**affinity))


def cluster_with(**placed):
    zones = {"a1": "a", "a2": "a", "b1": "b", "none": None}
    nodes = [make_node(name, labels={ZONE: zone} if zone else {}) for name, zone in zones.items()]
    return make_cluster(nodes, {name: [pod] for name, pod in placed.items()})
