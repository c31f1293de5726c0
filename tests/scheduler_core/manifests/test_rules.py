"""The API server's validation of nodes, priority classes and workloads, rule by rule."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import judge, object_text
from tests.scheduler_core.manifests.object_rules import NODES, POLICIES, WORKLOADS

CASES = [*NODES, *(case for case in POLICIES if case[1] == "PriorityClass"), *WORKLOADS]


@pytest.mark.parametrize(("source", "kind", "fields", "field"), CASES)
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)
