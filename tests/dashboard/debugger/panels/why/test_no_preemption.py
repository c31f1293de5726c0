"""Why preemption did not help, in words, with who would have had to go."""

from __future__ import annotations

from dashboard.debugger.panels.why.no_preemption import no_preemption_list
from scheduler_core.explain import preemption as core
from scheduler_core.explain.preemption import InTheWay, NodeAnswer, PreemptionAnswer, RefusingNodes


def test_groups_of_nodes_say_what_stands_in_the_way():
    pods = tuple(InTheWay(f"shop/web-{i}", 1000, False) for i in range(5))
    selector = "node(s) didn't match Pod's node affinity/selector"
    groups = (
        RefusingNodes(core.NOT_MENDED, "NodeAffinity", (selector,), 1103, ()),
        RefusingNodes(core.NO_LOWER, "", (), 397, (NodeAnswer("t4-0001", pods),)),
        RefusingNodes(core.STILL_REFUSED, "NodeResourcesFit", ("Insufficient cpu",), 1, (NodeAnswer("a"),)),
    )
    panel = no_preemption_list(PreemptionAnswer("shop/p", False, "", "", 0, groups))
    assert [group.text for group in panel.groups] == [
        "On 1,103 nodes no eviction mends what NodeAffinity refuses: didn't match Pod's node affinity/selector.",
        "On 397 nodes no pod has a lower priority than this one.",
        "On 1 node NodeResourcesFit still refuses it without the pods of lower priority: Insufficient cpu.",
    ]
    assert panel.groups[1].nodes == [
        "t4-0001: web-0 (priority 1,000), web-1 (priority 1,000), web-2 (priority 1,000) and 2 more would have to go"
    ]
    assert panel.groups[2].nodes == []


def test_what_extenders_took_away_is_said():
    groups = (
        RefusingNodes(core.BY_EXTENDER, "", (), 3, ()),
        RefusingNodes(core.BY_EXTENDER, "", ("EOF",), 2, ()),
        RefusingNodes(core.FAILED, "", ('expected at least one victim pod on node "a"',), 1, ()),
    )
    panel = no_preemption_list(PreemptionAnswer("shop/p", False, "", "", 0, groups))
    assert [group.text for group in panel.groups] == [
        "On 3 nodes evictions would make room, but no extender's answer has them.",
        "On 2 nodes evictions would make room, but the call of an extender failed: EOF.",
        'On 1 node the dry run failed: expected at least one victim pod on node "a".',
    ]


def test_without_groups_the_message_says_it():
    panel = no_preemption_list(PreemptionAnswer("shop/p", False, "", "its policy is Never", 0))
    assert (panel.message, panel.groups) == ("its policy is Never", [])
