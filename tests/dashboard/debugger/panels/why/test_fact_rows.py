"""Facts of one node of each group, and the plugins that refused none of them."""

from __future__ import annotations

from dashboard.answers.answering.pending import FactsAnswer, NodeInputs, PluginInputs, RefusedGroup
from dashboard.debugger.panels.why.fact_rows import fact_list


def inputs(node, **verdicts):
    return NodeInputs(node, tuple(PluginInputs(plugin, verdict) for plugin, verdict in verdicts.items()))


def test_each_group_is_told_by_its_first_node_and_what_passed_is_told_together():
    answer = FactsAnswer(
        (RefusedGroup("Fit", "a", 3, False), RefusedGroup("Taint", "d", 1, False)),
        (
            NodeInputs(
                "a", (PluginInputs("Taint", "passed"), PluginInputs("Fit", "refused"), PluginInputs("P", "passed"))
            ),
            NodeInputs(
                "d", (PluginInputs("Taint", "refused"), PluginInputs("Fit", "passed"), PluginInputs("P", "passed"))
            ),
        ),
    )
    facts = fact_list(answer)
    assert [(row.inputs.plugin, row.node, row.others, row.meaning) for row in facts.rows] == [
        ("Fit", "a", 2, "unsched"),
        ("Taint", "d", 0, "unsched"),
    ]
    assert (facts.passed, facts.skipped) == (["P"], [])


def test_a_node_that_is_gone_is_left_out():
    assert fact_list(FactsAnswer((RefusedGroup("Fit", "a", 1, False),))).rows == []
