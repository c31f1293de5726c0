"""TaintToleration against plugins/tainttoleration."""

from __future__ import annotations

import pytest

from scheduler_core.api.taints import Toleration
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, Status, unresolvable
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.agreement import assert_filters_agree, assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from scheduler_core.versions.behaviours import Behaviours
from tests.scheduler_core.plugins.hints import NODE_ADD, NODE_TAINT, POD_TOLERATION, ask

REFUSED = unresolvable("node(s) had untolerated taint(s)")


@pytest.mark.parametrize(
    ("taints", "tolerations", "expected"),
    [
        pytest.param((), (), SUCCESS, id="no taint accepts"),
        pytest.param(("dedicated=gpu:NoSchedule",), (), REFUSED, id="a taint without toleration rejects"),
        pytest.param(("dedicated=gpu:NoExecute",), (), REFUSED, id="NoExecute rejects as well"),
        pytest.param(("dedicated=gpu:PreferNoSchedule",), (), SUCCESS, id="PreferNoSchedule never rejects"),
        pytest.param(
            ("dedicated=gpu:NoSchedule",), (Toleration("dedicated", "Exists"),), SUCCESS, id="Exists accepts any value"
        ),
        pytest.param(
            ("dedicated=gpu:NoSchedule",), (Toleration("dedicated", value="cpu"),), REFUSED, id="another value rejects"
        ),
        pytest.param(
            ("dedicated=gpu:NoSchedule",),
            (Toleration("dedicated", "Exists", effect="NoExecute"),),
            REFUSED,
            id="a toleration of another effect rejects",
        ),
        pytest.param(
            ("old:PreferNoSchedule", "dedicated=gpu:NoSchedule", "x:NoSchedule"), (), REFUSED,
            id="a repelling taint among others rejects",
        ),
        pytest.param(("x:NoSchedule",), (Toleration(operator="Exists"),), SUCCESS, id="an empty key tolerates all"),
    ],
)  # fmt: skip
def test_filter(taints: tuple[str, ...], tolerations: tuple[Toleration, ...], expected: Status) -> None:
    cluster = make_cluster([make_node("plain"), make_node("tainted", taints=taints)])
    plugin = TaintToleration(NoArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", tolerations=tolerations))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, expected]


def test_releases_before_1_34_2_name_the_first_repelling_taint() -> None:
    taints = ("old:PreferNoSchedule", "dedicated=gpu:NoSchedule", "x:NoSchedule")
    cluster = make_cluster([make_node("plain"), make_node("tainted", taints=taints)])
    handle = FakeHandle(cluster)
    handle.run.behaviours = Behaviours(taint_is_named=True)
    named = unresolvable("node(s) had untolerated taint {dedicated: gpu}")
    pod = cluster.info(make_pod("p"))
    statuses = assert_filters_agree(TaintToleration(NoArgs(), handle), pod, cluster.table.order)
    assert statuses == [SUCCESS, named]


def test_taints_of_a_node_that_came_later_are_looked_at() -> None:
    cluster = make_cluster([make_node("plain")])
    plugin = TaintToleration(NoArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p"))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS]
    cluster.put_node(make_node("tainted", taints=("dedicated=gpu:NoSchedule",)))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, REFUSED]


def test_score_counts_what_is_not_tolerated_and_is_turned_around() -> None:
    soft = [f"t{i}:PreferNoSchedule" for i in range(3)]
    nodes = [make_node(f"n{i}", taints=soft[:i]) for i in range(4)]
    cluster = make_cluster(nodes)
    plugin = TaintToleration(NoArgs(), FakeHandle(cluster))
    pod, rows = cluster.info(make_pod("p", tolerations=(Toleration("t0", "Exists"),))), cluster.table.order
    assert assert_scores_agree(plugin, pod, rows) == [0, 0, 1, 2]
    raw = plugin.score((Toleration("t0", "Exists"),), pod, rows)
    assert normalize(plugin.normalize((), pod, rows, raw), raw).tolist() == [100, 100, 50, 0]


def test_a_toleration_of_another_effect_does_not_count_for_the_score() -> None:
    cluster = make_cluster([make_node("n", taints=("t:PreferNoSchedule",))])
    plugin = TaintToleration(NoArgs(), FakeHandle(cluster))
    pod = cluster.info(make_pod("p", tolerations=(Toleration("t", "Exists", effect="NoSchedule"),)))
    assert assert_scores_agree(plugin, pod, cluster.table.order) == [1]


def test_hints_queue_when_a_node_becomes_tolerable() -> None:
    plugin, pod = TaintToleration(NoArgs(), FakeHandle()), make_pod("p")
    tainted, plain = make_node("n", taints=("a:NoSchedule",)), make_node("n")
    assert ask(plugin, NODE_ADD, pod, None, plain) is Hint.QUEUE
    assert ask(plugin, NODE_ADD, pod, None, tainted) is Hint.SKIP
    assert ask(plugin, NODE_TAINT, pod, tainted, plain) is Hint.QUEUE
    assert ask(plugin, NODE_TAINT, pod, plain, plain) is Hint.SKIP
    assert ask(plugin, POD_TOLERATION, pod, pod, make_pod("p")) is Hint.QUEUE
    assert ask(plugin, POD_TOLERATION, pod, pod, make_pod("q")) is Hint.SKIP
