"""The command that brings a cluster names every kind that is read."""

from __future__ import annotations

import json

from scheduler_core.manifests import DUMP_COMMAND, ManifestSource, load_cluster
from scheduler_core.manifests.cluster_dump.kubectl import DEVICES, DEVICES_COMMAND, RESOURCES, SEPARATE
from scheduler_core.manifests.kinds.registry import KINDS, WITHOUT_EFFECT
from scheduler_core.manifests.kinds.unplayed import UNPLAYED


def test_every_kind_that_is_read_is_in_the_command() -> None:
    assert set(KINDS) - set(SEPARATE) - set(DEVICES) <= set(RESOURCES)
    assert all(name in DUMP_COMMAND for name in RESOURCES.values())
    assert all(name in DEVICES_COMMAND for name in DEVICES.values())
    assert {KINDS[kind].group for kind in DEVICES} == {"resource.k8s.io"}


def test_nothing_is_brought_in_vain() -> None:
    assert set(RESOURCES) - set(KINDS) - {kind.partition(".")[0] for kind in UNPLAYED} == {"Event"}
    assert "Event" in WITHOUT_EFFECT


def test_what_it_writes_is_read_and_other_events_are_passed_over() -> None:
    items = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1"}}},
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "p.1", "namespace": "a"},
            "reason": "FailedScheduling",
        },
        {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "p.2", "namespace": "a"}},
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items})
    loaded = load_cluster([ManifestSource("cluster.json", text.encode())])
    assert loaded.findings == []
    assert (loaded.passed_over, [event["metadata"]["name"] for event in loaded.events]) == ({"Event": 1}, ["p.1"])
    assert [node.name for node in loaded.objects.nodes] == ["n"]


def test_an_old_budget_is_told_what_an_empty_selector_does() -> None:
    """filterPodsWithPDBViolation of kube-scheduler passes empty selectors over, whatever the version means by them."""
    text = json.dumps(
        {
            "apiVersion": "policy/v1beta1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b"},
            "spec": {"minAvailable": 1, "selector": {}},
        }
    )
    (finding,) = load_cluster([ManifestSource("budget.json", text.encode())]).findings
    assert "empty selector" in finding.message
    assert finding.severity == "warning"
