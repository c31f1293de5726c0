"""Pods that are read while they are masked are those of the loader, whatever priority classes the input has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster, masked_source
from scheduler_core.manifests.masking.json_lists import EarlyPods

BUILT_IN = "system-node-critical"


def pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "c:1", "env": [{"name": "A", "value": "hunter2"}]}]
    metadata = {"name": f"p-{len(spec)}", "labels": {"app": "web"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def priority_class(name: str, value: int, **fields: Any) -> dict[str, Any]:
    typed = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**typed, "metadata": {"name": name}, "value": value, **fields}


def masked_then_loaded(*items: dict[str, Any]) -> tuple[LoadResult, LoadResult]:
    """What is loaded of a list that was parsed for masking, and of its text."""
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
    masked = masked_source(ManifestSource("f", data))
    assert masked.parsed is not None
    return load_cluster([masked.parsed]), load_cluster([masked.source])


@pytest.mark.parametrize(
    ("classes", "priority"),
    [
        ([], 0),
        ([priority_class("high", 7)], 0),
        ([priority_class("high", 7, globalDefault=True)], 7),
        ([priority_class("low", -3, globalDefault=True, preemptionPolicy="Never")], -3),
    ],
)
def test_a_pod_without_a_class_gets_the_priority_of_the_global_default(classes: list[Any], priority: int) -> None:
    early, late = masked_then_loaded(pod(), *classes)
    assert early.objects == late.objects
    assert [one.priority for one in early.objects.pods] == [priority]


@pytest.mark.parametrize(
    ("name", "classes", "priority"),
    [
        ("high", [priority_class("high", 7)], 7),
        ("high", [], 0),
        (BUILT_IN, [], 2_000_001_000),
        (BUILT_IN, [priority_class(BUILT_IN, 2_000_001_000, description="another")], 2_000_001_000),
    ],
)
def test_a_pod_of_a_class_gets_the_priority_of_the_input_s_class(name: str, classes: list[Any], priority: int) -> None:
    early, late = masked_then_loaded(pod(priorityClassName=name), *classes)
    assert early.objects == late.objects
    assert [one.text() for one in early.findings] == [one.text() for one in late.findings]
    assert [one.priority for one in early.objects.pods] == [priority]


def test_a_pod_that_has_something_to_complain_about_is_left_to_the_loader() -> None:
    assert EarlyPods().read(pod()) is not None
    assert EarlyPods().read(pod(nodeNamee="n")) is None
    early, late = masked_then_loaded(pod(nodeNamee="n"))
    assert [one.text() for one in early.findings] == [one.text() for one in late.findings]
    assert "mean nodeName?" in early.findings[0].message
