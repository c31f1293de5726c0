"""Kinds that are read, counted or unknown."""

from __future__ import annotations

from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only


def test_custom_kinds_are_one_warning_and_counted():
    documents = "---\n".join(
        f"{{apiVersion: example.io/v1, kind: Widget, metadata: {{name: w{i}}}}}\n" for i in range(50)
    )
    result = load(documents)
    assert result.passed_over == {"Widget": 50}
    assert (only(result).severity, result.manifests) == ("warning", [])


def test_kinds_without_effect_are_counted_silently():
    result = load(NODE + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}")
    assert (result.findings, result.passed_over) == ([], {"ConfigMap": 1})


def test_a_kind_of_another_project_is_no_error():
    result = load("{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}")
    assert result.ok
    assert result.passed_over == {"Service": 1}
