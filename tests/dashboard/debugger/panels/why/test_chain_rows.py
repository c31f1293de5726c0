"""Preemptors with their victims below them, and what these had preempted below that."""

from __future__ import annotations

from dashboard.debugger.panels.why.chain_rows import SHOWN, chain_list
from scheduler_core.explain.pending.model import PodNode, Preempted, PreemptionGraph


def graph_of(*edges):
    names = sorted({name for preemptor, victim, _ in edges for name in (preemptor, victim)})
    victims = {victim for _, victim, _ in edges}
    return PreemptionGraph(
        tuple(PodNode(name, name in victims, len(name)) for name in names),
        tuple(Preempted(preemptor, victim, "n", seq // 10, seq) for preemptor, victim, seq in edges),
    )


def drawn(pods, depth=0):
    """Return (depth, pod, cycle) of every row in order."""
    rows = []
    for pod in pods:
        rows.append((depth, pod.key, pod.by.cycle if pod.by else None))
        rows += drawn(pod.victims, depth + 1)
    return rows


def test_the_victims_of_a_victim_stand_below_it_and_the_chain_of_the_pod_comes_first():
    graph = graph_of(("d/mid", "d/low", 20), ("d/other", "d/x", 30), ("d/high", "d/mid", 50), ("d/high", "d/side", 50))
    chain = chain_list(graph, "d/low", "", 100)
    assert drawn(chain.pods) == [
        (0, "d/high", None),
        (1, "d/mid", 5),
        (2, "d/low", 2),
        (1, "d/side", 5),
        (0, "d/other", None),
        (1, "d/x", 3),
    ]
    assert (chain.count, chain.more, chain.cycles) == (4, 0, 3)


def test_a_preemption_behind_the_cursor_is_marked_and_a_later_pod_of_the_name_is_another():
    chain = chain_list(graph_of(("d/a", "d/b", 10), ("d/a", "d/b second", 40)), "d/b", "second", 40)
    first, second = chain.pods[0].victims
    assert (first.is_here, first.is_later, first.uid, first.priority) == (False, False, "", 3)
    assert (second.is_here, second.is_later, second.uid, second.name) == (True, True, "second", "b")


def test_a_pod_that_two_preemptions_hit_has_its_own_victims_once():
    graph = graph_of(("d/m", "d/low", 10), ("d/h", "d/m", 20), ("d/i", "d/m", 30))
    assert drawn(chain_list(graph, "d/h", "", 99).pods) == [
        (0, "d/h", None),
        (1, "d/m", 2),
        (2, "d/low", 1),
        (0, "d/i", None),
        (1, "d/m", 3),
    ]


def test_what_is_not_drawn_is_counted():
    graph = graph_of(*((f"d/p{n // 5:02}", f"d/v{n:02}", n) for n in range(SHOWN + 7)))
    chain = chain_list(graph, "d/v00", "", 99)
    assert sum(1 for _, _, cycle in drawn(chain.pods) if cycle is not None) == SHOWN
    assert (chain.count, chain.more) == (SHOWN + 7, 7)
