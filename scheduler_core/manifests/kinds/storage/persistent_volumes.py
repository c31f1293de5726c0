"""PersistentVolumes and PersistentVolumeClaims from raw values."""

from __future__ import annotations

from scheduler_core.api.objects import PersistentVolume, PersistentVolumeClaim
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.metadata import read_metadata
from scheduler_core.manifests.kinds.selectors import label_selector, node_selector
from scheduler_core.manifests.kinds.storage.volume_rules import check_claim_spec, check_volume_spec
from scheduler_core.manifests.kinds.storage.volumes import VOLUME_SOURCES, read_source


def read_claim(at: At, memo: Memo, *, is_template: bool = False) -> PersistentVolumeClaim:
    """The PersistentVolumeClaim; the spec of a StatefulSet's template is not judged when the StatefulSet is posted."""
    meta = read_metadata(at, memo, namespaced=True)
    spec = at.get("spec")
    if not is_template:
        check_claim_spec(spec)
    storage = spec.get("storageClassName")
    return PersistentVolumeClaim(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        annotations=meta.annotations,
        labels=meta.labels,
        storage_class_name=storage.raw if isinstance(storage.raw, str) else storage.text() or None,
        volume_name=spec.get("volumeName").text(),
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        selector=label_selector(spec.get("selector")),
        requested_bytes=spec.get("resources").get("requests").get("storage").quantity("storage") or 0,
        phase=at.get("status").get("phase").text("Pending"),
        deletion_timestamp=meta.deleted,
        owner_references=meta.owners,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )


def read_volume(at: At, memo: Memo) -> PersistentVolume:
    """The PersistentVolume."""
    meta = read_metadata(at, memo, namespaced=False)
    spec = at.get("spec")
    check_volume_spec(spec, VOLUME_SOURCES)
    claim = spec.get("claimRef")
    source = read_source(spec)
    affinity = spec.get("nodeAffinity")
    return PersistentVolume(
        name=meta.name,
        labels=meta.labels,
        annotations=meta.annotations,
        storage_class_name=spec.get("storageClassName").text(),
        capacity_bytes=spec.get("capacity").get("storage").quantity("storage") or 0,
        volume_mode=spec.get("volumeMode").text("Filesystem", ("Filesystem", "Block")),
        access_modes=spec.get("accessModes").texts(),
        claim_ref=(claim.get("namespace").text(), claim.get("name").text(), claim.get("uid").text())
        if claim.present
        else None,
        node_affinity=node_selector(affinity.get("required")),
        phase=at.get("status").get("phase").text("Available"),
        source=source.field,
        attributes=source.attributes,
        deletion_timestamp=meta.deleted,
        attributes_class_name=spec.get("volumeAttributesClassName").text(),
    )
