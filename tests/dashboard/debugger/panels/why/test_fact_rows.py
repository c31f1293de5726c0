"""Facts of one node of each group, and the plugins that refused none of them."""

from __future__ import annotations

from dashboard.answers.answering.pending import FactsAnswer, NodeInputs, PluginInputs
from dashboard.debugger.panels.why.fact_rows import SHOWN, asked_nodes, fact_list
from scheduler_core.explain.pending.model import RefusedNodeGroup


def group(plugin, *nodes):
    return RefusedNodeGroup(plugin=plugin, reasons=("no",), nodes=nodes, title="x")


def inputs(node, **verdicts):
    return NodeInputs(node, tuple(PluginInputs(plugin, verdict) for plugin, verdict in verdicts.items()))


def test_each_group_is_told_by_its_first_node_and_what_passed_is_told_together():
    groups = [group("Fit", "a", "b", "c"), group("Taint", "d")]
    found = FactsAnswer(
        (
            NodeInputs(
                "a", (PluginInputs("Taint", "passed"), PluginInputs("Fit", "refused"), PluginInputs("P", "passed"))
            ),
            NodeInputs(
                "d", (PluginInputs("Taint", "refused"), PluginInputs("Fit", "passed"), PluginInputs("P", "passed"))
            ),
        )
    )
    told = fact_list(groups, found)
    assert asked_nodes(groups) == ("a", "d")
    assert [(row.inputs.plugin, row.node, row.others, row.meaning) for row in told.rows] == [
        ("Fit", "a", 2, "unsched"),
        ("Taint", "d", 0, "unsched"),
    ]
    assert (told.passed, told.skipped) == (["P"], [])


def test_a_node_that_is_gone_and_groups_behind_the_first_are_left_out():
    assert fact_list([group("Fit", "a")], FactsAnswer()).rows == []
    assert len(asked_nodes([group("Fit", f"n{i}") for i in range(40)])) == SHOWN
