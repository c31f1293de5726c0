"""A rollout as a panel: cells of its pods, and what its strategy allows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dashboard.debugger.panels.rollout import MOST_CELLS, rollout_panel, rollout_title
from scheduler_core.explain.rollouts.model import RevisionPods, RolloutState

STATE = RolloutState(
    key="Deployment/shop/web",
    title="Deployment shop/web",
    strategy="RollingUpdate",
    replicas=4,
    waits_for="pending",
    max_surge=1,
    max_unavailable=0,
    most=5,
    least=4,
    revisions=(
        RevisionPods(name="web-1", is_new=False, desired=4, made=4, bound=4, ready=4, available=4),
        RevisionPods(name="web-2", is_new=True, desired=3, made=2, bound=1, ready=0, available=0, terminating=1),
    ),
    pending=("shop/web-2-a",),
)


def test_each_pod_is_a_cell_and_many_are_a_number():
    older, new = rollout_panel(STATE).revisions
    assert older.cells == ("ready",) * 4
    assert new.cells == ("bound", "pending", "unmade")
    many = replace(STATE.revisions[0], desired=MOST_CELLS + 1, made=MOST_CELLS + 1, bound=0, available=0)
    assert rollout_panel(replace(STATE, revisions=(many, STATE.revisions[1]))).revisions[0].cells == ()


@pytest.mark.parametrize("waits_for", ["refused", "pending", "not ready", "terminating", "strategy"])
def test_what_holds_it_up_is_said_and_what_waits_on_purpose_is_not_stuck(waits_for):
    stuck = rollout_title(replace(STATE, waits_for=waits_for))
    assert stuck.startswith("Rollout of shop/web is stuck: ")
    assert "stuck" not in rollout_title(replace(STATE, waits_for="paused"))
    assert rollout_panel(replace(STATE, most=None, least=None)).allowed == ""
