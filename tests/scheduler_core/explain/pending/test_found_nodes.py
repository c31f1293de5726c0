"""Nominated pods count as if they were placed."""

from __future__ import annotations

from scheduler_core.explain.pending.following import allocatable_by_row, nominated_rivals
from scheduler_core.recording import events as ev
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run
from tests.scheduler_core.explain.pending.summed_nodes import found_nodes, objects_at


def test_nominated_pods_that_count_take_of_what_is_free() -> None:
    node, low = make_node("n", cpu="4"), make_pod("low", cpu="3", node_name="n")
    high, mid, top = (make_pod(name, cpu="3", priority=p) for name, p in (("high", 100), ("mid", 10), ("top", 1000)))
    reader, history = run([node], [low, high, mid], "mid")
    first = next(
        seq for seq, e in reader.events(0, reader.head_seq()) if isinstance(e, ev.CycleStarted) and e.cycle == 2
    )
    state, objects = reader.state_at(first), objects_at(reader, history.inputs, first)
    assert nominated_rivals(state, objects.pods, mid) == [("default/high", "n")]
    assert nominated_rivals(state, objects.pods, top) == [], "it would be put before them"
    amounts = found_nodes(state, objects, objects.nodes, objects.pods, mid).amounts
    assert amounts is not None
    whole, used = amounts("cpu")
    assert (whole.tolist(), used.tolist()) == ([4000], [6000])


def test_a_row_without_a_node_has_nothing_to_give() -> None:
    assert allocatable_by_row([make_node("n", cpu="4"), None], "cpu").tolist() == [4000, 0]
