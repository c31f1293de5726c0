"""Which reason dominated over the attempts of a pod, and the heading of its answer."""

from __future__ import annotations

from scheduler_core.explain.pending.because import headline, over_attempts, reason_of
from scheduler_core.explain.pending.model import PendingAttempt, RefusedNodeGroup
from scheduler_core.recording.events import Refusal
from scheduler_core.recording.vocabulary import Code


def verdict(plugin: str, nodes: int, reason: str) -> Refusal:
    return Refusal(plugin, Code.UNSCHEDULABLE, (reason,), nodes)


def attempt(*refusals: Refusal) -> PendingAttempt:
    return PendingAttempt(
        number=1, cycle=1, first_seq=1, last_seq=2, at=0, outcome="unschedulable", n_nodes=9, refusals=refusals
    )


def group(plugin: str, count: int, title: str = "x", resource: str = "", *, small: bool = False) -> RefusedNodeGroup:
    names = tuple(f"n{i}" for i in range(count))
    return RefusedNodeGroup(plugin=plugin, reasons=(), nodes=names, title=title, unresolvable=small, resource=resource)


CPU = attempt(verdict("NodeResourcesFit", 5, "Insufficient cpu"))
TAINT = attempt(verdict("TaintToleration", 4, "node(s) had untolerated taint {a: b}"))


def test_a_reason_that_held_in_every_attempt_is_said_once() -> None:
    sentence = over_attempts([reason_of(CPU), reason_of(CPU), reason_of(CPU)])
    assert sentence == "In all 3 attempts that found no node most nodes were refused for cpu (NodeResourcesFit)."


def test_reasons_that_differ_are_counted_the_commonest_first() -> None:
    sentence = over_attempts([reason_of(TAINT), reason_of(CPU), reason_of(CPU)])
    assert sentence == ("Of 3 attempts that found no node, 2 failed for cpu (NodeResourcesFit), 1 for TaintToleration.")


def test_one_attempt_has_nothing_to_compare() -> None:
    assert over_attempts([reason_of(CPU)]) == ""


def test_a_selector_does_not_hide_what_refused_the_nodes_that_it_leaves() -> None:
    selector = verdict("NodeAffinity", 900, "node(s) didn't match Pod's node affinity/selector")
    sentence = over_attempts([reason_of(attempt(selector, *CPU.refusals))] * 2)
    assert "both attempts" in sentence
    assert "cpu (NodeResourcesFit)" in sentence


def test_nodes_that_are_all_too_small_refuse_for_their_size() -> None:
    small = attempt(Refusal("NodeResourcesFit", Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("Insufficient cpu",), 5))
    sentence = over_attempts([reason_of(small)] * 2)
    assert sentence.endswith("most nodes were refused for their size (NodeResourcesFit).")


def test_headings_say_what_is_short_and_where() -> None:
    room = group("NodeResourcesFit", 5, resource="cpu")
    small = group("NodeResourcesFit", 9, resource="memory", small=True)
    taint = group("TaintToleration", 2, "A taint that it does not tolerate", small=True)
    selector = group("NodeAffinity", 30, small=True)
    assert headline([room], 5) == "No node has enough cpu free"
    assert headline([room, selector], 35, "T4") == "No T4 node has enough cpu free"
    assert headline([room, taint], 7) == "cpu is short on 5 nodes; TaintToleration refuses the other 2"
    ports = group("NodePorts", 1, "A port that is taken")
    assert headline([room, taint, ports], 8).endswith("; TaintToleration refuses 2 more and NodePorts refuses 1 more")
    gpu = group("NodeResourcesFit", 4, resource="example.com/gpu")
    assert headline([room, gpu], 9) == "cpu or gpu is short on all 9 nodes"
    assert headline([small], 9) == "Larger than any node: memory"
    assert headline([small, room], 14) == "Only 5 of 14 nodes are large enough, and none has room"
    assert headline([taint], 2) == "A taint that it does not tolerate on all 2 nodes"
    assert headline([selector], 30) == "Its selector or affinity leaves out all 30 nodes"


def test_headings_claim_nothing_of_nodes_that_the_selector_leaves_out() -> None:
    room = group("NodeResourcesFit", 5, resource="cpu")
    small = group("NodeResourcesFit", 9, resource="memory", small=True)
    taint = group("TaintToleration", 2, "A taint that it does not tolerate", small=True)
    selector = group("NodeAffinity", 30, small=True)
    assert headline([room, selector], 35) == "No node that it selects has enough cpu free"
    assert headline([small, selector], 39) == "Larger than any node that it selects: memory"
    few = "Only 5 of 14 nodes that it selects are large enough, and none has room"
    assert headline([small, room, selector], 44) == few
    assert headline([taint, selector], 32, "T4") == "A taint that it does not tolerate on all 2 T4 nodes"
    both = "cpu is short on 5 nodes that it selects; TaintToleration refuses 2 more"
    assert headline([room, taint, selector], 37) == both
