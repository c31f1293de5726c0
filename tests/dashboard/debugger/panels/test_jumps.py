"""The buttons that jump."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("failure-next", ("Next cycle without a node", "")),
        ("node-next", ("", "Decisions for a node: select one")),
    ],
)
def test_words(run, key, words):
    pair = next(one for one in page_of(run, cycle=1).jumps if one.onward.key == key)
    label, title = words
    assert label in pair.onward.label
    assert title in pair.mark.title
