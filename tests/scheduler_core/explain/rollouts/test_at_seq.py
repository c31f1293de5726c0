"""Rollouts at a cursor: under way, stuck, waiting for a controller's next try; none once they have come to an end."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.explain.rollouts.at_seq import rollout_of, rollouts_at
from scheduler_core.explain.rollouts.model import RolloutAnswer
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.recording import events as ev
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.consequences.rollout_runs import inputs_of, node, rolling, workload

SECOND = 1_000_000


def trials(entries: list[dict[str, Any]], others: tuple[dict[str, Any], ...] = (), **spec: Any) -> TrialsOf:
    """A run of Deployment web in which its image changes at 10 s; ``entries`` come besides."""
    change = {"at": "10s", "action": "update", "object": workload(image="app:2", **spec)}
    inputs = inputs_of([node("n1"), *others, workload(**spec)], [change, *entries], quotas="play")
    return TrialsOf(recorded(inputs), inputs)


def quota(pods: int) -> dict[str, Any]:
    spec = {"hard": {"pods": str(pods)}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": spec}


def at(given: TrialsOf, seconds: float) -> RolloutAnswer | None:
    """The rollout after the last event until then."""
    reader = given.reader
    seqs = [seq for seq, event in reader.events(0, reader.head_seq()) if event.at <= seconds * SECOND]
    return rollout_of(given, "default/web", seqs[-1] + 1)


def test_a_raised_quota_does_not_wake_the_controller_and_the_answer_says_when_it_tries_again() -> None:
    raised = {"at": "40s", "action": "update", "object": quota(3)}
    given = trials([raised], (quota(2),), replicas=2, strategy=rolling(1, 0))
    before, waiting = at(given, 39), at(given, 40)
    assert before is not None
    assert waiting is not None
    assert (before.state.waits_for, before.is_admitted) == ("refused", False)
    assert (waiting.state.waits_for, waiting.is_admitted, waiting.is_stuck) == ("refused", True, False)
    assert waiting.next_try is not None
    assert waiting.next_try > 40 * SECOND
    assert waiting.tries == len(list(given.reader.select_events(0, waiting.seq, ev.CreationRefused)))
    assert waiting.cause is None, "it goes on by itself"
    assert rollouts_at(given, given.reader.head_seq()) == []


def test_what_is_under_way_is_not_stuck_and_what_is_over_is_no_rollout() -> None:
    given = trials([], replicas=2, strategy={"type": "Recreate"})
    ending = at(given, 10)
    assert ending is not None
    assert (ending.state.waits_for, ending.is_stuck, ending.cause) == ("terminating", False, None)
    assert sum(one.terminating for one in ending.state.revisions) == 2
    assert at(given, 9) is None
    assert rollouts_at(given, given.reader.head_seq()) == []


@pytest.mark.parametrize("deadline", [5, 600])
def test_a_deadline_that_has_passed_makes_a_rollout_stuck_before_the_run_ends(deadline: int) -> None:
    spec = {"replicas": 1, "strategy": rolling(1, 0), "progressDeadlineSeconds": deadline}
    late = {"at": "100s", "action": "update", "object": quota(1)}
    given = trials([late], (quota(1),), **spec)
    answer = at(given, 99)
    assert answer is not None
    assert (answer.state.is_too_late, answer.is_stuck) == (deadline == 5, deadline == 5)
    assert (answer.cause is not None) == answer.is_stuck
