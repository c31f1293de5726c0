"""Preemptor and victim across cycles; the chain is worked out by hand."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.pending import attempt_history, preemption_chains
from scheduler_core.explain.report import full_report
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.simulate import RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.facts.generated_runs import recorded

MINUTE = 60_000_000


def test_a_victim_s_preemptor_that_is_preempted_itself_is_a_chain() -> None:
    pods = [make_pod("low", cpu="3", node_name="n"), make_pod("other", cpu="3", node_name="m", priority=5_000)]
    entries = tuple(
        TimelineEntry(at=at * MINUTE, action="put", object=make_pod(name, cpu="3", priority=priority))
        for at, name, priority in ((1, "mid", 10), (5, "high", 1_000))
    )
    nodes = [make_node("n", cpu="4"), make_node("m", cpu="4")]
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), timeline=Timeline(entries=entries))
    reader = recorded(inputs)
    graph = preemption_chains(reader, inputs, ["default/high"], reader.head_seq())
    assert [(edge.preemptor, edge.victim, edge.node) for edge in graph.edges] == [
        ("default/mid", "default/low", "n"),
        ("default/high", "default/mid", "n"),
    ]
    assert [(node.pod, node.preempted, node.priority) for node in graph.nodes] == [
        ("default/high", False, 1_000),
        ("default/low", True, 0),
        ("default/mid", True, 10),
    ]
    assert graph.edges[0].cycle < graph.edges[1].cycle
    report = full_report(
        reader, inputs, attempt_history(reader, inputs, "default/mid", reader.head_seq()), 0, lambda: False
    )
    lines = [line for line in report_lines(report) if ") preempted " in line]
    assert [line.partition(" ")[0] for line in lines] == ["default/mid", "default/high"]
    assert lines[0].endswith(f"on n, cycle {graph.edges[0].cycle}")
    assert preemption_chains(reader, inputs, ["default/other"], reader.head_seq()).edges == ()
    assert len(preemption_chains(reader, inputs, ["default/low"], graph.edges[0].seq + 1).edges) == 1
