"""Every type of event has words."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from scheduler_core.compare.event_words import describe, describe_decision
from scheduler_core.recording import events as ev
from scheduler_core.simulate import InputChange, Policies
from tests.scheduler_core.compare.pairs import recorded
from tests.scheduler_core.engine.scenarios import teaching

NAME = "Extender http://e"


def test_all_events_of_a_run_have_words_that_name_their_pod() -> None:
    change = InputChange(seq=100, action="set_policies", object=Policies(cycle_us=7))
    reader = recorded(teaching(changes=(change,)))
    seen = set()
    for _, event in reader.events(0, reader.head_seq() - 1):
        seen.add(type(event))
        assert describe(event)
        if isinstance(event, ev.QueueMove | ev.CycleStarted | ev.CycleFinished | ev.Bound | ev.PreemptionDecided):
            assert event.pod in describe(event)
    rare = {ev.Unreserved, ev.PermitWaiting, ev.PermitDecided, ev.PluginFailed, ev.MatrixDigest}
    rare |= {ev.CreationRefused, ev.ExtendersFiltered, ev.ExtendersScored, ev.ExtendersPreempted, ev.ExtendersBound}
    assert set(get_args(ev.AnyEvent)) - seen <= rare


def test_a_refusal_says_which_pod_and_why() -> None:
    event = ev.CreationRefused(at=0, kind="Pod", key="a/b", message="exceeded quota: q", code="NOT_CREATED_QUOTA")
    assert describe(event) == "Pod a/b is refused: exceeded quota: q"


EXTENDED: dict[str, Any] = {"at": 0, "cycle": 1}
OF_POD: dict[str, Any] = {"at": 0, "cycle": 1, "pod": "a/b"}
PREEMPTED = ev.ExtendersPreempted(**OF_POD, packed=msgspec.Raw(b"\x90"), calls=(ev.PreemptCall(0, NAME),))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (ev.Unreserved(**OF_POD, node="n", reason="r"), "a/b is no longer assumed on n"),
        (ev.PermitWaiting(**OF_POD, node="n", plugins=(), deadline=9), "a/b waits at Permit for n"),
        (ev.PermitDecided(**OF_POD, plugin="P", allowed=False), "P rejects a/b at Permit"),
        (ev.PluginFailed(**OF_POD, plugin="P", point="X", error="E"), "P raises E at X for a/b"),
        (ev.MatrixDigest(at=0, cycle=97, digest="a" * 64), "the matrix of cycle 97 has the digest aaaaaaaaaaaa"),
        (ev.ExtendersFiltered(**EXTENDED, calls=(ev.FilterCall(0, NAME, ev.NO_NODES),)),
         "extenders filter nodes in cycle 1: http://e"),
        (ev.ExtendersScored(**EXTENDED, calls=(ev.PrioritizeCall(0, NAME, 1, error="EOF"),)),
         "extenders score nodes in cycle 1: http://e fails: EOF"),
        (ev.ExtendersBound(**OF_POD, node="n", calls=(ev.BindCall(0, NAME),)),
         "a/b is to be bound to n by extenders: http://e"),
        (ev.HostSelected(**EXTENDED, node="n", total=90, tie_count=3),
         "cycle 1 chooses n with 90 points, drawn among 3 equals"),
        (PREEMPTED, "extenders choose among candidates for a/b: http://e"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ev.Event) else "",
)  # fmt: skip
def test_words(event: ev.AnyEvent, sentence: str) -> None:
    assert describe(event) == sentence


def test_words_of_a_choice_and_of_an_end() -> None:
    def chosen(total: int, tie_count: int = 1) -> str:
        return describe(ev.HostSelected(at=0, cycle=1, node="n", total=total, tie_count=tie_count))

    assert [chosen(-1), chosen(0), chosen(1_200)] == [
        "cycle 1 chooses n",
        "cycle 1 chooses n with 0 points",
        "cycle 1 chooses n with 1,200 points",
    ]

    def ended(outcome: str, node: str) -> str:
        return describe(ev.CycleFinished(at=0, cycle=1_000, pod="a/b", outcome=outcome, node=node))

    assert ended("scheduled", "n") == "cycle 1,000 ends: a/b is scheduled on n"
    assert ended("unschedulable", "") == "cycle 1,000 ends: a/b is unschedulable"


def test_words_of_what_a_cycle_came_to() -> None:
    def end(outcome: str, node: str = "") -> ev.CycleFinished:
        return ev.CycleFinished(at=0, cycle=1, pod="a/b", outcome=outcome, node=node)

    def chosen(total: int, second: int = -1, tie_count: int = 1) -> ev.HostSelected:
        return ev.HostSelected(
            at=0, cycle=1, node="n", total=total, second="m", second_total=second, tie_count=tie_count
        )

    evicts = ev.PreemptionDecided(
        at=0, cycle=1, pod="a/b", eligible=True, nominated_node="n", chosen=ev.VictimSet("n", ("a/v", "a/w"))
    )
    nobody = ev.PreemptionDecided(at=0, cycle=1, pod="a/b", eligible=False)
    assert [
        describe_decision(None, None, end("scheduled", "n")),
        describe_decision(chosen(-1), None, end("scheduled", "n")),
        describe_decision(chosen(0), None, end("scheduled", "n")),
        describe_decision(chosen(90, 80), None, end("scheduled", "n")),
        describe_decision(chosen(90, 90, 3), None, end("scheduled", "n")),
        describe_decision(None, None, end("unschedulable")),
        describe_decision(None, nobody, end("unschedulable")),
        describe_decision(None, evicts, end("unschedulable")),
        describe_decision(None, None, end("error")),
    ] == [
        "a/b goes to n, the only node that fits",
        "a/b goes to n, the only node that fits",
        "a/b goes to n with 0 points",
        "a/b goes to n with 90 points, 10 ahead of m",
        "a/b goes to n, drawn among 3 with 90 points",
        "a/b finds no node",
        "a/b finds no node",
        "a/b finds no node and evicts a/v, a/w from n",
        "the attempt of a/b fails",
    ]
