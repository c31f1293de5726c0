"""NodeUnschedulable against plugins/nodeunschedulable."""

from __future__ import annotations

import pytest

from scheduler_core.api.taints import Toleration
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, unresolvable
from scheduler_core.plugins.node_unschedulable import REASON, NodeUnschedulable
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_TAINT, POD_TOLERATION, ask

OPEN, CORDONED = make_node("n"), make_node("n", unschedulable=True)
TOLERANT = (Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoSchedule"),)


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [
        pytest.param((), unresolvable(REASON), id="a cordoned node refuses"),
        pytest.param(TOLERANT, SUCCESS, id="a cordoned node takes a pod that tolerates it"),
        pytest.param((Toleration("other", "Exists"),), unresolvable(REASON), id="another toleration does not help"),
    ],
)
def test_filter(tolerations: tuple[Toleration, ...], expected: object) -> None:
    cluster = make_cluster([make_node("open"), make_node("cordoned", unschedulable=True)])
    plugin = NodeUnschedulable(NoArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", tolerations=tolerations))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, expected]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(None, OPEN, Hint.QUEUE, id="a new open node queues"),
        pytest.param(None, CORDONED, Hint.SKIP, id="a new cordoned node does not"),
        pytest.param(CORDONED, OPEN, Hint.QUEUE, id="uncordoning queues"),
        pytest.param(OPEN, CORDONED, Hint.SKIP, id="cordoning does not"),
        pytest.param(OPEN, OPEN, Hint.SKIP, id="any other change of an open node does not"),
    ],
)
def test_hint_for_nodes(old: object, new: object, expected: Hint) -> None:
    plugin = NodeUnschedulable(NoArgs(), FakeHandle())
    event = NODE_ADD if old is None else NODE_TAINT
    assert ask(plugin, event, make_pod("p"), old, new) is expected


def test_hint_for_tolerations_asks_for_the_one_that_matters() -> None:
    plugin, pod = NodeUnschedulable(NoArgs(), FakeHandle()), make_pod("p")
    assert ask(plugin, POD_TOLERATION, pod, pod, make_pod("p", tolerations=TOLERANT)) is Hint.QUEUE
    assert ask(plugin, POD_TOLERATION, pod, pod, make_pod("p")) is Hint.SKIP
    assert ask(plugin, POD_TOLERATION, pod, pod, make_pod("q", tolerations=TOLERANT)) is Hint.SKIP
