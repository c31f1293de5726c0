"""What mends a thing that is nearly right or broken, each verified by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    Affinity,
    Container,
    ContainerPort,
    Node,
    Pod,
    PodAffinityTerm,
    TopologySpreadConstraint,
)
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.explain.remedies.candidates.mending import tolerations
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import ASKED, HOSTNAME, ZONE, trials_of

if TYPE_CHECKING:
    from scheduler_core.explain.remedies.model import Remedy

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
WEB = LabelSelector((Requirement("app", "In", ("web",)),))
GPU = "nvidia.com/gpu"
UNREACHABLE = "node.kubernetes.io/unreachable"


def verified(nodes: list[Node], pods: list[Pod]) -> dict[str, Remedy]:
    """The first verified remedy of each code."""
    proposed: dict[str, Remedy] = {}
    for one in remedies(trials_of(nodes, pods), ASKED).verified:
        proposed.setdefault(one.code, one)
    return proposed


def first(nodes: list[Node], pods: list[Pod]) -> Remedy:
    return remedies(trials_of(nodes, pods), ASKED).verified[0]


# --- tolerations -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("has", "becomes"),
    [
        (("stage", "Exists", "", "PreferNoSchedule"), ("stage", "Exists", "", "NoSchedule")),
        (("stage", "Equal", "no", "NoSchedule"), ("stage", "Equal", "yes", "NoSchedule")),
        (("stage", "Equal", "no", ""), ("stage", "Equal", "yes", "")),
    ],
    ids=["another effect", "another value", "another value of any effect"],
)
def test_a_toleration_that_is_nearly_right_is_mended(has: tuple[str, ...], becomes: tuple[str, ...]) -> None:
    pod = make_pod("p", tolerations=(Toleration("other", "Exists"), Toleration(*has)))
    one = first([make_node("n", taints=["stage=yes:NoSchedule"])], [pod])
    assert (one.code, one.actor, one.size, one.node) == ("MEND_TOLERATION", "workload", 0.25, "n")
    ((_, _, _, make),) = tolerations(pod, (Taint("stage", "yes", "NoSchedule"),))
    mended = make(pod)
    assert mended is not None
    assert mended.tolerations == (Toleration("other", "Exists"), Toleration(*becomes))


def test_a_taint_without_such_a_toleration_is_tolerated() -> None:
    one = first([make_node("n", taints=["gpu=yes:NoSchedule"])], [make_pod("p")])
    assert (one.code, one.edits[0].after) == ("TOLERATE", "gpu=yes:NoSchedule")


# --- labels ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("selector", "labels", "becomes"),
    [
        ({"pool": "junipr"}, {"pool": "juniper"}, "pool=juniper"),
        ({"disk": "mvne"}, {"disk": "nvme"}, "disk=nvme"),
        ({"tier": "gold"}, {"Tier": "gold"}, "Tier=gold"),
        ({OLD_ZONE: "a"}, {ZONE: "a"}, f"{ZONE}=a"),
    ],
    ids=["a letter missing", "letters swapped", "another case", "renamed by Kubernetes"],
)
def test_a_selector_that_is_nearly_right_is_mended_first(
    selector: dict[str, str], labels: dict[str, str], becomes: str
) -> None:
    nodes = [*[make_node(f"n{i}", labels=labels) for i in range(8)], make_node("far", labels={"pool": "amber"})]
    one = first(nodes, [make_pod("p", node_selector=selector)])
    assert (one.code, one.edits[0].after, one.n_fit, one.size) == ("CHANGE_SELECTOR", becomes, 8, 0.25)


# --- spread ----------------------------------------------------------------------------------------------------------
def spread(key: str = ZONE, **fields: Any) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(topology_key=key, label_selector=WEB, **fields)


def web(name: str, node: str = "", **fields: Any) -> Pod:
    return make_pod(name, labels={"app": "web"} | fields.pop("labels", {}), node_name=node, **fields)


def asks(constraint: TopologySpreadConstraint, **fields: Any) -> Pod:
    return web("p", topology_spread_constraints=(constraint,), **fields)


def in_zones(*zones: str) -> list[Node]:
    return [make_node(f"{zone}1", labels={ZONE: zone}) for zone in zones]


def test_nodes_whose_taints_keep_it_off_are_left_out_of_the_spread() -> None:
    control_plane = make_node("ctl", labels={ZONE: "c"}, taints=["node-role.kubernetes.io/control-plane:NoSchedule"])
    one = first([*in_zones("a", "b"), control_plane], [web("x", "a1"), web("y", "b1"), asks(spread())])
    assert (one.code, one.edits[0].after, one.n_fit) == ("HONOR_TAINTS_IN_SPREAD", "Honor", 2)
    assert (one.edits[0].path, one.edits[0].value) == ("/spec/topologySpreadConstraints/0/nodeTaintsPolicy", "Honor")


def test_nodes_that_it_does_not_select_are_left_out_of_the_spread() -> None:
    nodes = [make_node("a1", labels={ZONE: "a", "disk": "ssd"}), *in_zones("b")]
    pod = asks(spread(node_affinity_policy="Ignore"), node_selector={"disk": "ssd"})
    proposed = verified(nodes, [web("x", "a1"), pod])
    assert proposed["LOOSEN_SPREAD"].edits[0].path == "/spec/topologySpreadConstraints/0/nodeAffinityPolicy"


def test_min_domains_are_lowered_to_what_there_is() -> None:
    one = first(in_zones("a", "b"), [web("x", "a1"), web("y", "b1"), asks(spread(min_domains=3))])
    assert (one.code, one.edits[0].before, one.edits[0].after) == ("LOOSEN_SPREAD", "3", "2")


def test_only_pods_of_the_same_revision_are_counted() -> None:
    new, old = {"pod-template-hash": "v2"}, {"pod-template-hash": "v1"}
    nodes = [*in_zones("a"), make_node("b1", labels={ZONE: "b"}, unschedulable=True)]
    proposed = verified(nodes, [web("x", "a1", labels=old), asks(spread(), labels=new)])
    assert proposed["SPREAD_BY_REVISION"].edits[0].after == "pod-template-hash"
    assert "SPREAD_BY_REVISION" not in verified(nodes, [web("x", "a1"), asks(spread())])


def test_a_topology_key_that_no_node_has_is_changed_to_the_one_that_is_meant() -> None:
    one = first(in_zones("a", "b"), [asks(spread(OLD_ZONE))])
    assert (one.code, one.edits[0].after, one.n_fit) == ("CHANGE_TOPOLOGY_KEY", ZONE, 2)
    term = PodAffinityTerm(OLD_ZONE, WEB)
    affine = make_pod("p", affinity=Affinity(pod_required=(term,)))
    one = first(in_zones("a", "b"), [web("x", "a1"), affine])
    assert (one.code, one.edits[0].after, one.node) == ("CHANGE_TOPOLOGY_KEY", ZONE, "a1")


# --- devices and ports -----------------------------------------------------------------------------------------------
def test_another_name_of_the_device_is_asked_for_and_no_node_is_enlarged_by_one() -> None:
    nodes = [make_node("cpu"), make_node("gpu", extended={"nvidia.com/mig-1g.10gb": "7"})]
    proposed = verified(nodes, [make_pod("p", extended={GPU: "1"})])
    assert proposed["REQUEST_OTHER"].node == "gpu"
    assert "GROW_NODE" not in proposed
    paths = {(one.op, one.path) for one in proposed["REQUEST_OTHER"].edits}
    assert paths == {
        ("remove", "/spec/containers/0/resources/requests/nvidia.com~1gpu"),
        ("set", "/spec/containers/0/resources/requests/nvidia.com~1mig-1g.10gb"),
    }


def test_devices_that_a_node_has_and_does_not_offer_are_mended_by_whoever_sees_to_them() -> None:
    dead = make_node("dead")
    dead = msgspec.structs.replace(dead, allocatable={**dead.allocatable, GPU: 0}, capacity={**dead.capacity, GPU: 8})
    one = first([make_node("cpu"), dead], [make_pod("p", extended={GPU: "2"})])
    assert (one.code, one.actor, one.node) == ("MEND_DEVICES", "hardware", "dead")
    assert one.assumed == f"{GPU} 8 allocatable"


def test_the_next_free_host_port_is_used() -> None:
    def holding(name: str, *ports: int, node: str = "") -> Pod:
        several = tuple(ContainerPort(80, port) for port in ports)
        return make_pod(name, node_name=node, containers=(Container("c", ports=several),))

    proposed = verified([make_node("n")], [holding("x", 8080, 8081, node="n"), holding("p", 8080)])
    assert (proposed["CHANGE_PORT"].edits[0].before, proposed["CHANGE_PORT"].edits[0].after) == ("8080", "8082")


def test_a_host_s_name_is_no_label_to_be_nearly_right() -> None:
    nodes = [make_node("worker-1", taints=["x:NoSchedule"]), make_node("worker-2")]
    one = first(nodes, [make_pod("p", node_selector={HOSTNAME: "worker-1"})])
    assert one.code == "TOLERATE", "worker-1 is there: it was chosen"


def test_an_affinity_to_pods_of_another_namespace_selects_them_there() -> None:
    web = make_pod("web", namespace="shop", labels={"app": "web"}, node_name="n")
    near = Affinity(pod_required=(PodAffinityTerm(HOSTNAME, WEB),))
    one = first([make_node("n", labels={HOSTNAME: "n"})], [web, make_pod("p", affinity=near)])
    assert (one.code, one.edits[0].after) == ("CHANGE_AFFINITY", "default and shop")
    assert one.edits[0].op in ("set", "add")
