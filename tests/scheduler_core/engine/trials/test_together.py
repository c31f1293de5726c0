"""Several pods tried one after the other, and the state as it was behind them."""

from __future__ import annotations

from scheduler_core.engine.trials.changes import UNCHANGED, Changes
from scheduler_core.engine.trials.together import placed_together
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import trials_of
from tests.scheduler_core.explain.ganged import gang_trials, ring, three_nodes


def test_each_pod_finds_the_ones_before_it_on_their_nodes() -> None:
    pods = [make_pod(f"p{i}", cpu="3") for i in range(3)]
    trials = trials_of([make_node("a", cpu="4"), make_node("b", cpu="4")], pods)
    nodes_of = placed_together(trials, pods, UNCHANGED)
    assert list(nodes_of) == ["default/p0", "default/p1"]
    assert set(nodes_of.values()) == {"a", "b"}


def test_the_state_is_as_it_was_behind_them() -> None:
    pods = [make_pod(f"p{i}", cpu="3") for i in range(2)]
    trials = trials_of([make_node("a", cpu="4"), make_node("b", cpu="4")], [make_pod("x", node_name="a"), *pods])
    cluster = trials.simulation.context.cluster
    before, placed = trials.attempt("default/p0").events, dict(cluster.placements)
    first = placed_together(trials, pods, UNCHANGED)
    assert placed_together(trials, pods, UNCHANGED) == first
    assert dict(cluster.placements) == placed
    assert trials.attempt("default/p0").events == before


def test_changes_hold_for_all_of_them() -> None:
    pods = [make_pod(f"p{i}", cpu="3") for i in range(2)]
    trials = trials_of([make_node("a", cpu="4")], [make_pod("x", cpu="2", node_name="a"), *pods])
    assert placed_together(trials, pods, UNCHANGED) == {}
    assert placed_together(trials, pods, Changes(gone=("default/x",))) == {"default/p0": "a"}
    more = Changes(gone=("default/x",), nodes=(make_node("b", cpu="4"),))
    assert set(placed_together(trials, pods, more).values()) == {"a", "b"}


def test_the_pods_are_taken_as_they_are_given() -> None:
    pods = [make_pod(f"p{i}", cpu="3") for i in range(2)]
    trials = trials_of([make_node("a", cpu="4")], pods)
    small = [make_pod(f"p{i}", cpu="2") for i in range(2)]
    assert len(placed_together(trials, small, UNCHANGED)) == 2


def test_of_no_pods_nothing_is_asked() -> None:
    assert placed_together(trials_of([make_node("a")], []), [], UNCHANGED) == {}


def test_a_gang_that_was_turned_away_a_moment_ago_is_tried_as_if_that_were_over() -> None:
    trials = gang_trials(three_nodes(), ring(9), least=9)
    plugin = trials.simulation.frameworks["default-scheduler"].plugins["Coscheduling"]
    plugin.backoff_until["default/ring"] = trials.now + 3_000_000  # type: ignore[attr-defined]
    pods = [trials.pod(one.key) for one in ring(9)]
    assert not trials.attempt("default/p").is_scheduled
    assert len(placed_together(trials, pods, UNCHANGED)) == 9
