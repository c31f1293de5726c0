"""What differs between two runs, against a recount of how their pods ended."""

from __future__ import annotations

from collections import Counter

import pytest

from dashboard.review.findings.asked import AnswerClock
from dashboard.review.findings.comparison import BOTH, between
from dashboard.review.findings.groups import GROUP_LIMIT
from dashboard.review.findings.pods import GROUPS_OF_PODS
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import cluster_of, node

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def nodes_of(run):
    """Return {pod: the node of its last cycle, "" for none}, counted from the run's rows."""
    return {row.pod: row.node for row in Cycle.objects.filter(run_id=run.pk).order_by("number")}


def kind_of(before, after):
    if not before:
        return "Newly placed"
    return "Moved to another node" if after else "Newly without a node"


@pytest.mark.parametrize("other", [[node("spare", "128")], []], ids=["a node more", "another seed"])
def test_pods_are_those_of_a_recount(execute, other):
    a = execute(cluster_of(2, 40), schedule="pending")
    b = execute([*cluster_of(2, 40), *other], "other", schedule="pending", seed=7)
    there = between(a, b, "team", AnswerClock("test"))
    assert not there.is_waiting
    before, after = nodes_of(a), nodes_of(b)
    expected = Counter(kind_of(before[pod], after[pod]) for pod in before if before[pod] != after[pod])
    titles = {title for title, *_ in GROUPS_OF_PODS.values()} - {"Waited for another time"}
    groups = {group.title: group for group in there.groups if group.title in titles}
    assert {title: group.total for title, group in groups.items()} == dict(expected)
    assert expected, "the two differ"
    for title, group in groups.items():
        assert len(group.findings) == min(GROUP_LIMIT, group.total)
        for one in group.findings:
            pod = f"default/{one.what}"
            assert kind_of(before[pod], after[pod]) == title
            assert one.more.startswith(f"{before[pod] or 'pending'} → {after[pod] or 'pending'}")
            assert one.panels[0].part == BOTH
            runs = {a.pk: a, b.pk: b}
            for run, cycle in one.cycles:
                assert Cycle.objects.get(run_id=runs[run].pk, number=cycle).pod == pod


def test_the_first_divergence_names_its_cause_and_both_cursors(two_runs):
    a, b = two_runs
    there = between(a, b, "team", AnswerClock("test"))
    assert there.groups[0].title == "First divergence"
    (first,) = there.groups[0].findings
    assert first.short.endswith("cause: cluster")
    assert first.more.startswith("A: ")
    assert first.more.endswith(first.short)
    assert first.url.startswith(f"/w/team/compare/?a={a.number}&b={b.number}")


def test_runs_that_are_the_same_have_no_findings(execute):
    a, b = (execute(cluster_of(2, 5), slug) for slug in ("one", "two"))
    there = between(a, b, "team", AnswerClock("test"))
    assert (there.groups, there.note) == ([], "")
