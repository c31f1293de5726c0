"""What the API server asks of the sources of volumes, of claims and of persistent volumes (core/v1 validation.go)."""

from __future__ import annotations

from collections.abc import Collection

from scheduler_core.manifests.checking.names import driver_problem, name_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.model import quoted

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
RECLAIM_POLICIES = ("Retain", "Delete", "Recycle")
_ALONE = "ReadWriteOncePod"
_REQUIRED: dict[str, tuple[str, ...]] = {
    "persistentVolumeClaim": ("claimName",),
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
    "azureDisk": ("diskName", "diskURI"),
    "azureFile": ("secretName", "shareName"),
    "cinder": ("volumeID",),
    "vsphereVolume": ("volumePath",),
    "portworxVolume": ("volumeID",),
    "rbd": ("monitors", "image"),
    "iscsi": ("targetPortal", "iqn"),
    "nfs": ("server", "path"),
    "cephfs": ("monitors",),
    "glusterfs": ("endpoints", "path"),
    "flexVolume": ("driver",),
    "hostPath": ("path",),
    "configMap": ("name",),
    "secret": ("secretName",),
    "csi": ("driver",),
    "local": ("path",),
    "ephemeral": ("volumeClaimTemplate",),
}
_LUN = (0, 255)
_CHOICES = {
    ("azureDisk", "cachingMode"): ("None", "ReadOnly", "ReadWrite"),
    ("azureDisk", "kind"): ("Shared", "Dedicated", "Managed"),
}


def check_sources(at: At, source_fields: Collection[str]) -> None:
    """Complains of a second source, and of what a source lacks."""
    fields = [field for field in at.mapping() if field in source_fields and at.get(field).present]
    for field in fields[1:]:
        at.refuse(f"a volume has one source, and this has {fields[0]} already. Remove one of them", field)
    if fields:
        _check_source(at.get(fields[0]), fields[0])


def _check_source(at: At, field: str) -> None:
    given = at.mapping()
    for key in _REQUIRED.get(field, ()):
        if not given.get(key):
            at.get(key).refuse(f"is missing. {field} needs it")
    for (of, key), choices in _CHOICES.items():
        if of == field and given.get(key):
            at.get(key).text(choices=choices)
    for key in ("partition", "lun"):
        if given.get(key) is not None and field != "flexVolume":
            at.get(key).integer(0, *_LUN)
    if field == "csi" and given.get("driver").__class__ is str and given["driver"]:
        problem = driver_problem(given["driver"])
        if problem:
            at.get("driver").refuse(problem)
    if field == "iscsi" and not str(given.get("iqn") or "iqn").startswith(("iqn", "eui", "naa")):
        at.get("iqn").refuse("is no name of a target. Write one that begins with iqn., eui. or naa.")
    if field == "ephemeral" and at.get("volumeClaimTemplate").present:
        check_claim_spec(at.get("volumeClaimTemplate").get("spec"))


def check_access_modes(at: At) -> None:
    """Complains of modes that are missing or unknown, and of ReadWriteOncePod beside another."""
    modes = at.texts()
    if not modes:
        at.refuse(f"is missing. Write one of {', '.join(ACCESS_MODES)}")
    for i, mode in enumerate(modes):
        if mode not in ACCESS_MODES:
            at.refuse(f"{quoted(mode)} is not allowed. Write one of {', '.join(ACCESS_MODES)}", i)
    if _ALONE in modes and any(mode != _ALONE and mode in ACCESS_MODES for mode in modes):
        at.refuse(f"{_ALONE} cannot be given beside another mode")


def check_claim_spec(spec: At) -> None:
    """What ValidatePersistentVolumeClaimSpec asks of the fields that scheduling reads."""
    check_access_modes(spec.get("accessModes"))
    _check_storage(spec.get("resources").get("requests"))
    check_class_name(spec.get("storageClassName"))
    attributes = spec.get("volumeAttributesClassName")
    check_class_name(attributes)


def check_class_name(at: At) -> None:
    """Complains of a name that no class can have; none is fine."""
    problem = name_problem(at.raw) if at.raw.__class__ is str and at.raw else ""
    if problem:
        at.refuse(problem)


def _check_storage(at: At) -> None:
    """Complains of an amount of storage that is missing or 0."""
    storage = at.get("storage")
    if not storage.present:
        storage.refuse("is missing. Write how much, such as 10Gi")
    elif storage.quantity("storage") == 0:
        storage.refuse("is 0. Write more than 0")


def check_volume_spec(spec: At, source_fields: Collection[str]) -> None:
    """What ValidatePersistentVolumeSpec asks of the fields that scheduling reads."""
    check_access_modes(spec.get("accessModes"))
    _check_storage(spec.get("capacity"))
    for resource in spec.get("capacity").mapping():
        if resource != "storage":
            spec.get("capacity").refuse("a volume's capacity is storage alone. Remove it", resource)
    check_sources(spec, source_fields)
    given = [field for field in spec.mapping() if field in source_fields and spec.get(field).present]
    if not given:
        spec.refuse("names no source, such as csi, nfs or local. A volume needs one")
    affinity = spec.get("nodeAffinity")
    if affinity.present and not affinity.get("required").present:
        affinity.get("required").refuse("is missing. Write nodeSelectorTerms, or remove nodeAffinity")
    if "local" in given and not affinity.get("required").present:
        affinity.refuse("is missing. A local volume needs the node that it is on")
    if "csi" in given and not spec.get("csi").word("volumeHandle"):
        spec.get("csi").get("volumeHandle").refuse("is missing. csi needs it")
    policy = spec.get("persistentVolumeReclaimPolicy")
    if policy.present:
        policy.text(choices=RECLAIM_POLICIES)
    check_class_name(spec.get("storageClassName"))
