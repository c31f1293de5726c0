"""Priority classes: which one a pod has, and defaults (plugin/pkg/admission/priority)."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text
from tests.scheduler_core.manifests.manifest_helpers import load, objects, pod_text

CLASSES = """\
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100, preemptionPolicy: Never}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, globalDefault: true}
---
"""


@pytest.mark.parametrize(
    ("spec", "priority", "policy"),
    [
        ("priorityClassName: high", 100, "Never"),
        ("restartPolicy: Always", 7, "PreemptLowerPriority"),
        ("priorityClassName: system-node-critical", 2_000_001_000, "PreemptLowerPriority"),
        ("priorityClassName: system-cluster-critical", 2_000_000_000, "PreemptLowerPriority"),
        ("{priority: 55}".strip("{}"), 55, "PreemptLowerPriority"),
    ],
)
def test_priority_admission(spec, priority, policy):
    (pod,) = objects(CLASSES + pod_text(spec)).pods
    assert (pod.priority, pod.preemption_policy) == (priority, policy)


def test_a_class_counts_wherever_it_stands_in_the_files():
    (pod,) = objects(pod_text("priorityClassName: high"), CLASSES.removesuffix("---\n")).pods
    assert pod.priority == 100


def test_a_class_without_a_value_is_0_and_it_is_said():
    text = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: none}, globalDefault: true}\n---\n"
    result = load(text + pod_text("priorityClassName: none"))
    assert [(f.severity, f.field) for f in result.findings] == [("warning", "value")]
    assert (result.objects.priority_classes[0].value, result.objects.pods[0].priority) == (0, 0)


def test_of_two_global_defaults_the_lowest_counts_and_it_is_said():
    other = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: z}, value: 3, "
    other += "globalDefault: true}\n---\n"
    result = load(CLASSES + other + pod_text("restartPolicy: Never"))
    assert [f.field for f in result.warnings] == ["globalDefault"]
    assert result.objects.pods[0].priority == 3


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("Namespace"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


def test_labels_are_read_for_selectors_of_namespaces():
    namespaces = objects("{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: x}}}").namespaces
    assert {namespace.name: namespace.labels.get("team") for namespace in namespaces}["a"] == "x"
