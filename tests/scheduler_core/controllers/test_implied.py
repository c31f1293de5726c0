"""Workloads of which only the pods are known."""

from __future__ import annotations

from scheduler_core.api.objects import OwnerReference, Pod, Volume
from scheduler_core.controllers.daemons import pinned
from scheduler_core.controllers.implied import implied_workloads
from scheduler_core.controllers.templates import ordinal_template
from tests.scheduler_core.controllers.controller_helpers import pod_of, workload


def test_a_set_wants_as_many_pods_as_are_active_and_is_like_the_first() -> None:
    owner = workload("ReplicaSet", uid="u")
    pods = [
        pod_of(owner, "web-a", labels={"app": "web"}, uid="1", phase="Running", start_time=3.0),
        pod_of(owner, "web-b"),
        pod_of(owner, "web-c", leaves=True),
        pod_of(owner, "web-d", phase="Failed"),
        Pod(name="bare", namespace="shop"),
    ]
    (implied,) = implied_workloads(pods, ())
    assert (implied.key, implied.replicas, implied.uid, implied.is_implied) == ("ReplicaSet/shop/web", 2, "u", True)
    assert implied.template == Pod(name="", namespace="shop", labels={"app": "web"})
    assert implied_workloads(pods, {"ReplicaSet/shop/web"}) == []


def test_a_set_named_by_its_template_hash_is_of_a_deployment() -> None:
    owner = workload("ReplicaSet").__class__(
        kind="ReplicaSet", name="web-5d4f8", namespace="shop", template=Pod(name="")
    )
    (implied,) = implied_workloads([pod_of(owner, "web-5d4f8-x", labels={"pod-template-hash": "5d4f8"})], ())
    assert implied.title == "Deployment shop/web"


def test_a_stateful_set_wants_the_ordinals_between_its_pods_with_their_claims() -> None:
    owner = workload("StatefulSet", claims=("data",))
    volumes = (Volume(name="data", claim_name="data-web-1"), Volume(name="shared", claim_name="all"))
    pods = [pod_of(owner, "web-1", volumes=volumes), pod_of(owner, "web-3", leaves=True)]
    (implied,) = implied_workloads(pods, ())
    assert (implied.first_ordinal, implied.replicas, implied.claims) == (1, 3, ("data",))
    claims = [volume.claim_name for volume in ordinal_template(implied, 2).volumes]
    assert claims == ["data-web-2", "all"]


def test_a_daemon_set_wants_the_nodes_that_it_is_on_or_meant_for() -> None:
    owner = workload("DaemonSet")
    pods = [pod_of(owner, "d-1", node_name="a"), pinned(pod_of(owner, "d-2", node_name=""), "b")]
    assert implied_workloads(pods, ())[0].nodes == ("a", "b")


def test_controllers_of_other_makers_are_not_played() -> None:
    def owned(kind: str, version: str) -> Pod:
        owner = OwnerReference(kind, "x", controller=True, api_version=version)
        return Pod(name="p", owner_references=(owner,))

    foreign = [
        owned("Job", "batch.volcano.sh/v1alpha1"),
        owned("StatefulSet", "apps.kruise.io/v1"),
        owned("Node", "v1"),
    ]
    assert implied_workloads(foreign, ()) == []
    assert len(implied_workloads([owned("Job", "batch/v1"), owned("ReplicaSet", "")], ())) == 2
