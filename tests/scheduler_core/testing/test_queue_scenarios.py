"""What the reference kube-scheduler v1.34.1 did with its queue, operation by operation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core.testing.queue_scenarios import QueueScenario, QueueScenarioError, run_queue_scenario

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "conformance" / "queue"
SCENARIOS = sorted(RECORDED.glob("*.json"))
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}]}}


@pytest.mark.skipif(not SCENARIOS, reason="the recorded scenarios are not there")
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_queue_does_what_the_reference_did(path):
    scenario = json.loads(path.read_text(encoding="utf-8"))
    for op, got, expected in zip(scenario["ops"], run_queue_scenario(scenario), scenario["expected"], strict=True):
        assert got == expected, op


def test_a_scenario_of_our_own_shows_clock_lanes_and_flight():
    ops = [{"op": "create", "object": POD}, {"op": "pop"}, {"op": "fail", "pod": "default/a"}, {"op": "pop"}]
    last = run_queue_scenario({"ops": ops})[-1]
    assert last == {
        "op": 3,
        "note": "would block: nothing to pop",
        "state": {
            "t": 0.004,
            "cycle": 1,
            "active": [],
            "backoff": [],
            "errorBackoff": [
                {"pod": "default/a", "attempts": 1, "ts": 0.003, "unschedulableCount": 0, "errorCount": 1, "expires": 1}
            ],
            "unschedulable": [],
            "inFlight": [],
        },
    }


def test_moves_are_kept_with_their_times():
    run = QueueScenario(None)
    run.step(0, {"op": "create", "object": POD})
    run.step(1, {"op": "pop"})
    assert [(move.at, move.target) for move in run.moves] == [(1_000, "active"), (2_000, "in_flight")]


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ({"op": "teleport"}, "operation 0: unknown op 'teleport'"),
        ({"op": "delete", "kind": "Pod", "name": "default/nobody"}, "no Pod default/nobody"),
        ({"op": "create", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {}}}, "object Pod"),
    ],
)
def test_what_cannot_be_run_is_named(op, message):
    with pytest.raises(QueueScenarioError, match=message):
        run_queue_scenario({"ops": [op]})


def test_an_unreadable_configuration_is_named():
    with pytest.raises(QueueScenarioError, match="config"):
        run_queue_scenario({"config": {"kind": "Nonsense"}, "ops": []})
