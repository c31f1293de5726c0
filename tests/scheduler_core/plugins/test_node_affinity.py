"""NodeAffinity against plugins/nodeaffinity."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, PreferredSchedulingTerm
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Code, Status, unresolvable
from scheduler_core.plugins.node_affinity import (
    REASON_CONFLICT,
    REASON_ENFORCED,
    REASON_POD,
    NodeAffinity,
    NodeAffinityArgs,
)
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_LABEL, ask

NODES = [make_node("n1", labels={"zone": "a", "gen": "5"}), make_node("n2", labels={"zone": "b"}), make_node("n3")]
NO = unresolvable(REASON_POD)


def term(key: str, operator: str, *values: str) -> NodeSelectorTerm:
    return NodeSelectorTerm((Requirement(key, operator, values),))


def named(*requirements: tuple[str, str]) -> NodeSelectorTerm:
    return NodeSelectorTerm(match_fields=tuple(Requirement("metadata.name", op, (name,)) for op, name in requirements))


def requires(*terms: NodeSelectorTerm) -> Affinity:
    return Affinity(node_required=NodeSelector(terms))


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        pytest.param((term("zone", "In", "a", "c"),), [SUCCESS, NO, NO], id="In needs one of the values"),
        pytest.param((term("zone", "NotIn", "a"),), [NO, SUCCESS, SUCCESS], id="NotIn holds without the label"),
        pytest.param((term("zone", "Exists"),), [SUCCESS, SUCCESS, NO], id="Exists needs the label"),
        pytest.param((term("zone", "DoesNotExist"),), [NO, NO, SUCCESS], id="DoesNotExist needs its absence"),
        pytest.param((term("gen", "Gt", "4"),), [SUCCESS, NO, NO], id="Gt compares numbers"),
        pytest.param((term("gen", "Lt", "5"),), [NO, NO, NO], id="Lt is strict"),
        pytest.param((term("zone", "In", "b"), term("gen", "Exists")), [SUCCESS, SUCCESS, NO], id="terms are ORed"),
        pytest.param((NodeSelectorTerm(),), [NO, NO, NO], id="an empty term matches nothing"),
        pytest.param((), [NO, NO, NO], id="no terms match nothing"),
        pytest.param((named(("NotIn", "n1")),), [NO, SUCCESS, SUCCESS], id="a field can exclude a node"),
    ],
)
def test_filter(terms: tuple[NodeSelectorTerm, ...], expected: list[Status]) -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", affinity=requires(*terms)))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == expected


def test_node_selector_and_affinity_must_both_hold() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", node_selector={"zone": "a"}, affinity=requires(term("zone", "In", "b"))))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [NO, NO, NO]


def test_masks_follow_changed_labels() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", node_selector={"zone": "a"}))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, NO, NO]
    cluster.put_node(make_node("n3", labels={"zone": "a"}))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, NO, SUCCESS]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        pytest.param((named(("In", "n1")), named(("In", "n2"))), {"n1", "n2"}, id="names of all terms are searched"),
        pytest.param((named(("In", "n1")), term("zone", "Exists")), None, id="a term without a name opens all nodes"),
        pytest.param((named(("In", "n1"), ("In", "n2")), named(("In", "n3"))), {"n3"}, id="a conflict gives none"),
    ],
)
def test_pre_filter_narrows(terms: tuple[NodeSelectorTerm, ...], names: set[str] | None) -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    result = plugin.pre_filter(CycleState(), cluster.info(make_pod("p", affinity=requires(*terms))))
    assert (result.status, result.nodes) == (SUCCESS, names)


def test_pre_filter_skips_or_refuses() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    assert plugin.pre_filter(CycleState(), cluster.info(make_pod("p"))).status == SKIP
    conflict = make_pod("p", affinity=requires(named(("In", "n1"), ("In", "n2"))))
    assert plugin.pre_filter(CycleState(), cluster.info(conflict)).status == unresolvable(REASON_CONFLICT)


def test_score_sums_the_weights_of_matching_terms() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    preferred = (
        PreferredSchedulingTerm(2, term("zone", "Exists")),
        PreferredSchedulingTerm(1, term("zone", "In", "a")),
        PreferredSchedulingTerm(50, NodeSelectorTerm()),
    )
    pod = cluster.info(make_pod("p", affinity=Affinity(node_preferred=preferred)))
    assert assert_scores_agree(plugin, pod, cluster.table.order) == [3, 2, 0]
    raw = plugin.score(preferred, pod, cluster.table.order)
    assert normalize(plugin.normalize(preferred, pod, cluster.table.order, raw), raw).tolist() == [100, 66, 0]
    assert assert_scores_agree(plugin, cluster.info(make_pod("q")), cluster.table.order) is None


ADDED = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]
    },
    "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 7, "preference": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}}
    ],
}


def test_added_affinity_applies_to_all_pods_and_comes_first() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs.from_raw({"addedAffinity": ADDED}), FakeHandle(cluster))
    enforced = unresolvable(REASON_ENFORCED)
    rows = cluster.table.order
    assert assert_filters_agree(plugin, cluster.info(make_pod("p")), rows) == [SUCCESS, SUCCESS, enforced]
    picky = cluster.info(make_pod("q", node_selector={"zone": "b"}))
    assert assert_filters_agree(plugin, picky, rows) == [NO, SUCCESS, enforced]
    assert assert_scores_agree(plugin, picky, rows) == [0, 7, 0]


def test_arguments_with_unknown_words_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="requiredDuringScheduling"):
        NodeAffinityArgs.from_raw({"addedAffinity": {"requiredDuringScheduling": {}}})


def test_hints_queue_when_a_node_comes_to_match() -> None:
    plugin, pod = NodeAffinity(NodeAffinityArgs(), FakeHandle()), make_pod("p", node_selector={"zone": "a"})
    assert ask(plugin, NODE_ADD, pod, None, NODES[0]) is Hint.QUEUE
    assert ask(plugin, NODE_ADD, pod, None, NODES[1]) is Hint.SKIP
    assert ask(plugin, NODE_LABEL, pod, make_node("n1"), NODES[0]) is Hint.QUEUE
    assert ask(plugin, NODE_LABEL, pod, NODES[0], NODES[0]) is Hint.SKIP
    strict = NodeAffinity(NodeAffinityArgs.from_raw({"addedAffinity": ADDED}), FakeHandle())
    assert ask(strict, NODE_ADD, make_pod("q"), None, make_node("n3")) is Hint.SKIP


UNPARSABLE = Affinity(node_preferred=(PreferredSchedulingTerm(1, term("gen", "Gt", "-1")),))


def test_preferences_that_cannot_be_parsed_are_an_error_at_pre_score() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    result = plugin.pre_score(CycleState(), cluster.info(make_pod("p", affinity=UNPARSABLE)), cluster.table.order)
    assert result.status.code is Code.ERROR
    assert result.status.message.startswith(
        '[0].matchExpressions[0].values[0][gen]: Invalid value: "-1": a valid label'
    )


def test_required_terms_that_cannot_be_parsed_match_no_node() -> None:
    cluster = make_cluster(NODES)
    plugin = NodeAffinity(NodeAffinityArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", affinity=requires(term("gen", "Gt", "-1"))))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [NO, NO, NO]
