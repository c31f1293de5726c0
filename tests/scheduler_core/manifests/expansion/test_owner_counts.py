"""What a Deployment wants in all, where several sets are its."""

from __future__ import annotations

from scheduler_core.manifests import ManifestSource, load_cluster

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: team}
spec: {replicas: 3, selector: {matchLabels: {a: b}}, template: TEMPLATE}
""".replace("TEMPLATE", "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}")
SET = """
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: shop-NAME
  namespace: team
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: shop, uid: u, controller: true}]
spec:
  replicas: COUNT
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}
"""


def owner_replicas(*sets: tuple[str, int]) -> dict[str, int | None]:
    texts = [DEPLOYMENT, *(SET.replace("NAME", name).replace("COUNT", str(count)) for name, count in sets)]
    loaded = load_cluster([ManifestSource("a.yaml", "---\n".join(texts).encode())])
    return {one.name: one.owner_replicas for one in loaded.objects.workloads if one.kind == "ReplicaSet"}


def test_in_a_rollout_each_set_has_what_the_deployment_wants() -> None:
    assert owner_replicas(("old", 3), ("new", 1)) == {"shop-old": 3, "shop-new": 3}


def test_a_single_set_counts_for_itself() -> None:
    assert owner_replicas(("only", 3)) == {"shop-only": None}
