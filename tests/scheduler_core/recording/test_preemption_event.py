"""The event of a preemption: candidates packed, and as recordings of format 1 list them."""

from __future__ import annotations

from random import Random

import msgspec
import numpy as np
import pytest

from scheduler_core.framework.preemption.decision import CRITERIA, criteria_values, encode, pack, select
from scheduler_core.recording import events as ev

SETS = (
    ev.VictimSet("n1", ("a/1", "a/2"), 1, ("a/3",), 7, 14, 100),
    ev.VictimSet("n2", ("a/4",), 0, (), -5, (1 << 31) - 5, (1 << 63) - 1),
)
decode = msgspec.msgpack.Decoder(ev.AnyEvent).decode


def decided(sets, **facts):
    return ev.PreemptionDecided(
        at=1, cycle=2, pod="a/x", eligible=True, packed=pack([encode(one) for one in sets]), **facts
    )


@pytest.mark.parametrize("n", [0, 1, 15, 16, 500, 70_000])
def test_candidates_survive_encoding(n):
    sets = tuple(msgspec.structs.replace(SETS[i % 2], node=f"n{i}") for i in range(n))
    event = decided(sets, nominated_node="n0" if n else "", chosen=sets[0] if n else None)
    back = decode(msgspec.msgpack.encode(event))
    assert back == event
    assert (back.n_candidates, back.candidates) == (n, sets)
    assert back.nominated == (sets[0] if n else None)


def test_candidates_of_format_1_give_the_same_objects():
    """As format 1 encodes the event: candidates as maps, the chosen one told by its node."""
    facts = {"type": "preemption", "at": 1, "cycle": 2, "pod": "a/x", "eligible": True, "nominated_node": "n2"}
    candidates = [dict(zip(ev.VictimSet.__struct_fields__, msgspec.structs.astuple(one), strict=True)) for one in SETS]
    old = decode(msgspec.msgpack.encode({**facts, "candidates": candidates, "criterion": "draw"}))
    assert (old.candidates, old.n_candidates, old.nominated) == (SETS, 2, SETS[1])


def test_an_old_decision_without_a_node_has_chosen_nothing():
    old = decode(msgspec.msgpack.encode({"type": "preemption", "at": 1, "cycle": 2, "pod": "a/x", "eligible": False}))
    assert (old.candidates, old.n_candidates, old.nominated) == ((), 0, None)


def test_eliminations_name_the_criterion_that_ruled_each_candidate_out():
    """Among 400 candidates with few different values, more than a step names."""
    random = Random(5)
    sets = [
        ev.VictimSet(
            f"n{i:03}",
            tuple(f"a/{i}-{n}" for n in range(random.randint(1, 2))),
            random.randint(0, 1),
            (),
            random.randint(0, 1),
            random.randint(0, 1),
            random.randint(0, 1),
        )
        for i in range(400)
    ]
    steps, _ = select(np.array([criteria_values(one) for one in sets]).T, lambda i: sets[i].node)
    event = decided(sets, steps=steps)
    ruled_out = event.eliminations()
    assert len(steps) == len(CRITERIA)
    for number, step in enumerate(steps, start=1):
        still_in = [one.node for one in sets if not 0 < ruled_out.get(one.node, 0) <= number]
        assert (len(still_in), tuple(still_in[:20])) == (step.after, step.left)


def test_a_single_candidate_is_ruled_out_by_nothing():
    assert decided(SETS[:1], criterion="only").eliminations() == {}
