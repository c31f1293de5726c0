"""Pods that controllers would create: how many, how named, and never twice (pkg/controller of each kind)."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import ManifestSource, dump_yaml, masked_source
from scheduler_core.manifests.expansion.made_up_names import is_made_up
from tests.scheduler_core.manifests.expansion.workload_texts import TEMPLATE, node, workload
from tests.scheduler_core.manifests.manifest_helpers import load, objects, only

SELECTOR = "selector: {matchLabels: {app: web}}"


def owned_pod(name: str, owner: str, labels: str = "app: web", more: str = "") -> str:
    kind, _, owner_name = owner.partition("/")
    meta = f"name: {name}, namespace: shop, labels: {{{labels}}}, "
    meta += f"ownerReferences: [{{kind: {kind}, name: {owner_name}, controller: true}}]"
    return f"---\n{{apiVersion: v1, kind: Pod, metadata: {{{meta}}}, spec: {{containers: [{{name: c}}]}}{more}}}\n"


@pytest.mark.parametrize(
    ("kind", "spec", "count", "owner"),
    [
        ("Deployment", f"replicas: 3, {SELECTOR}", 3, "ReplicaSet"),
        ("Deployment", SELECTOR, 1, "ReplicaSet"),
        ("ReplicaSet", f"replicas: 2, {SELECTOR}", 2, "ReplicaSet"),
        ("StatefulSet", f"replicas: 2, {SELECTOR}", 2, "StatefulSet"),
        ("ReplicaSet", f"replicas: 0, {SELECTOR}", 0, ""),
    ],
)
def test_replicas_become_pending_pods_with_an_owner(kind, spec, count, owner):
    pods = objects(workload(kind, spec)).pods
    assert len({p.key for p in pods}) == len(pods) == count
    for pod in pods:
        assert (pod.namespace, pod.node_name, pod.labels["app"]) == ("shop", "", "web")
        assert pod.containers[0].requests == {"cpu": 1000}
        assert (pod.owner_references[0].kind, pod.owner_references[0].controller) == (owner, True)


def test_names_look_like_those_of_kubernetes_and_stay_the_same():
    text = workload("Deployment", f"replicas: 2, {SELECTOR}") + "---\n" + workload("StatefulSet", SELECTOR, "db")
    names = [p.name for p in objects(text).pods]
    assert names == [p.name for p in objects(text).pods]
    assert names[0] == "db-0"
    stem, code, end = names[1].rsplit("-", 2)
    assert (stem, len(code), len(end)) == ("web", 10, 5)


def test_names_do_not_depend_on_the_order_of_keys():
    text = workload("Deployment", f"replicas: 2, {SELECTOR}")
    result = load(text)
    again = load(dump_yaml([m.raw for m in result.manifests]))
    assert again.objects == result.objects


def test_names_do_not_depend_on_what_is_masked_at_import():
    secrets = "env: [{name: A, value: hunter2}], args: [--password=x], image: i"
    text = workload("Deployment", f"replicas: 2, {SELECTOR}").replace(
        "containers: [{", "containers: [{" + secrets + ", "
    )
    masked = masked_source(ManifestSource("web.yaml", text.encode())).source.data.decode()
    assert "hunter2" in text
    assert "hunter2" not in masked
    names = [p.name for p in objects(text).pods]
    assert [p.name for p in objects(masked).pods] == names
    assert [p.name for p in objects(text.replace("image: i", "image: j")).pods] != names


def test_job_pods_count_parallelism_completions_and_what_is_done():
    def job(spec: str, status: str = "{}") -> int:
        text = (
            f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{spec}{TEMPLATE}}}, status: {status}}}"
        )
        return len(objects(text).pods)

    assert job("") == 1
    three = "parallelism: 3, "
    assert job(f"{three}completions: 5, ") == 3
    assert job(f"{three}completions: 5, ", "{succeeded: 4}") == 1
    assert job(f"{three}suspend: true, ") == 0
    complete = "{conditions: [{type: Complete, status: 'True'}]}"
    assert job(three, complete) == 0


def test_pods_that_are_there_are_not_made_again():
    pods = owned_pod("web-1", "ReplicaSet/web") + owned_pod("web-2", "ReplicaSet/web")
    full = objects(workload("ReplicaSet", f"replicas: 2, {SELECTOR}") + pods)
    assert len(full.pods) == 2
    result = load(workload("ReplicaSet", f"replicas: 3, {SELECTOR}") + pods)
    assert len(result.objects.pods) == 3
    assert "holds 2 of" in only(result).message
    assert "1 missing" in only(result).message


def test_pods_that_the_input_does_not_hold_are_recognised_by_their_names():
    kinds = [("ReplicaSet", "web"), ("StatefulSet", "db")]
    text = "---\n".join(workload(kind, f"replicas: 3, {SELECTOR}", name) for kind, name in kinds)
    given = objects(text + owned_pod("web-1", "ReplicaSet/web") + owned_pod("db-0", "StatefulSet/db"))
    by_owner = {one.name: one for one in given.workloads}
    made_up = [pod.name for pod in given.pods if is_made_up(by_owner[pod.owner_references[0].name], pod.name)]
    assert len(given.pods) == 6
    assert len(made_up) == 4
    assert not {"web-1", "db-0"} & set(made_up)


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("ReplicaSet", f"replicas: 2, {SELECTOR}"),
        ("Deployment", f"replicas: 2, {SELECTOR}"),
        ("Job", "parallelism: 2, completions: 2, completionMode: Indexed"),
    ],
)
@pytest.mark.parametrize("length", [3, 40, 58, 63])
def test_names_are_recognised_where_their_base_is_cut(kind, spec, length):
    text = workload(kind, spec, "w" * length, "batch/v1" if kind == "Job" else "apps/v1")
    given = objects(text.replace("containers:", "restartPolicy: Never, containers:") if kind == "Job" else text)
    assert len(given.pods) == 2
    assert all(is_made_up(given.workloads[0], pod.name) for pod in given.pods)


@pytest.mark.parametrize("with_set", [True, False])
def test_a_deployment_counts_the_pods_of_its_replica_sets(with_set):
    text = workload("Deployment", f"replicas: 2, {SELECTOR}")
    if with_set:
        meta = "{name: web-5d4f8, namespace: shop, ownerReferences: [{kind: Deployment, name: web, controller: true}]}"
        spec = f"{{replicas: 2, {SELECTOR}, {TEMPLATE}}}"
        text += f"---\n{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {meta}, spec: {spec}}}\n"
    for i in range(2):
        text += owned_pod(f"web-5d4f8-{i}", "ReplicaSet/web-5d4f8", "app: web, pod-template-hash: 5d4f8")
    cluster = objects(text)
    assert len(cluster.pods) == 2
    assert [s.kind for s in cluster.workload_selectors] == ["ReplicaSet"]


def test_ended_and_terminating_pods_do_not_count():
    pods = owned_pod("web-1", "ReplicaSet/web", more=", status: {phase: Failed}")
    result = load(workload("ReplicaSet", f"replicas: 1, {SELECTOR}") + pods)
    assert [p.is_terminal for p in result.objects.pods] == [True, False]


def test_a_daemon_set_runs_on_eligible_nodes_bound_by_name():
    nodes = (
        node("a")
        + node(
            "b", ", spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}"
        )
        + node("c", ", spec: {taints: [{key: gpu, effect: NoSchedule}]}")
        + node("d")
    )
    daemon = workload("DaemonSet", SELECTOR, "agent")
    cluster = objects(daemon + nodes + owned_pod("agent-x", "DaemonSet/agent", more="").replace(
        "containers:", "nodeName: d, containers:"))  # fmt: skip
    made = [p for p in cluster.pods if p.name != "agent-x"]
    meant = [p.affinity.node_required.terms[0].match_fields[0].values[0] for p in made]
    assert meant == ["a", "b"]
    assert {t.key for t in made[0].tolerations} >= {"node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable"}
    assert all(t.effect == "NoExecute" for t in made[0].tolerations if t.key.endswith("unreachable"))


def test_a_stateful_set_brings_its_claims_of_the_default_class():
    storage = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: p, metadata: {name: fast, annotations: "
    storage += '{storageclass.kubernetes.io/is-default-class: "true"}}}\n---\n'
    claim = "volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}]"
    cluster = objects(storage + workload("StatefulSet", f"replicas: 2, {claim}, {SELECTOR}", "db"))
    assert [(c.key, c.storage_class_name) for c in cluster.persistent_volume_claims] == [
        ("shop/data-db-0", "fast"),
        ("shop/data-db-1", "fast"),
    ]
    assert [p.volumes[0].claim_name for p in cluster.pods] == ["data-db-0", "data-db-1"]
    assert cluster.pods[1].labels["apps.kubernetes.io/pod-index"] == "1"
