"""The cause of the first difference: proven where one input differs, decided by the event where it can be."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.compare import Divergence, RunToCompare, comparison
from scheduler_core.compare.divergence import OF_A_DRAW, Happened
from scheduler_core.compare.event_words import unlike
from scheduler_core.compare.input_differences import TITLES
from scheduler_core.recording import events as ev
from scheduler_core.simulate import InputChange, Policies, RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.compare.pairs import PACKED, recorded
from tests.scheduler_core.engine.scenarios import teaching


def parted(a: RunInputs, b: RunInputs) -> Divergence:
    divergence = comparison(RunToCompare(a, recorded(a)), RunToCompare(b, recorded(b))).divergence
    assert divergence is not None
    return divergence


def equal_nodes(seed: int = 0, **more: object) -> RunInputs:
    objects = teaching().objects
    nodes, pods = [make_node(f"n-{i}") for i in range(9)], [make_pod(f"p-{i}", cpu="100m") for i in range(6)]
    return RunInputs(objects=msgspec.structs.replace(objects, nodes=nodes, pods=pods), seed=seed, **more)  # type: ignore[arg-type]


def test_a_draw_is_caused_by_the_seed_also_where_more_differs() -> None:
    divergence = parted(equal_nodes(0), equal_nodes(3, max_cycles=500))
    assert (divergence.is_draw, divergence.because) == (True, ("seed",))
    assert divergence.a is not None
    assert divergence.b is not None
    assert (divergence.a.type, divergence.a.cycle) == ("host_selected", divergence.b.cycle)
    assert "node" in divergence.fields


def test_draws_depend_on_inputs_that_exist() -> None:
    assert set(OF_A_DRAW) <= set(TITLES.values())


def test_one_input_that_differs_is_the_cause() -> None:
    inputs = teaching()
    divergence = parted(inputs, msgspec.structs.replace(inputs, configuration=PACKED))
    assert divergence.because == ("configuration",)


def test_several_are_all_named_where_the_event_does_not_decide() -> None:
    inputs = teaching()
    other = msgspec.structs.replace(inputs, configuration=PACKED, policies=Policies(cycle_us=7))
    divergence = parted(inputs, other)
    assert divergence.because == ("configuration", "policies")


def test_an_event_that_carries_out_an_input_of_one_side_names_it() -> None:
    inputs = teaching()
    change = InputChange(seq=60, action="put", object=make_node("bought"))
    divergence = parted(inputs, msgspec.structs.replace(inputs, max_cycles=500, changes=(change,)))
    assert divergence.because == (TITLES["changes"],)
    assert divergence.b is not None
    assert "Node bought" in divergence.b.text
    entry = TimelineEntry(inputs.timeline.entries[0].at, "put", make_node("late"))
    timeline = Timeline((entry, *inputs.timeline.entries))
    assert parted(inputs, msgspec.structs.replace(inputs, max_cycles=500, timeline=timeline)).because == ("timeline",)


def test_two_cursors_part_where_the_first_of_them_is() -> None:
    inputs = teaching()
    reader = recorded(inputs)
    divergence = comparison(RunToCompare(inputs, reader, 50), RunToCompare(inputs, reader)).divergence
    assert divergence is not None
    assert (divergence.seq, divergence.a, divergence.at_cursor, divergence.because) == (50, None, (True, False), ())


def test_each_side_says_what_it_decided_and_what_moved_the_pod() -> None:
    nodes, pods = [make_node("a", cpu="8"), make_node("b", cpu="8")], [make_pod("held", cpu="2", node_name="a")]
    objects = msgspec.structs.replace(teaching().objects, nodes=nodes, pods=[*pods, make_pod("new", cpu="1")])
    inputs = RunInputs(objects=objects, schedule="pending")
    divergence = parted(inputs, msgspec.structs.replace(inputs, configuration=PACKED))
    assert divergence.a is not None
    assert divergence.b is not None
    assert divergence.a.text != divergence.b.text
    assert [one.decision.split(" goes to ")[1][0] for one in (divergence.a, divergence.b)] == ["b", "a"]
    assert divergence.moved_by.startswith("NodeResourcesFit +")
    mirrored = divergence.swapped()
    assert (mirrored.a, mirrored.moved_by) == (divergence.b, divergence.moved_back)


SCORED = ev.ScoreSummary("Fit", 2, "identity", (), 1, 40, 1, 30, 0, 100, 50.0, True)


def refused_by(plugin: str) -> ev.NodesFiltered:
    return ev.NodesFiltered(at=0, cycle=1, visited=2, feasible=1, refusals=(ev.Refusal(plugin, 2, ("no",), 1),))


def moved_with(priority: int) -> ev.QueueMove:
    return ev.QueueMove(at=0, pod="a/p", source="", target="active", event="PodAdd", priority=priority)


@pytest.mark.parametrize(
    ("event", "other", "sentence"),
    [
        (ev.NodesScored(at=0, cycle=1, plugins=(SCORED,)),
         ev.NodesScored(at=0, cycle=1, plugins=(msgspec.structs.replace(SCORED, norm_winner=45),)),
         "Fit gives 80 points to the best node and 60 to the second node"),
        (refused_by("A"), refused_by("B"), "A refuses 1"),
        (moved_with(1), moved_with(2), "priority 1"),
    ],
    ids=["scores", "refusals", "a priority"],
)  # fmt: skip
def test_words_of_what_is_otherwise_in_like_events(event: ev.AnyEvent, other: ev.AnyEvent, sentence: str) -> None:
    assert unlike(event, other) == sentence


HERE = Happened(0, "t", 1, "a/p", "a/p is bound")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"because": ("seed",), "is_draw": True},
         "Event 1,200 is the first that differs. In A, a/p is bound. In B, a/p is bound. Both had the same tied "
         "nodes and drew different ones. The cause is what differs in their inputs: seed."),
        ({"because": ("configuration", "policies")},
         "Event 1,200 is the first that differs. In A, a/p is bound. In B, a/p is bound. What differs in their "
         "inputs and may be the cause: configuration, policies."),
        ({"because": ()},
         "Event 1,200 is the first that differs. In A, a/p is bound. In B, a/p is bound. No input that is known "
         "differs."),
        ({"because": (), "b": None, "at_cursor": (False, True)},
         "Event 1,200 is the first that differs. In A, a/p is bound. The cursor of B is here."),
        ({"because": ("seed",), "b": None, "moved_by": "Fit"},
         "Event 1,200 is the first that differs. In A, a/p is bound. B has no further event. What made the "
         "difference: Fit. The cause is what differs in their inputs: seed."),
    ],
)  # fmt: skip
def test_words(fields: dict[str, Any], text: str) -> None:
    assert Divergence(**{"seq": 1200, "a": HERE, "b": HERE, "fields": (), **fields}).text == text
