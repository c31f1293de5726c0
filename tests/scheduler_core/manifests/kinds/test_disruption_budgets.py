"""Budgets of disruptions."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text
from tests.scheduler_core.manifests.manifest_helpers import objects


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("PodDisruptionBudget"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


def test_a_budget_is_read_as_it_is_written():
    (budget,) = objects("""\
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: b}
        spec: {minAvailable: 50%, selector: {matchLabels: {app: a}}}
        """).pod_disruption_budgets
    assert (budget.min_available, budget.max_unavailable, budget.disruptions_allowed) == ("50%", None, None)
    assert budget.selector.matches({"app": "a"})
    assert not budget.selector.matches({"app": "b"})
