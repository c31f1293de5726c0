"""Why a pod is pending; every number is worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import ClusterObjects, Node, Pod, Taint, Volume
from scheduler_core.explain.pending import AttemptHistory, WhyPending, history_of, why_pending
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.simulate import RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts.generated_runs import recorded

SECOND = 1_000_000


def told(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = (), attempt: int = 0) -> WhyPending:
    """The answer at the end of a run over these objects."""
    reader, history = run(nodes, pods, asked, entries)
    return why_pending(reader, history, attempt)


def run(nodes: list[Node], pods: list[Pod], asked: str, entries: tuple = ()) -> tuple[RecordingReader, AttemptHistory]:
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), timeline=Timeline(entries=tuple(entries)))
    reader = recorded(inputs)
    return reader, history_of(reader, inputs, f"default/{asked}", reader.head_seq())


def test_the_reason_that_refused_most_nodes_is_told_with_numbers() -> None:
    nodes = [make_node(f"n{i}", cpu="4", labels={"pool": "a"}) for i in range(3)] + [make_node("x", cpu="4")]
    tainted = make_node("t", cpu="8", taints=[Taint("gpu", "yes")])
    placed = [make_pod(f"p{i}", cpu="3", node_name=f"n{i}") for i in range(2)]
    placed += [make_pod("q", cpu="2", node_name="n2"), make_pod("r", cpu="4", node_name="x")]
    answer = told([*nodes, tainted], [*placed, make_pod("big", cpu="3")], "big")
    assert (answer.state, answer.because.plugin, answer.because.attempts) == ("pending", "NodeResourcesFit", 1)
    assert answer.because.title == "cpu is short on 4 nodes; TaintToleration refuses the other 1"
    evidence = "It asks for cpu 3. The best of 4 nodes that are short of cpu has 2 free."
    assert answer.because.evidence == evidence
    assert answer.because.next_step == "Free 1 cpu where most is free, or ask for at most 2"
    assert [(group.plugin, group.count) for group in answer.groups] == [
        ("NodeResourcesFit", 3),
        ("NodeResourcesFit", 1),
        ("TaintToleration", 1),
    ]
    assert [group.detail for group in answer.groups[:2]] == ["1 to 2 free, short of 1 to 2", "0 free, short of 3"]


def test_nominated_pods_that_count_take_of_what_is_free() -> None:
    node, low = make_node("n", cpu="4"), make_pod("low", cpu="3", node_name="n")
    high = make_pod("high", cpu="3", priority=100)
    answer = told([node], [low, high, make_pod("mid", cpu="2", priority=10)], "mid", attempt=1)
    (group,) = answer.groups
    assert group.free is not None
    assert (group.free.resource, group.free.asked, group.free.most_free) == ("cpu", 2000, -2000)
    assert (group.title, group.detail) == ("No cpu left", "0 free, short of 4")
    assert answer.because.next_step == "Free cpu on one of these nodes, or ask for less"


def test_groups_say_the_label_that_their_nodes_share_and_are_not_split_by_hidden_verdicts() -> None:
    t4 = [make_node(f"t{i}", cpu="4", labels={"model": "T4"}) for i in range(3)]
    g2 = [make_node(f"g{i}", cpu="4", labels={"model": "G2"}) for i in range(2)]
    other = [make_node("o", cpu="4"), make_node("c", cpu="4", labels={"model": "G3"}, unschedulable=True)]
    placed = [make_pod(f"p{i}", cpu="4", node_name=f"t{i}") for i in range(3)]
    placed.append(make_pod("pg", cpu="4", node_name="g0"))
    pod = make_pod("train", cpu="1", node_selector={"model": "T4"})
    answer = told([*t4, *g2, *other], [*placed, pod], "train")
    by_plugin = {group.plugin: group for group in answer.groups}
    room, selector, cordoned = (by_plugin[p] for p in ("NodeResourcesFit", "NodeAffinity", "NodeUnschedulable"))
    assert (room.count, room.title, room.detail) == (3, "No cpu left", "0 free, short of 1")
    assert (selector.count, selector.detail, selector.shared) == (3, "needs model=T4", "g0, g1, o")
    assert (selector.hidden, selector.only) == ((("NodeResourcesFit", 1),), 2)
    assert cordoned.hidden == (("NodeAffinity", 1),)
    assert answer.because.plugin == "NodeResourcesFit", "of the nodes that the selector allows, room refused most"
    assert answer.because.title == "cpu is short on 3 nodes; NodeUnschedulable refuses the other 1"


def test_nodes_that_are_too_small_even_when_empty_are_a_group_of_their_own() -> None:
    nodes = [make_node("small", cpu="1"), make_node("full", cpu="4")]
    answer = told(nodes, [make_pod("p", cpu="4", node_name="full"), make_pod("big", cpu="3")], "big")
    assert [(group.nodes, group.unresolvable) for group in answer.groups] == [(("full",), False), (("small",), True)]
    assert (answer.groups[1].title, answer.groups[1].detail) == ("Too small: cpu", "1 in all, asks 3")
    alone = told([make_node("small", cpu="1")], [make_pod("big", cpu="3")], "big")
    assert alone.because.next_step == "Ask for less cpu, or add a larger node: even empty, none is large enough"


def test_between_attempts_stands_what_happened_and_whether_the_verdicts_changed() -> None:
    entries = (
        TimelineEntry(at=5 * SECOND, action="put", object=make_node("m", cpu="2")),
        TimelineEntry(at=9 * SECOND, action="put", object=make_node("k", cpu="1")),
    )
    answer = told([make_node("n", cpu="1")], [make_pod("big", cpu="3"), make_pod("p", cpu="2")], "p", entries)
    (between,) = answer.between
    assert (between.changes, between.same_verdicts) == (("node m added",), False)
    assert between.span_us == answer.attempts[1].at - answer.attempts[0].at
    assert (answer.attempts[1].woken_by, answer.attempts[1].woken_plugin) == ("NodeAdd", "NodeResourcesFit")
    assert answer.state == "placed"
    assert answer.node == "m"
    assert answer.because.title == "It has a node"


def test_the_same_verdicts_are_told_as_such() -> None:
    entries = (TimelineEntry(at=5 * SECOND, action="delete", object=make_pod("tiny", cpu="500m", node_name="n")),)
    pods = [make_pod("tiny", cpu="500m", node_name="n"), make_pod("p", cpu="4")]
    answer = told(
        [make_node("n", cpu="4"), make_node("m", cpu="1")], [*pods, make_pod("q", cpu="4", node_name="n")], "p", entries
    )
    assert [one.same_verdicts for one in answer.between] == [True]
    assert answer.because.of == 2


def test_a_pod_that_prefilter_rejected_is_told_by_the_plugin_and_the_reference_s_text() -> None:
    pod = make_pod("db", cpu="1", volumes=(Volume(name="v", claim_name="data"),))
    answer = told([make_node("n")], [pod], "db")
    assert answer.because.title == "VolumeRestrictions refused the pod before any node was looked at"
    assert 'persistentvolumeclaim "data" not found' in answer.because.evidence


def test_an_attempt_that_is_not_there_is_said() -> None:
    reader, history = run([make_node("n", cpu="1")], [make_pod("big", cpu="3")], "big")
    with pytest.raises(ValueError, match="default/big was tried 1 time, not 7"):
        why_pending(reader, history, 7)


def test_gated_gone_and_foreign_pods_say_what_they_are() -> None:
    gated = told([make_node("n")], [make_pod("g", scheduling_gates=("hold",))], "g")
    assert (gated.state, gated.because.plugin) == ("gated", "SchedulingGates")
    foreign = told([make_node("n")], [make_pod("f", scheduler_name="volcano")], "f")
    assert foreign.because.title == "It is for another scheduler: volcano"
