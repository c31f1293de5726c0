"""Objects in files: kinds, versions, names and lists that are refused, with advice."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only

OBJECT_ERRORS = [
    ("{apiVersion: apps/v1, kind: Node, metadata: {name: n}}", "apiVersion", "Write v1"),
    ("{apiVersion: v1, kind: Deployment, metadata: {name: d}}", "apiVersion", "Write apps/v1"),
    ("{apiVersion: v1, kind: pod, metadata: {name: d}}", "kind", "Write Pod"),
    ("{apiVersion: v1, metadata: {name: d}}", "kind", "is missing"),
    ("{apiVersion: v1, kind: List, items: {a: 1}}", "items", "is no list"),
    ("{apiVersion: v1, kind: Namespace, metadata: node-a}", "metadata", "no mapping"),
    ("{apiVersion: v1, kind: Namespace, metadata: {}}", "metadata.name", "is missing"),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: Web_0}}", "metadata.name", "lower case"),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: ../../etc}}", "metadata.name", "no valid name"),
    (
        "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: ../x}}",
        "metadata.namespace",
        "no valid namespace",
    ),
    ("{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {t: <b>}}}", "metadata.labels.t", "no valid label"),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 0.5}}",
        "spec.minAvailable",
        "Write 2 or 50%",
    ),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: -1}}",
        "spec.maxUnavailable",
        "Write 2 or 50%",
    ),
    (
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, "
        "maxUnavailable: 1}}",
        "spec.maxUnavailable",
        "exclude each other",
    ),
    (
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-x}, value: 1}",
        "metadata.name",
        "reserved",
    ),
    (
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: x}, value: 2000000000}",
        "value",
        "1000000000",
    ),
    ("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}", "spec.containers", "at least one"),
    ("{apiVersion: v1, kind: Pod, metadata: {name: p}}", "spec.containers", "at least one"),
    ("{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}", "kind", "configuration"),
]


@pytest.mark.parametrize(("text", "field", "advice"), OBJECT_ERRORS)
def test_a_wrong_object_names_field_and_advice(text, field, advice):
    finding = only(load(NODE + "---\n" + text))
    assert (finding.severity, finding.line, finding.field) == ("error", 6, field)
    assert advice in finding.message
