"""The buttons that jump."""

from __future__ import annotations

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of


def test_pairs_lead_to_whole_cycles_and_say_where(run, cycle_of):
    failed = cycle_of("never-0")
    pairs = {pair.onward.key: pair for pair in page_of(run, cycle=1).jumps}
    assert list(pairs) == ["attempt-next", "node-next", "failure-next", "preemption-next"]
    first = Cycle.objects.filter(run_id=run.pk, number__gt=1, outcome="unschedulable").order_by("number").first()
    assert first.number <= failed.number
    assert f"cycle={first.number}" in pairs["failure-next"].onward.url
    assert pairs["node-next"].onward.url == ""


def test_jumps_along_attempts_keep_a_pod_that_was_selected(run, cycle_of):
    row = cycle_of("big-0")
    chosen = page_of(run, cycle=row.number, pod=row.pod).jumps
    assert "pod=default%2Fbig-0" in chosen[0].onward.url
    assert "pod=" not in page_of(run, cycle=row.number).jumps[0].onward.url
    assert "pod=" not in chosen[2].onward.url


def test_words(run):
    pairs = {pair.onward.key: pair for pair in page_of(run, cycle=1).jumps}
    sentences = (pairs["failure-next"].onward.label, pairs["node-next"].mark.title)
    assert sentences == ("Next cycle without a node", "Decisions for a node: select one")
