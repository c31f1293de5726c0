"""Services and what they select."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text
from tests.scheduler_core.manifests.manifest_helpers import objects


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("Service"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


def test_the_selector_of_a_service_is_read():
    text = "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: n}, spec: {selector: {app: x}}}"
    (service,) = objects(text).workload_selectors
    assert (service.kind, service.name, service.namespace) == ("Service", "a", "n")
    assert service.selector.matches({"app": "x"})
    assert not service.selector.matches({"app": "y"})
