"""NodeName against plugins/nodename."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, unresolvable
from scheduler_core.plugins.node_name import REASON, NodeName
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fact_checks import check_alike
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_LABEL, ask


@pytest.mark.parametrize(
    ("node_name", "expected"),
    [
        pytest.param("", [SUCCESS, SUCCESS], id="a pod that names no node fits everywhere"),
        pytest.param("b", [unresolvable(REASON), SUCCESS], id="a pod that names a node fits there alone"),
        pytest.param("c", [unresolvable(REASON)] * 2, id="a pod that names an unknown node fits nowhere"),
    ],
)
def test_filter(node_name: str, expected: list[object]) -> None:
    cluster = make_cluster([make_node("a"), make_node("b")])
    plugin = NodeName(NoArgs(), FakeHandle(cluster))
    assert (
        assert_filters_agree(plugin, cluster.info(make_pod("p", node_name=node_name)), cluster.table.order) == expected
    )


def test_all_nodes_that_are_not_asked_for_are_alike() -> None:
    cluster = make_cluster([make_node("a"), make_node("b"), make_node("c")])
    plugin, pod = NodeName(NoArgs(), FakeHandle(cluster)), cluster.info(make_pod("p", node_name="b"))
    assert len(set(plugin.alike(None, pod, cluster.rows_of(["a", "c"])).tolist())) == 1
    check_alike(plugin, cluster, pod)


def test_new_nodes_queue_and_changed_ones_do_not() -> None:
    plugin = NodeName(NoArgs(), FakeHandle())
    assert ask(plugin, NODE_ADD, make_pod("p"), None, make_node("a")) is Hint.QUEUE
    assert ask(plugin, NODE_LABEL, make_pod("p"), make_node("a"), make_node("a")) is None
