"""Namespaces: their names and labels."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text
from tests.scheduler_core.manifests.manifest_helpers import objects


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("Namespace"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


def test_labels_are_read_for_selectors_of_namespaces():
    namespaces = objects("{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: x}}}").namespaces
    assert {namespace.name: namespace.labels.get("team") for namespace in namespaces}["a"] == "x"
