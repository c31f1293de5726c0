"""Facts of one node of each group, and the plugins that refused none of them."""

from __future__ import annotations

from dashboard.answers.answering.pending import FactsAnswer, NodeInputs, PluginInputs, RefusedGroup
from dashboard.debugger.panels.why.fact_rows import fact_list


def inputs(node, **verdicts):
    return NodeInputs(node, tuple(PluginInputs(plugin, verdict) for plugin, verdict in verdicts.items()))


def group(node, count, *plugins):
    return RefusedGroup(node, count, tuple(f"{plugin} on all" for plugin in plugins), plugins, False)


def test_each_group_is_told_by_its_first_node_and_what_passed_is_told_together():
    answer = FactsAnswer(
        (group("a", 3, "Fit"), group("d", 1, "Fit", "Taint")),
        (
            inputs("a", Taint="passed", Fit="refused", P="passed"),
            inputs("d", Taint="refused", Fit="refused", P="passed"),
        ),
    )
    facts = fact_list(answer)
    assert [([one.plugin for one in row.inputs], row.node, row.is_one_of_many) for row in facts.rows] == [
        (["Fit"], "a", True),
        (["Taint", "Fit"], "d", False),
    ]
    assert (facts.passed, facts.skipped) == (["P"], [])


def test_a_node_that_is_gone_is_left_out():
    assert fact_list(FactsAnswer((group("a", 1, "Fit"),))).rows == []
