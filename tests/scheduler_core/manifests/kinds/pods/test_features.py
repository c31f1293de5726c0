"""Which features of a node a pod's manifest needs."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.kinds.pods.features import (
    RESTART_ALL,
    USER_NAMESPACES_ON_HOST_NETWORK,
    features_needed,
)

RULES = {"name": "c", "restartPolicyRules": [{"action": "Restart"}, {"action": "RestartAllContainers"}]}


@pytest.mark.parametrize(
    ("spec", "features"),
    [
        ({}, ()),
        ({"containers": [RULES]}, (RESTART_ALL,)),
        ({"containers": [{"name": "c"}], "initContainers": [RULES]}, (RESTART_ALL,)),
        ({"containers": [{"name": "c", "restartPolicyRules": [{"action": "Restart"}]}]}, ()),
        ({"hostNetwork": True, "hostUsers": False}, (USER_NAMESPACES_ON_HOST_NETWORK,)),
        ({"hostNetwork": True}, ()),
        ({"hostUsers": False}, ()),
        (
            {"containers": [RULES], "hostNetwork": True, "hostUsers": False},
            (RESTART_ALL, USER_NAMESPACES_ON_HOST_NETWORK),
        ),
        ({"containers": [None, 3, {"restartPolicyRules": {"action": "RestartAllContainers"}}]}, ()),
        ("no mapping", ()),
    ],
)
def test_features_follow_from_the_spec(spec, features):
    assert features_needed(spec) == features


def test_two_pods_that_differ_in_nothing_else_are_told_apart():
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}
        for name, container in (("a", {**RULES, "image": "i"}), ("b", {"name": "c", "image": "i"}))
    ]
    assert [pod.features for pod in load_manifests(pods).objects.pods] == [(RESTART_ALL,), ()]
