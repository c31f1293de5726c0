"""Changes of one's own, compared with what they do in a run."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.taints import Taint
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.pending.own_change import KINDS, ChangeProblem, own_change, would_change_help
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

CLUSTER = [
    make_node("n", cpu="2"),
    make_node("t", cpu="8", taints=[Taint("gpu", "yes")]),
    msgspec.structs.replace(make_node("c", cpu="8"), unschedulable=True),
]
AT, UNTIL = 10_000_000, 13_000_000
PLACED = make_pod("placed", cpu="1", node_name="n")
CHANGES = (
    "add-node n",
    "add-node t",
    "add-node c",
    "grow-node n cpu=3",
    "grow-node n cpu=4",
    "label-node n disk=ssd",
    "untaint-node t gpu",
    "uncordon-node c",
    "delete-pod default/placed",
    "request cpu=2",
    "request cpu=1",
    "request cpu=5",
    "tolerate gpu",
    "tolerate other",
)


def waiting(*entries: TimelineEntry, gates: tuple[str, ...] = (), queue: str = "hints") -> RunSession:
    pod = msgspec.structs.replace(make_pod("p", cpu="3"), scheduling_gates=gates)
    inputs = RunInputs(
        objects=ClusterObjects(nodes=CLUSTER, pods=[PLACED, pod]),
        timeline=Timeline(entries=entries),
        policies=Policies(queue="move-cycle" if queue == "move-cycle" else "hints"),
    )
    session = RunSession.start(inputs)
    if gates:
        session.simulation.step()
    else:
        session.advance(max_cycles=1)
    return session


def asked_and_run(text: str, **setting: object) -> tuple[tuple[bool, bool | None, str], tuple[bool, bool, str]]:
    """(woken, fits, on which node): as it is answered, and as a run decides in which the change happens."""
    before = waiting(**setting)  # type: ignore[arg-type]
    trials, change = Trials(before.simulation, before.now_us), own_change(text)
    effect = would_change_help(trials, "default/p", change).effect
    assert effect is not None
    waits = before.simulation.queue.get("default/p")
    assert waits is not None
    old, new, _ = KINDS[change.kind].make(before.simulation, waits.pod, change)
    entry = TimelineEntry(at=AT, action="delete" if new is None else "put", object=old if new is None else new)
    session = waiting(entry, **setting)  # type: ignore[arg-type]
    moves: list[ev.QueueMove] = []
    bound: list[ev.HostSelected] = []

    def note(seq: int, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.QueueMove) and event.pod == "default/p" and event.at <= UNTIL:
            moves.append(event)
        elif isinstance(event, ev.HostSelected) and event.at <= UNTIL:
            bound.append(event)

    session.observe(note)
    while session.now_us < UNTIL and session.simulation.step():
        pass
    return (effect.wakes, effect.fits, effect.node), (bool(moves), bool(bound), bound[0].node if bound else "")


@pytest.mark.parametrize("text", CHANGES)
@pytest.mark.parametrize("queue", ["hints", "move-cycle"])
def test_what_a_change_of_one_s_own_would_do_is_what_it_does_in_a_run(text: str, queue: str) -> None:
    of_question, run = asked_and_run(text, queue=queue)
    assert of_question[0] == run[0]
    if of_question[0]:
        assert of_question[1:] == run[1:]


def test_a_gated_pod_is_brought_back_by_the_end_of_its_gates_and_by_nothing_else() -> None:
    gates = ("team/quota",)
    of_question, run = asked_and_run("remove-gates", gates=gates)
    assert (of_question[0], run[0]) == (True, True)
    session = waiting(gates=gates)
    answer = would_change_help(Trials(session.simulation), "default/p", own_change("grow-node n cpu=8"))
    assert "8 cpu" in answer.text
    effect = answer.effect
    assert effect is not None
    assert (effect.wakes, effect.fits, effect.lane) == (False, False, "gated")
    assert "team/quota" in effect.gated


def test_each_plugin_that_holds_the_pod_is_told_with_what_it_makes_of_the_event() -> None:
    session = waiting()
    trials = Trials(session.simulation)
    effect, grown = (
        would_change_help(trials, "default/p", own_change(text)).effect for text in ("add-node t", "grow-node n cpu=4")
    )
    assert effect is not None
    assert grown is not None
    assert {one.plugin: (one.heard, one.queues) for one in effect.hints}["TaintToleration"] == (True, False)
    assert (effect.events, effect.plugins) == (("NodeAdd",), ("NodeResourcesFit",))
    assert not {one.plugin: one.heard for one in grown.hints}["TaintToleration"]
    assert (grown.fits, grown.node) == (True, "n")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "change"),
        ("paint-node n", "change"),
        ("add-node", "name"),
        ("add-node x", "name"),
        ("grow-node n", "value"),
        ("grow-node n cpu=two", "value"),
        ("grow-node n cpu=2", "value"),
        ("grow-node n cpu=-1", "value"),
        ("label-node n disk", "value"),
        ("untaint-node n gpu", "value"),
        ("untaint-node t gpu:Never", "value"),
        ("uncordon-node n", "name"),
        ("delete-pod default/p", "name"),
        ("delete-pod default/x", "name"),
        ("request cpu=3", "value"),
        ("tolerate :NoSchedule", "value"),
        ("remove-gates", "change"),
    ],
)
def test_a_change_that_cannot_be_made_says_which_field_is_wrong(text: str, field: str) -> None:
    session = waiting()
    with pytest.raises(ChangeProblem) as raised:
        would_change_help(Trials(session.simulation), "default/p", own_change(text))
    assert raised.value.field == field
    assert str(raised.value)


def test_a_change_s_text_is_read_as_it_is_written() -> None:
    for text in CHANGES:
        assert own_change(text).text == text
