"""Nodes that do not declare a feature which the pod needs are refused."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, Hint, Resource
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, unresolvable
from scheduler_core.plugins.node_declared_features import REASON, NodeDeclaredFeatures
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, ask

FEATURE_UPDATE = (Resource.NODE, ActionType.UPDATE_NODE_DECLARED_FEATURE)
REFUSED = unresolvable(REASON)


def declaring(*features, name="n"):
    return make_node(name, declared_features=features)


def plugin_of(*nodes):
    return NodeDeclaredFeatures(NoArgs(), FakeHandle(make_cluster(nodes)))


def test_a_pod_that_needs_none_skips():
    plugin = plugin_of(declaring())
    assert plugin.pre_filter(CycleState(1), plugin.handle.cluster.info(make_pod("p"))).status is SKIP


def test_all_of_them_must_be_declared():
    plugin = plugin_of(declaring(name="a"), declaring("A", name="b"), declaring("B", "A", "C", name="c"))
    cluster = plugin.handle.cluster
    pod = cluster.info(make_pod("p", features=("A", "B")))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [REFUSED, REFUSED, SUCCESS]


def test_facts_name_each_feature_and_whether_it_is_declared():
    plugin = plugin_of(declaring("A"))
    cluster = plugin.handle.cluster
    facts = plugin.filter_facts(("A", "B"), cluster.info(make_pod("p", features=("A", "B"))), cluster.view(0))
    assert [(fact.feature, fact.refuses, fact.code) for fact in facts] == [
        ("A", False, "FEATURE_NOT_DECLARED"),
        ("B", True, "FEATURE_NOT_DECLARED"),
    ]


@pytest.mark.parametrize(
    ("event", "old", "new", "hint"),
    [
        (NODE_ADD, None, declaring(), Hint.QUEUE),
        (FEATURE_UPDATE, declaring(), declaring("A"), Hint.QUEUE),
        (FEATURE_UPDATE, declaring("A"), declaring("A"), Hint.SKIP),
    ],
)
def test_a_node_that_comes_or_declares_others_wakes(event, old, new, hint):
    assert ask(plugin_of(declaring()), event, make_pod("p", features=("A",)), old, new) is hint


def test_the_pod_itself_wakes_when_it_needs_others():
    pod = make_pod("p", uid="u", features=("A",))
    for new, hint in ((make_pod("p", uid="u"), Hint.QUEUE), (pod, Hint.SKIP), (make_pod("q", uid="v"), Hint.SKIP)):
        assert ask(plugin_of(declaring()), (Resource.POD, ActionType.UPDATE), pod, pod, new) is hint
