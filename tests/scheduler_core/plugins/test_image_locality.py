"""ImageLocality against plugins/imagelocality. Expected numbers are computed by hand from its formula."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Container, ContainerImage, Node, Pod
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.plugins.image_locality import ImageLocality
from scheduler_core.testing.agreement import assert_scores_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle

MB = 1 << 20


def node(name: str, **sizes: int) -> Node:
    return make_node(name, images=tuple(ContainerImage((f"{image}:1",), size * MB) for image, size in sizes.items()))


def using(*images: str, init: tuple[str, ...] = ()) -> Pod:
    return make_pod(
        "p",
        containers=tuple(Container(f"c{i}", image) for i, image in enumerate(images)),
        init_containers=tuple(Container(f"i{i}", image) for i, image in enumerate(init)),
    )


@pytest.mark.parametrize(
    ("nodes", "pod", "expected"),
    [
        # 250 MB on one of two nodes: 125 MB; 100 * (125 - 23) / (1000 - 23) = 10.4
        pytest.param([node("a", web=250), node("b")], using("web:1"), [10, 0], id="size counts by share of nodes"),
        # 250 MB on both: 100 * (250 - 23) / 977 = 23.2
        pytest.param([node("a", web=250), node("b", web=250)], using("web:1"), [23, 23], id="spread counts fully"),
        pytest.param([node("a", web=40), node("b")], using("web:1"), [0, 0], id="below 23 MB nothing counts"),
        pytest.param([node("a", web=4000), node("b")], using("web:1"), [100, 0], id="above 1000 MB nothing more"),
        # two containers: 125 + 2000 capped at 2000: 100 * (2000 - 23) / (2000 - 23)
        pytest.param([node("a", web=250, db=4000), node("b")], using("web:1", "db:1"), [100, 0], id="images add up"),
        # init containers count in the sum and in the cap: 100 * (500 - 23) / (2000 - 23) = 24.1
        pytest.param([node("a", web=1000), node("b")], using("x", init=("web:1",)), [24, 0], id="init containers too"),
        pytest.param([node("a", web=250), node("b")], using("web"), [0, 0], id="no tag means latest"),
    ],
)
def test_score(nodes: list[Node], pod: Pod, expected: list[int]) -> None:
    cluster = make_cluster(nodes)
    plugin = ImageLocality(NoArgs(), FakeHandle(cluster))
    assert assert_scores_agree(plugin, cluster.info(pod), cluster.table.order) == expected


def test_a_registry_port_is_no_tag() -> None:
    cluster = make_cluster([make_node("a", images=(ContainerImage(("host:5000/web:latest",), 500 * MB),))])
    plugin = ImageLocality(NoArgs(), FakeHandle(cluster))
    scores = assert_scores_agree(plugin, cluster.info(using("host:5000/web")), cluster.table.order)
    assert scores == [100 * (500 - 23) // 977]


def test_scores_follow_nodes_that_come_change_and_go() -> None:
    cluster = make_cluster([node("a", web=250), node("b")])
    plugin, pod = ImageLocality(NoArgs(), FakeHandle(cluster)), cluster.info(using("web:1"))
    assert assert_scores_agree(plugin, pod, cluster.table.order) == [10, 0]
    cluster.put_node(node("b", web=250))
    assert assert_scores_agree(plugin, pod, cluster.table.order) == [23, 23]
    cluster.drop_node("a")
    cluster.put_node(node("c"))
    assert assert_scores_agree(plugin, pod, cluster.table.order) == [10, 0]
