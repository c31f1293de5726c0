"""Pod volumes and persistent volume sources from raw values."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Volume
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import dns_label_problem, is_dns_label
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.storage.volume_rules import check_sources
from scheduler_core.manifests.model import quoted

_IDENTIFYING = frozenset((
    "pdName", "volumeID", "diskName", "diskURI", "driver", "volumeHandle", "iqn", "lun", "targetPortal", "image",
    "pool", "monitors", "readOnly", "partition", "fsType", "claimName", "path", "server", "volumePath",
    "cachingMode", "kind", "volumeAttributes",
))  # fmt: skip
POD_SOURCES = frozenset((
    "hostPath", "emptyDir", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "secret", "nfs", "iscsi",
    "glusterfs", "persistentVolumeClaim", "rbd", "flexVolume", "cinder", "cephfs", "flocker", "downwardAPI", "fc",
    "azureFile", "configMap", "vsphereVolume", "quobyte", "azureDisk", "photonPersistentDisk", "projected",
    "portworxVolume", "scaleIO", "storageos", "csi", "ephemeral", "image", "local",
))  # fmt: skip


VOLUME_SOURCES = POD_SOURCES - frozenset((
    "emptyDir", "gitRepo", "secret", "persistentVolumeClaim", "downwardAPI", "configMap", "projected", "ephemeral",
    "image",
))  # fmt: skip
"""The sources of persistent volumes."""


class VolumeSource(NamedTuple):
    """The source field of a volume and its identifying fields as text."""

    field: str
    attributes: dict[str, str]


def read_source(at: At) -> VolumeSource:
    """The source of a pod volume or persistent volume spec; an empty field where none is given."""
    raw = at.mapping()
    for field in raw:
        if field in POD_SOURCES and raw[field] is not None:
            body = at.get(field).mapping()
            return VolumeSource(field, {k: _text(v) for k, v in body.items() if k in _IDENTIFYING and v is not None})
    return VolumeSource("", {})


def _text(value: Any) -> str:
    """A field's value as text: true and false as in JSON, lists by commas, a mapping by sorted key=value pairs."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_text(v) for v in value)
    if isinstance(value, dict):
        return ",".join(f"{k}={_text(v)}" for k, v in sorted(value.items()))
    return str(value)


def read_volumes(at: At, memo: Memo) -> tuple[Volume, ...]:
    """The volumes of a pod spec, each with its own name."""
    if not at.present:
        return ()
    items = at.items()
    volumes = tuple([_volume(item, memo) for item in items])
    names = [volume.name for volume in volumes]
    if len(set(names)) < len(names) or not all(map(is_dns_label, names)):
        _check_names(items, names)
    return volumes


def _check_names(items: list[At], names: list[str]) -> None:
    for i, (item, name) in enumerate(zip(items, names, strict=True)):
        problem = dns_label_problem(name) if name else ""
        if problem or name in names[:i]:
            item.get("name").refuse(problem or f"another volume is named {quoted(name)}. Rename one of them")


def _volume(at: At, memo: Memo) -> Volume:
    """A volume; the rest of it is known without its name, as each pod has a token volume of another name."""
    rest, name = at.raw, None
    if rest.__class__ is dict:
        name, rest = rest.get("name"), {key: value for key, value in rest.items() if key != "name"}
    if name.__class__ is not str or not name:
        name = at.get("name").text(required=True)
    unnamed = _unnamed(at) if rest is None else memo.reduced("volume", at, rest, _unnamed)
    return msgspec.structs.replace(unnamed, name=name)


def _unnamed(at: At) -> Volume:
    source = read_source(at)
    check_sources(at, POD_SOURCES)
    if source.field == "persistentVolumeClaim":
        claim = at.get("persistentVolumeClaim")
        return Volume(
            name="",
            claim_name=claim.get("claimName").text(),
            claim_read_only=claim.get("readOnly").boolean(),
            source=source.field,
        )
    if source.field == "image":
        reference = at.get("image").get("reference").text()
        return Volume(name="", source=source.field, attributes={"reference": reference} if reference else {})
    return Volume(name="", ephemeral=source.field == "ephemeral", source=source.field, attributes=source.attributes)
