"""Which reason dominated over the attempts of a pod, and the heading of its answer."""

from __future__ import annotations

from dashboard.debugger.panels.why.dominant import headline, over_attempts, reason_of
from dashboard.debugger.panels.why.refused_groups import RefusedGroup
from dashboard.runs.models import PluginVerdict
from scheduler_core.recording.vocabulary import Code


def verdict(plugin, nodes, reasons, code=Code.UNSCHEDULABLE):
    return PluginVerdict(plugin=plugin, nodes=nodes, reasons=reasons, code=code)


def group(plugin, count, meaning="unsched", title="x", resource=""):
    names = [f"n{i}" for i in range(count)]
    return RefusedGroup(plugin, meaning, title, "", "", names, 0, "", resource)


CPU = [verdict("NodeResourcesFit", 5, "Insufficient cpu")]
TAINT = [verdict("TaintToleration", 4, "node(s) had untolerated taint {a: b}")]


def test_a_reason_that_held_in_every_attempt_is_said_once():
    told = over_attempts([reason_of(CPU), reason_of(CPU), reason_of(CPU)])
    assert told == "In all 3 attempts that found no node most nodes were refused for cpu (NodeResourcesFit)."


def test_reasons_that_differ_are_counted_the_commonest_first():
    told = over_attempts([reason_of(TAINT), reason_of(CPU), reason_of(CPU)])
    assert told == ("Of 3 attempts that found no node, 2 failed for cpu (NodeResourcesFit), 1 for TaintToleration.")


def test_one_attempt_has_nothing_to_compare():
    assert over_attempts([reason_of(CPU)]) == ""


def test_a_selector_does_not_hide_what_refused_the_nodes_that_it_leaves():
    selector = verdict("NodeAffinity", 900, "node(s) didn't match Pod's node affinity/selector")
    told = over_attempts([reason_of([selector, *CPU])] * 2)
    assert "both attempts" in told
    assert "cpu (NodeResourcesFit)" in told


def test_headings_say_what_is_short_and_where():
    room = group("NodeResourcesFit", 5, resource="cpu")
    small = group("NodeResourcesFit", 9, "unres", resource="memory")
    taint = group("TaintToleration", 2, "unres", "A taint that it does not tolerate")
    selector = group("NodeAffinity", 30, "unres")
    assert headline([room], 5) == "No node has enough cpu free"
    assert headline([room, selector], 35, "T4") == "No T4 node has enough cpu free"
    assert headline([room, taint], 7) == "cpu is short on 5 nodes; TaintToleration refuses the other 2"
    gpu = group("NodeResourcesFit", 4, resource="example.com/gpu")
    assert headline([room, gpu], 9) == "cpu or gpu is short on all 9 nodes"
    assert headline([small], 9) == "Larger than any node: memory"
    assert headline([small, room], 14) == "Only 5 of 14 nodes are large enough, and none has room"
    assert headline([taint], 2) == "A taint that it does not tolerate on all 2 nodes"
    assert headline([selector], 30) == "Its selector or affinity leaves out all 30 nodes"
