"""Volumes and claims."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text
from tests.scheduler_core.manifests.manifest_helpers import objects


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("PersistentVolume", "PersistentVolumeClaim"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)


def test_storage_and_budgets_are_read():
    cluster = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: data, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
          spec:
            storageClassName: ""
            volumeName: pv
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
        - apiVersion: v1
          kind: PersistentVolume
          metadata: {name: pv}
          spec:
            accessModes: [ReadWriteOnce]
            capacity: {storage: 2Gi}
            claimRef: {namespace: default, name: data}
            csi: {driver: ebs, volumeHandle: v-1}
            nodeAffinity:
              required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z1]}]}]}
        - {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: ebs}
        - apiVersion: storage.k8s.io/v1
          kind: CSINode
          metadata: {name: node-a}
          spec: {drivers: [{name: ebs, nodeID: i, allocatable: {count: 25}}]}
        - apiVersion: policy/v1
          kind: PodDisruptionBudget
          metadata: {name: b}
          spec: {minAvailable: 50%, selector: {matchLabels: {app: a}}}
        - {apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 3}}
        """)
    (claim,), (volume,) = cluster.persistent_volume_claims, cluster.persistent_volumes
    assert (claim.storage_class_name, claim.volume_name, claim.requested_bytes) == ("", "pv", 1 << 30)
    assert (volume.claim_ref, volume.source, volume.attributes["volumeHandle"]) == (
        ("default", "data", ""),
        "csi",
        "v-1",
    )
    assert volume.node_affinity.matches("n", {"zone": "z1"})
    assert cluster.storage_classes[0].volume_binding_mode == "Immediate"
    assert cluster.csi_nodes[0].drivers[0].count == 25
    budget = cluster.pod_disruption_budgets[0]
    assert (budget.min_available, budget.disruptions_allowed) == ("50%", None)
    assert cluster.pod_groups[0].min_member == 3
