"""Claims and volumes: what tells them apart."""

from __future__ import annotations

from scheduler_core.framework.plugin_helpers.volume_claims import claim_class, volume_class
from tests.scheduler_core.manifests.manifest_helpers import objects


def test_what_tells_claims_and_volumes_apart_is_read():
    cluster = objects("""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: data, annotations: {volume.beta.kubernetes.io/storage-class: fast}}
          spec:
            volumeMode: Block
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
            volumeAttributesClassName: gold
            selector: {matchLabels: {a: b}, matchExpressions: [{key: tier, operator: NotIn, values: [slow]}]}
        - apiVersion: v1
          kind: PersistentVolume
          metadata: {name: pv, annotations: {volume.beta.kubernetes.io/storage-class: fast}}
          spec:
            volumeMode: Block
            accessModes: [ReadWriteOnce]
            capacity: {storage: 1Gi}
            volumeAttributesClassName: gold
            gcePersistentDisk: {pdName: d}
        - apiVersion: v1
          kind: PersistentVolumeClaim
          metadata: {name: p}
          spec:
            accessModes: [ReadWriteOnce]
            resources: {requests: {storage: 1Gi}}
            volumeAttributesClassName: null
        - apiVersion: storage.k8s.io/v1
          kind: CSINode
          metadata:
            name: node-a
            annotations: {storage.alpha.kubernetes.io/migrated-plugins: "kubernetes.io/gce-pd,kubernetes.io/cinder"}
          spec: {drivers: []}
        """)
    (claim, plain), (volume,) = cluster.persistent_volume_claims, cluster.persistent_volumes
    assert (claim.volume_mode, claim.attributes_class_name, claim_class(claim)) == ("Block", "gold", "fast")
    assert claim.selector.matches({"a": "b"})
    assert not claim.selector.matches({"a": "b", "tier": "slow"})
    assert (volume.volume_mode, volume.attributes_class_name, volume_class(volume)) == ("Block", "gold", "fast")
    assert (plain.volume_mode, plain.attributes_class_name) == ("Filesystem", "")
    assert (volume.source, volume.attributes) == ("gcePersistentDisk", {"pdName": "d"})
    assert cluster.csi_nodes[0].migrated_plugins == ("kubernetes.io/gce-pd", "kubernetes.io/cinder")
