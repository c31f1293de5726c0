"""Rollouts over time, quotas and owners that lack pods, beside the table of outcomes."""

from __future__ import annotations

import pytest

from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.outcomes.side import Side

pytestmark = pytest.mark.django_db


@pytest.fixture
def side(admission_run):
    return Side(summary_cache.summary_of(admission_run).outcomes, OutcomesView("team", 1)).owners


def test_each_rollout_has_a_bar_and_a_deadline_where_it_passed(side):
    bars = {bar.name: bar for bar in side.rollouts}
    assert [look for look, _ in bars["cart"].bars] == ["wait", "unsched"]
    assert [look for look, _ in bars["db"].bars] == ["bound", "none"]
    assert [look for look, _ in bars["api"].bars] == ["bound"]
    assert {name for name, bar in bars.items() if bar.late} == {"front", "cart"}
    assert {name for name, bar in bars.items() if bar.url} == {"db", "cart"}
    assert side.n_rollouts == 4


def test_quotas_have_what_they_refuse_once_and_owners_what_they_lack(side):
    assert [(one.resource, one.used, one.hard, one.refused) for one in side.quotas] == [
        ("pods", "6", "6", 2),
        ("requests.cpu", "3", "8", 0),
    ]
    assert [(one.owner, one.desired, one.made, one.bound) for one in side.lacking] == [
        ("team/web", 8, 6, 6),
        ("lab/report-0", 1, 0, 0),
    ]
    assert side.more_lacking == ""
