"""Owners in the table of outcomes: rollouts with their pods, and pods that were never made."""

from __future__ import annotations

import pytest

from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.outcomes.owners.rows import neighbours, owner_links
from dashboard.debugger.outcomes.rows import OpenRolloutRow, OutcomePodRow, OwnerRow
from tests.dashboard.debugger.outcomes.conftest import rows_of, visit

__all__ = ["rows_of", "visit"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def outcomes(admission_run):
    return summary_cache.summary_of(admission_run).outcomes


def owners(rows):
    return [(one.number, one.unit, one.plugin) for one in rows if isinstance(one, OwnerRow)]


def test_a_rollout_is_one_row_with_its_pod_and_refusals_are_not_pending(outcomes, rows_of, visit, admission_run):
    rows = rows_of(outcomes)
    assert owners(rows) == [
        ("0 of 3", "updated", "InterPodAffinity"),
        ("2", "never made", "ResourceQuota"),
        ("1", "never made", "LimitRange"),
    ]
    assert outcomes.counts["pending"] == 1
    (quota,) = [one.meter for one in rows if isinstance(one, OwnerRow) and one.meter]
    assert (quota.resource, quota.text) == ("pods", "6 of 6")
    cells = {cell.kind: cell.pods for cell in visit(admission_run).context["cells"]}
    assert [cells[kind] for kind in ("pending", "never-made", "stuck")] == [1, 3, 1]
    assert list(cells)[1:4] == ["pending", "never-made", "stuck"]


def test_filters_show_the_pod_of_a_rollout_and_owners_alone(outcomes, rows_of):
    pending = rows_of(outcomes, outcome="pending", by="owner", open=tuple(_ids(rows_of(outcomes, outcome="pending"))))
    assert not owners(pending)
    assert len(owners(rows_of(outcomes, outcome="never-made"))) == 2
    assert len(owners(rows_of(outcomes, outcome="stuck"))) == 1
    assert len(owners(rows_of(outcomes, q="compute"))) == 1
    assert not any(isinstance(one, OutcomePodRow) for one in rows_of(outcomes, outcome="stuck"))


def _ids(rows):
    return [one.id for one in rows if hasattr(one, "toggle")]


def test_an_opened_rollout_has_both_revisions(outcomes, rows_of):
    (rollout,) = [one for one in rows_of(outcomes, outcome="stuck") if isinstance(one, OwnerRow)]
    rows = rows_of(outcomes, open=(rollout.id,))
    (opened,) = [one for one in rows if isinstance(one, OpenRolloutRow)]
    assert len(opened.rollout.revisions) == 2
    assert "owner-moves" in opened.remedies


def test_owners_are_walked_in_the_order_of_the_outcomes(outcomes):
    links = owner_links(outcomes, "team", 1)
    assert [one.key for one in links] == ["shop/cart", "shop/db", "team/web", "lab/report-0"]
    before, after = neighbours(links, "shop/cart")
    assert (before, after) == ("", links[1].url)
    assert neighbours(links, "shop/api") == ("", "")


def test_a_run_without_quotas_and_rollouts_has_no_such_cell(visit, plain_run):
    kinds = [cell.kind for cell in visit(plain_run).context["cells"]]
    assert "never-made" not in kinds
    assert "stuck" not in kinds
