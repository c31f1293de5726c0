"""Why preemption did not help, in words, with who would have had to go."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.no_preemption import no_preemption_list
from scheduler_core.explain import preemption as core
from scheduler_core.explain.preemption import InTheWay, NodeAnswer, PreemptionAnswer, RefusingNodes

MESSAGE = "policy Never"


def test_groups_keep_the_counts_and_name_the_first_who_would_have_had_to_go():
    pods = tuple(InTheWay(f"shop/web-{i}", 1000, False) for i in range(5))
    groups = (
        RefusingNodes(core.NO_LOWER, "", (), 1103, (NodeAnswer("t4-0001", pods),)),
        RefusingNodes(core.STILL_REFUSED, "NodeResourcesFit", ("Insufficient cpu",), 1, (NodeAnswer("a"),)),
    )
    panel = no_preemption_list(PreemptionAnswer("shop/p", False, "", "", 0, groups))
    assert [group.count for group in panel.groups] == [1103, 1]
    (named,), none = (group.nodes for group in panel.groups)
    assert [name in named for name in ("t4-0001", "web-0", "web-2", "web-3")] == [True, True, True, False]
    assert none == []


def test_without_groups_the_message_says_it():
    panel = no_preemption_list(PreemptionAnswer("shop/p", False, "", MESSAGE, 0))
    assert (panel.message, panel.groups) == (MESSAGE, [])


SELECTOR = "node(s) didn't match Pod's node affinity/selector"
WEB = tuple(InTheWay(f"shop/web-{i}", 1000, False) for i in range(5))


@pytest.mark.parametrize(
    ("group", "sentences"),
    [
        (
            RefusingNodes(core.NOT_MENDED, "NodeAffinity", (SELECTOR,), 1103, ()),
            ["On 1,103 nodes no eviction mends what NodeAffinity refuses: didn't match Pod's node affinity/selector."],
        ),
        (
            RefusingNodes(core.NO_LOWER, "", (), 397, (NodeAnswer("t4-0001", WEB),)),
            [
                "On 397 nodes no pod has a lower priority than this one.",
                "t4-0001: web-0 (priority 1,000), web-1 (priority 1,000), web-2 (priority 1,000) and 2 more would have"
                " to go",
            ],
        ),
        (
            RefusingNodes(core.STILL_REFUSED, "NodeResourcesFit", ("Insufficient cpu",), 1, ()),
            ["On 1 node NodeResourcesFit still refuses it without the pods of lower priority: Insufficient cpu."],
        ),
        (
            RefusingNodes(core.BY_EXTENDER, "", (), 3, ()),
            ["On 3 nodes evictions would make room, but no extender's answer has them."],
        ),
        (
            RefusingNodes(core.BY_EXTENDER, "", ("EOF",), 2, ()),
            ["On 2 nodes evictions would make room, but the call of an extender failed: EOF."],
        ),
        (
            RefusingNodes(core.FAILED, "", ('expected at least one victim pod on node "a"',), 1, ()),
            ['On 1 node the dry run failed: expected at least one victim pod on node "a".'],
        ),
    ],
)
def test_words(group, sentences):
    (shown,) = no_preemption_list(PreemptionAnswer("shop/p", False, "", "", 0, (group,))).groups
    assert [shown.text, *shown.nodes] == sentences
