"""In-tree volumes as the CSI drivers know them that took over from the in-tree plugins.

A disk of GCE, AWS, Azure or OpenStack may be written with its old, in-tree source. Where the node's CSINode says that
the plugin is migrated, the scheduler reads the volume as one of the CSI driver: the disk counts against the driver's
limit under the driver's handle, and the volume's topology is in the driver's words. A GCE disk labelled
``topology.kubernetes.io/zone: us-central1-a`` is then ``projects/UNSPECIFIED/zones/us-central1-a/disks/NAME`` of
pd.csi.storage.gke.io and needs ``topology.gke.io/zone In [us-central1-a]``, so a node without that label refuses it.

``IN_TREE`` is the table of plugins. Storage classes are not translated: kube-scheduler leaves that to the
provisioner and only looks the driver up by the class's provisioner. Azure File, vSphere and, for their topology,
Azure Disk and Portworx stay as they are written, also as in kube-scheduler.

Sources: csi-translation-lib v0.34 (plugins/*.go), isCSIMigrationOnForPlugin of plugins/volumebinding/binder.go,
isCSIMigrationOn of plugins/nodevolumelimits/utils.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from scheduler_core.api.labels import Labels, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import CSINode, PersistentVolume, Volume
from scheduler_core.columns.zones import BETA_REGION, BETA_ZONE, REGION, ZONE

_ZONES_JOINED_BY = "__"
_EBS_VOLUME = re.compile(r"vol-[^/]*")
_UNSPECIFIED = "UNSPECIFIED"
_AZURE_DEFAULT_KIND = "Shared"
ALWAYS, MIGRATED, NEVER = "always", "migrated", "never"
"""On which nodes with a CSINode a plugin's disks count against the driver's limit."""


class TranslationError(ValueError):
    """The volume cannot be read as one of the CSI driver; the text is that of csi-translation-lib."""


class InTreePlugin(NamedTuple):
    """An in-tree plugin with a CSI driver.

    ``handle`` gives the driver's handle of a disk from the source's attributes and the label with its zones ("" where
    there is none), or raises TranslationError. ``topology_key`` is the driver's label of zones, "" where the driver
    takes the topology as written. ``bound`` says that VolumeBinding translates volumes on nodes that are migrated;
    ``counted`` on which nodes NodeVolumeLimits counts disks: ALWAYS, MIGRATED or NEVER.
    """

    name: str
    driver: str
    handle: Callable[[Labels, str], str]
    topology_key: str
    bound: bool
    counted: str


def _attribute(name: str) -> Callable[[Labels, str], str]:
    return lambda attributes, zones: attributes.get(name, "")


def _gce_handle(attributes: Labels, zones: str) -> str:
    """A zonal disk, a regional one for several zones; inline disks tell no zone."""
    names = zones.split(_ZONES_JOINED_BY)
    place = f"zones/{names[0] or _UNSPECIFIED}" if len(names) == 1 else f"regions/{_gce_region(names)}"
    return f"projects/{_UNSPECIFIED}/{place}/disks/{attributes.get('pdName', '')}"


def _gce_region(zones: list[str]) -> str:
    """The region that all zones of the form continent-region-letter are in."""
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            form = "{locale}-{region}-{zone}"
            raise TranslationError(
                f"failed to get region from zones: zone in unexpected format, expected: {form}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) > 1:
        regions_text = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{regions_text}]"
        )
    return regions.pop()


def _ebs_handle(attributes: Labels, zones: str) -> str:
    """vol-..., taken out of aws://ZONE/vol-... where it is written so."""
    written = attributes.get("volumeID", "")
    if not written.startswith("aws://"):
        return written
    try:
        volume_id = unquote(urlsplit(written).path).strip("/")
    except ValueError:
        volume_id = ""
    if not _EBS_VOLUME.fullmatch(volume_id):
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({written})"
        )
    return volume_id


def _azure_handle(attributes: Labels, zones: str) -> str:
    """The disk's URI; only managed disks have a CSI driver."""
    kind = attributes.get("kind", _AZURE_DEFAULT_KIND)
    if kind.lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return attributes.get("diskURI", "")


IN_TREE = {
    "awsElasticBlockStore": InTreePlugin(
        "kubernetes.io/aws-ebs", "ebs.csi.aws.com", _ebs_handle, "topology.ebs.csi.aws.com/zone", True, ALWAYS
    ),
    "gcePersistentDisk": InTreePlugin(
        "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", _gce_handle, "topology.gke.io/zone", True, ALWAYS
    ),
    "azureDisk": InTreePlugin("kubernetes.io/azure-disk", "disk.csi.azure.com", _azure_handle, "", True, ALWAYS),
    "cinder": InTreePlugin(
        "kubernetes.io/cinder", "cinder.csi.openstack.org", _attribute("volumeID"),
        "topology.cinder.csi.openstack.org/zone", True, ALWAYS,
    ),
    "portworxVolume": InTreePlugin(
        "kubernetes.io/portworx-volume", "pxd.portworx.com", _attribute("volumeID"), "", True, MIGRATED
    ),
    "azureFile": InTreePlugin(
        "kubernetes.io/azure-file", "file.csi.azure.com", _attribute("shareName"), "", False, NEVER
    ),
    "vsphereVolume": InTreePlugin(
        "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", _attribute("volumePath"), "", False, NEVER
    ),
}  # fmt: skip
"""By the field of the volume source."""
IN_TREE_BY_NAME = {plugin.name: plugin for plugin in IN_TREE.values()}


def is_bound_by_driver(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Whether VolumeBinding reads the plugin's volumes as the driver's on the node."""
    return plugin.bound and csi_node is not None and plugin.name in csi_node.migrated_plugins


def is_counted_by_driver(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Whether the plugin's disks count against the driver's limit on the node."""
    if csi_node is None or plugin.counted == NEVER:
        return False
    return plugin.counted == ALWAYS or plugin.name in csi_node.migrated_plugins


def volume_handle(volume: PersistentVolume) -> str:
    """The driver's handle of an in-tree volume. TranslationError where the driver cannot know it."""
    return IN_TREE[volume.source].handle(volume.attributes, volume.labels.get(BETA_ZONE) or volume.labels.get(ZONE, ""))


def inline_handle(volume: Volume) -> str:
    """The driver's handle of an in-tree disk named in a pod. TranslationError where the driver cannot know it."""
    return IN_TREE[volume.source].handle(volume.attributes, "")


def translate(volume: PersistentVolume) -> PersistentVolume:
    """An in-tree volume with its topology in the driver's words. TranslationError where the driver cannot know it."""
    volume_handle(volume)
    key = IN_TREE[volume.source].topology_key
    if not key:
        return volume
    return msgspec.structs.replace(volume, node_affinity=_driver_affinity(volume.node_affinity, volume.labels, key))


def _driver_affinity(affinity: NodeSelector | None, labels: Labels, key: str) -> NodeSelector | None:
    """The affinity with the zone under the driver's key; where it names none, with the zones of the label.

    Which zone label counts, the general or the beta one, follows from the affinity first, then from the labels.
    """
    named = {r.key for r in _requirements(affinity)}
    zone = next((z for z in (ZONE, BETA_ZONE) if z in named), None)
    zone = zone or (BETA_ZONE if ZONE not in labels and BETA_ZONE in labels else ZONE)
    renamed = {BETA_REGION: REGION} if zone == BETA_ZONE and _values(affinity, BETA_REGION) else {}
    if _values(affinity, zone):
        return _rename(affinity, {zone: key, **renamed})
    zones = sorted({part.strip() for part in labels.get(zone, "").split(_ZONES_JOINED_BY)} - {""})
    return _rename(_require(affinity, Requirement(key, "In", tuple(zones))) if zones else affinity, renamed)


def _values(affinity: NodeSelector | None, key: str) -> bool:
    """Whether any requirement on the key has values."""
    return any(r.values for r in _requirements(affinity) if r.key == key)


def _requirements(affinity: NodeSelector | None) -> Iterable[Requirement]:
    return (r for term in (affinity.terms if affinity else ()) for r in term.match_expressions)


def _rename(affinity: NodeSelector | None, keys: dict[str, str]) -> NodeSelector | None:
    """The affinity with other keys of labels."""
    if affinity is None or not keys:
        return affinity
    return NodeSelector(
        tuple(
            msgspec.structs.replace(
                term,
                match_expressions=tuple(
                    msgspec.structs.replace(r, key=keys.get(r.key, r.key)) for r in term.match_expressions
                ),
            )
            for term in affinity.terms
        )
    )


def _require(affinity: NodeSelector | None, requirement: Requirement) -> NodeSelector:
    """The affinity with one more requirement in each of its terms."""
    terms = (affinity.terms if affinity else ()) or (NodeSelectorTerm(),)
    return NodeSelector(
        tuple(msgspec.structs.replace(term, match_expressions=(*term.match_expressions, requirement)) for term in terms)
    )
