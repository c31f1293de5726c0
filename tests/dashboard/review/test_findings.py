"""What a review is offered to look at."""

from __future__ import annotations

from dashboard.review.findings import findings
from dashboard.runs.models import Preemption, RunHead
from tests.dashboard.review.conftest import cycle_row, make_run


def test_findings_are_preemptions_then_failures(workspace):
    run = make_run(workspace, cycles=0)
    cycle_row(run, 1, outcome="unschedulable", preempting=True)
    cycle_row(run, 2, outcome="unschedulable", pod="default/lonely")
    cycle_row(run, 4, outcome="error", pod="default/broken")
    Preemption.objects.create(
        run=run, seq=5, cycle=1, at_us=1, pod="default/db", eligible=True, node="node-1", criterion="", message="",
        candidates=2, victims=2, violations=0,
    )  # fmt: skip
    listed = findings(run, "team")
    assert [(one.meaning, one.what, one.cycle) for one in listed] == [
        ("victim", "db preempted 2 pods", 1),
        ("error", "broken ended in an error", 4),
        ("unsched", "lonely found no node", 2),
    ]
    assert listed[0].url == "/w/team/runs/1/?cycle=1"
    assert RunHead.objects.get(run=run).cycle == 0
