"""What a change of objects is as edits of their manifests; each path and value worked out by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    CSIDriverOnNode,
    CSINode,
    Node,
    PersistentVolume,
    Pod,
    StorageClass,
    TopologySpreadConstraint,
)
from scheduler_core.api.taints import Toleration
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain import edited_objects
from scheduler_core.explain.remedies.model import ProposedEdit
from scheduler_core.explain.remedies.proposed_edits import (
    full_name,
    in_template,
    operations,
    template_owner,
    with_operations,
)
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_seq
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.writing.json_edits import JsonEdit
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import recorded

replace = msgspec.structs.replace
POD_NAME = "v1/Pod/default/p"


def made(nodes: list[Node], pod: Pod, changes: Changes, **objects: Any) -> list[tuple[str, str, str, Any]]:
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=[pod], **objects))
    trials = at_seq(recorded(inputs), inputs, 0)
    return [msgspec.structs.astuple(one) for one in operations(trials, trials.pod(pod.key), changes)]


def of_pod(before: Pod, after: Pod) -> list[tuple[str, str, Any]]:
    several = made([make_node("n")], before, Changes(pod=after))
    assert {name for _, name, _, _ in several} <= {POD_NAME}
    return [(op, path, value) for op, _, path, value in several]


def test_the_first_toleration_sets_the_field_and_one_more_is_added_at_the_end() -> None:
    first, second = Toleration("gpu", "Exists"), Toleration("disk", "Equal", "ssd", "NoSchedule")
    pod = make_pod("p")
    once = replace(pod, tolerations=(first,))
    assert of_pod(pod, once) == [("set", "/spec/tolerations", [{"key": "gpu", "operator": "Exists"}])]
    more = {"key": "disk", "operator": "Equal", "value": "ssd", "effect": "NoSchedule"}
    assert of_pod(once, replace(pod, tolerations=(first, second))) == [("add", "/spec/tolerations/1", more)]


def test_one_field_of_a_list_s_entry_is_set_alone() -> None:
    pod = make_pod("p", tolerations=(Toleration("gpu", "Exists", "", "PreferNoSchedule"),))
    mended = replace(pod, tolerations=(Toleration("gpu", "Exists", "", "NoSchedule"),))
    assert of_pod(pod, mended) == [("set", "/spec/tolerations/0/effect", "NoSchedule")]


def test_entries_are_taken_off_from_the_last_on() -> None:
    pod = make_pod("p", scheduling_gates=("a", "b", "c"))
    several = of_pod(pod, replace(pod, scheduling_gates=("b",)))
    assert several == [("remove", "/spec/schedulingGates/2", None), ("remove", "/spec/schedulingGates/0", None)]


def test_a_request_is_set_in_its_container_and_slashes_of_names_are_escaped() -> None:
    pod = make_pod("p", cpu="4", extended={"example.com/gpu": "2"})
    less = edited_objects.asking_for(pod, "example.com/gpu", 1)
    assert less is not None
    assert of_pod(pod, less) == [("set", "/spec/containers/0/resources/requests/example.com~1gpu", "1")]


def test_a_selector_is_set_whole_as_a_manifest_may_have_match_labels() -> None:
    one = LabelSelector((Requirement("app", "In", ("web",)),))
    both = LabelSelector((*one.requirements, Requirement("hash", "In", ("v2",))))
    spread = TopologySpreadConstraint(topology_key="zone", label_selector=one)
    pod = make_pod("p", topology_spread_constraints=(spread,))
    after = replace(pod, topology_spread_constraints=(replace(spread, label_selector=both),))
    ((op, path, value),) = of_pod(pod, after)
    assert (op, path) == ("set", "/spec/topologySpreadConstraints/0/labelSelector")
    assert [entry["key"] for entry in value["matchExpressions"]] == ["app", "hash"]


def test_a_taint_goes_and_the_rest_of_the_node_stays() -> None:
    node = make_node("n", taints=["gpu:NoSchedule"])
    changes = Changes(nodes=(edited_objects.untainted(node, node.taints),))
    assert made([node], make_pod("p"), changes) == [("remove", "v1/Node//n", "/spec/taints", None)]


def test_a_label_is_set_at_its_key() -> None:
    node = make_node("n")
    changes = Changes(nodes=(replace(node, labels={**node.labels, "example.com/tier": "gold"}),))
    assert made([node], make_pod("p"), changes) == [
        ("set", "v1/Node//n", "/metadata/labels/example.com~1tier", "gold")
    ]  # fmt: skip


def test_a_new_node_is_added_as_a_whole() -> None:
    node = make_node("n", labels={"zone": "a"})
    ((op, name, path, value),) = made([node], make_pod("p"), Changes(nodes=(edited_objects.another(node, "n-more"),)))
    assert (op, name, path) == ("add", "v1/Node//n-more", "")
    assert value["metadata"]["labels"] == {"kubernetes.io/hostname": "n-more", "zone": "a"}
    assert value["status"]["allocatable"]["cpu"] == "4"


def test_fields_beside_spec_are_set_too() -> None:
    fast = StorageClass(name="fast", provisioner="csi.example.com", volume_binding_mode="Immediate")
    changes = Changes(objects=(replace(fast, volume_binding_mode="WaitForFirstConsumer"),))
    assert made([make_node("n")], make_pod("p"), changes, storage_classes=[fast]) == [
        ("set", "storage.k8s.io/v1/StorageClass//fast", "/volumeBindingMode", "WaitForFirstConsumer")
    ]
    ((_, _, _, value),) = made([make_node("n")], make_pod("p"), Changes(objects=(fast,)))
    assert value == {"metadata": {"name": "fast"}, "provisioner": "csi.example.com"}, "Immediate is what is not written"


def test_a_new_volume_says_where_its_data_is() -> None:
    volume = PersistentVolume(name="v", source="hostPath", attributes={"path": "/v"}, capacity_bytes=1 << 30)
    ((op, name, _, value),) = made([make_node("n")], make_pod("p"), Changes(objects=(volume,)))
    assert (op, name) == ("add", "v1/PersistentVolume//v")
    assert value["spec"]["hostPath"] == {"path": "/v"}


def test_pods_that_go_are_removed() -> None:
    changes = Changes(gone=("shop/web-1", "shop/web-2"))
    assert made([make_node("n")], make_pod("p"), changes) == [
        ("remove", "v1/Pod/shop/web-1", "", None),
        ("remove", "v1/Pod/shop/web-2", "", None),
    ]


def test_objects_are_named_by_version_kind_namespace_and_name() -> None:
    assert full_name(make_pod("p", namespace="shop")) == "v1/Pod/shop/p"
    assert full_name(CSINode(name="n", drivers=(CSIDriverOnNode("d", "n", (), 1),))) == "storage.k8s.io/v1/CSINode//n"


def test_each_operation_stands_beside_its_proposal_and_none_is_left_out() -> None:
    proposed = (ProposedEdit("port", "80"), ProposedEdit("request", "cpu", "4", "2", code="REQUEST_LESS"))
    request, limit = (f"/spec/containers/0/resources/{name}/cpu" for name in ("requests", "limits"))
    made = [JsonEdit("set", POD_NAME, path, 2) for path in (request, limit)]
    port = JsonEdit("remove", POD_NAME, "/spec/containers/0/ports/0")
    assert [(one.subject, one.op, one.path) for one in with_operations(proposed, [*made, port])] == [
        ("80", "remove", port.path), ("cpu", "set", request), ("cpu", "set", limit),
    ]  # fmt: skip
    assert [(one.subject, one.op) for one in with_operations(proposed, made[:1])] == [("80", ""), ("cpu", "set")]
    assert with_operations((), made) == ()


# --- pods of workloads -----------------------------------------------------------------------------------------------
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "i"}], "nodeSelector": {"disk": "sd"}},
        },
    },
}
WEB = "apps/v1/Deployment/shop/web"


def of_deployment() -> tuple[Trials, Pod]:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"disk": "ssd"}},
            "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "10"}}}  # fmt: skip
    inputs = RunInputs(objects=load_manifests([node, DEPLOYMENT]).objects)
    trials = at_seq(recorded(inputs), inputs, 0)
    (pod,) = trials.simulation.start_pods.values()
    return trials, trials.pod(pod.key)


def test_a_pod_that_a_deployment_makes_is_edited_in_the_deployment_s_template() -> None:
    trials, pod = of_deployment()
    first = remedies(trials, pod.key).verified[0]
    assert [(one.op, one.object, one.path, one.value) for one in first.edits] == [
        ("set", WEB, "/spec/template/spec/nodeSelector/disk", "ssd")
    ]


def test_what_is_added_to_the_template_s_list_is_added_at_its_end_and_gates_are_the_pod_s_own() -> None:
    trials, pod = of_deployment()
    own = Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute")
    before = replace(pod, tolerations=(own,), scheduling_gates=("wait",))
    after = replace(before, tolerations=(own, Toleration("gpu", "Exists")), scheduling_gates=())
    several = [in_template(published(one), WEB) for one in operations(trials, before, Changes(pod=after))]
    assert [(one.op, one.object, one.path) for one in several] == [
        ("add", WEB, "/spec/template/spec/tolerations/-"),
        ("remove", f"v1/Pod/{pod.key}", "/spec/schedulingGates"),
    ]
    assert template_owner(trials.simulation, replace(pod, owner_references=())) == ""


def published(edit: JsonEdit) -> ProposedEdit:
    return ProposedEdit("toleration", "gpu", op=edit.op, object=edit.object, path=edit.path, value=edit.value)


def test_match_label_keys_are_set_as_people_write_them() -> None:
    labels = {"app": "web", "pod-template-hash": "2"}
    selector = LabelSelector((Requirement("app", "In", ("web",)),))
    spread = TopologySpreadConstraint(topology_key="kubernetes.io/hostname", label_selector=selector)
    old = make_pod("old", labels={"app": "web", "pod-template-hash": "1"}, node_name="a")
    pod = make_pod("p", labels=labels, topology_spread_constraints=(spread,))
    nodes = [make_node("a", labels={"kubernetes.io/hostname": "a"}), make_node("b", taints=["x=y:NoSchedule"],
             labels={"kubernetes.io/hostname": "b"})]  # fmt: skip
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=[old, pod]))
    trials = at_seq(recorded(inputs), inputs, 0)
    (one,) = [one for one in remedies(trials, pod.key).verified if one.code == "SPREAD_BY_REVISION"]
    assert [(edit.op, edit.path, edit.value) for edit in one.edits] == [
        ("set", "/spec/topologySpreadConstraints/0/matchLabelKeys", ["pod-template-hash"])
    ]
