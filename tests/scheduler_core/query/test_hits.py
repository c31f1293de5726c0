"""A hit's place, its names, and its line in plain words."""

from __future__ import annotations

import pytest

from scheduler_core.query.field_values import CycleFacts, EventFacts
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.hits import FactsBatch, HitPlace, cycle_text, event_text
from scheduler_core.recording import events as ev
from scheduler_core.recording.rows import CycleRow


def cycle_row(**changed):
    """Return the row of a cycle that scheduled a pod, with these values changed."""
    row = CycleRow(
        cycle=3, first_seq=20, last_seq=29, pod="shop/web", attempt=2, profile="default-scheduler", priority=7,
        template=0, outcome="scheduled", node="n1", message="", n_nodes=4, visited=4, feasible=2, total=90,
        second_node="n2", second_total=80, margin=10, tie_count=1, at=5_000, preempting=False,
    )  # fmt: skip
    return row._replace(**changed)


def move(**changed):
    return ev.QueueMove(at=9, pod="shop/web", source="active", target="", event="Popped", **changed)


def preemption(n_victims, **changed):
    victims = tuple(f"shop/v{i}" for i in range(n_victims))
    chosen = ev.VictimSet("n1", victims, highest_priority=5)
    return ev.PreemptionDecided(
        at=9, cycle=3, pod="shop/web", eligible=True, nominated_node="n1", chosen=chosen, **changed
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, "shop/web, attempt 2: scheduled on n1, 10 ahead of n2"),
        ({"margin": 0, "tie_count": 2}, "shop/web, attempt 2: scheduled on n1, 0 ahead of n2, drawn from 2"),
        ({"margin": None}, "shop/web, attempt 2: scheduled on n1"),
        (
            {"outcome": "unschedulable", "node": "", "margin": None, "tie_count": 0, "message": "no room"},
            "shop/web, attempt 2: unschedulable: no room",
        ),
    ],
)
def test_words_of_a_cycle(changed, sentence):
    assert cycle_text(cycle_row(**changed)) == sentence


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (move(), "shop/web: active to outside, Popped"),
        (move(plugin="NodeAffinity"), "shop/web: active to outside, Popped by NodeAffinity"),
        (preemption(1), "shop/web evicts shop/v0 on n1"),
        (preemption(3), "shop/web evicts shop/v0, shop/v1, shop/v2 on n1"),
        (preemption(4), "shop/web evicts shop/v0, shop/v1, shop/v2 and 1 more on n1"),
        (preemption(5), "shop/web evicts shop/v0, shop/v1, shop/v2 and 2 more on n1"),
        (ev.PreemptionDecided(at=9, cycle=3, pod="shop/web", eligible=False), "shop/web evicts nothing"),
        (
            ev.PreemptionDecided(at=9, cycle=3, pod="shop/web", eligible=False, message="too new"),
            "shop/web evicts nothing: too new",
        ),
        (ev.ObjectChanged(at=9, kind="Node", key="n1", action="added"), "Node n1 added"),
        (
            ev.ObjectChanged(at=9, kind="Pod", key="shop/v0", action="deleted", cause="completed"),
            "Pod shop/v0 deleted: completed",
        ),
        (ev.Bound(at=9, cycle=3, pod="shop/web", node="n1"), "bound, shop/web, n1"),
    ],
)
def test_words_of_an_event(event, sentence):
    assert event_text(EventFacts(1, event, None)) == sentence


def test_a_hit_has_the_place_and_the_names_of_its_facts():
    cycle = CycleFacts(cycle_row(), [], [])
    (hit,) = FactsBatch(QuerySubject.CYCLE, cycle).hits()
    assert (hit.subject, hit.place, hit.at, hit.cycle) == ("cycle", HitPlace(20, 0), 5_000, 3)
    assert (hit.pod, hit.node, hit.plugin) == ("shop/web", "n1", "")
    (hit,) = FactsBatch(QuerySubject.MOVE, EventFacts(25, move(plugin="NodeAffinity"), cycle)).hits()
    assert (hit.subject, hit.place, hit.at, hit.cycle) == ("move", HitPlace(25, 0), 9, 3)
    assert (hit.pod, hit.node, hit.plugin) == ("shop/web", "", "NodeAffinity")
    (hit,) = FactsBatch(
        QuerySubject.EVENT, EventFacts(25, ev.Bound(at=9, cycle=3, pod="shop/web", node="n1"), None)
    ).hits()
    assert (hit.cycle, hit.pod, hit.node, hit.plugin) == (0, "shop/web", "n1", "")
    batch = FactsBatch(QuerySubject.MOVE, EventFacts(25, move(), cycle))
    assert batch.value("outcome") is None, "the cycle has it, and not the move"


def test_places_are_in_order_of_seq_and_then_of_index():
    assert sorted([HitPlace(2, 1), HitPlace(1, 5), HitPlace(2)]) == [HitPlace(1, 5), HitPlace(2, 0), HitPlace(2, 1)]
