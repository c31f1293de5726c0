"""Every tab of a cycle that ended with an error behind its filters, as PreScore or Score do, can be opened."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cursor import TABS
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import node, pod

TERM = {"matchExpressions": [{"key": "g", "operator": "Gt", "values": ["-1"]}]}
UNPARSABLE = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": TERM}]}}


@pytest.fixture
def failed(execute):
    """The first cycle of a pod whose preferences cannot be parsed, which PreScore notices."""
    run = execute([node("a"), node("b"), pod("bad", "1", affinity=UNPARSABLE), pod("good", "1")], schedule="pending")
    return run, Cycle.objects.filter(run_id=run.pk, pod="default/bad").order_by("number").first()


@pytest.mark.parametrize("tab", TABS)
def test_a_cycle_that_failed_behind_its_filters_can_be_opened(tab, failed, look):
    run, cycle = failed
    assert cycle.outcome == "error"
    assert look(run, cycle=cycle.number, tab=tab).status_code == 200


@pytest.mark.parametrize("tab", ["why", "story"])
def test_it_says_what_the_error_was(tab, failed, look):
    run, cycle = failed
    assert "running PreScore plugin" in look(run, cycle=cycle.number, tab=tab).content.decode()
