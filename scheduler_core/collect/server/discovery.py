"""What the server serves of the kinds that are collected, and which of them may be read.

Rights are checked by asking: a list of one object and a watch of a second, for each kind. So nothing beyond get, list
and watch is needed, not even the right to ask about rights.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import httpx
import msgspec

from scheduler_core.collect.server.requests import Away, Denied, Gone, NotServed, Refused, Requester
from scheduler_core.manifests.bundle.model import CollectedKind
from scheduler_core.manifests.cluster_dump.kubectl import OPTIONAL, RESOURCES
from scheduler_core.manifests.kinds.registry import KINDS
from scheduler_core.manifests.model import printable

GROUPS: dict[str, str] = {
    **{kind: KINDS[kind].group for kind in (*RESOURCES, *OPTIONAL) if kind in KINDS},
    "Event": "",
    "HorizontalPodAutoscaler": "autoscaling",
    **dict.fromkeys(("Workload", "LocalQueue", "ClusterQueue"), "kueue.x-k8s.io"),
    "NodePool": "karpenter.sh",
    "MachineDeployment": "cluster.x-k8s.io",
    "MachineSet": "machine.openshift.io",
    "MachineAutoscaler": "autoscaling.openshift.io",
}
"""The API group of each kind that is collected."""
_AT_A_TIME = 32
_PROBE_SECONDS = "1"


class ServedKind(NamedTuple):
    """A kind as the server serves it."""

    kind: str
    api_version: str
    resource: str
    is_namespaced: bool

    def path(self, namespace: str = "") -> str:
        """The address of its objects, of all namespaces or of one."""
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        return f"{root}/namespaces/{namespace}/{self.resource}" if namespace else f"{root}/{self.resource}"


class Rights(NamedTuple):
    """What may be done with the objects of a kind, and why not. ``is_failing``: the server fails for it alone."""

    can_list: bool
    can_watch: bool
    reason: str = ""
    is_failing: bool = False


class ServerVersion(msgspec.Struct):
    """What ``/version`` answers."""

    gitVersion: str = ""


class _ListVersion(msgspec.Struct):
    resourceVersion: str = ""


class _List(msgspec.Struct):
    metadata: _ListVersion


async def server_version(requester: Requester, patience: float = 0) -> str:
    """The version as the server writes it, such as "v1.34.1"; "" where it does not say. Raises Away."""
    try:
        body = await requester.read("/version", patience=patience)
        return printable(msgspec.json.decode(body, type=ServerVersion).gitVersion[:100])
    except (msgspec.MsgspecError, Denied, NotServed, Gone, Refused):
        return ""


async def served_kinds(requester: Requester, patience: float) -> dict[str, ServedKind]:
    """The kinds of GROUPS that the server serves, each in the newest version that is read. Raises Away and Denied."""
    groups = await _versions_by_group(requester, patience)
    served: dict[str, ServedKind] = {}
    lists: dict[str, dict[str, tuple[str, bool]]] = {}
    for kind, group in GROUPS.items():
        for version in _in_order(kind, groups.get(group, [])):
            api_version = f"{group}/{version}" if group else version
            if api_version not in lists:
                lists[api_version] = await _resources(requester, api_version, patience)
            resource = lists[api_version].get(kind)
            if resource is not None:
                served[kind] = ServedKind(kind, api_version, *resource)
                break
    return served


def _in_order(kind: str, versions: list[str]) -> list[str]:
    """The versions of the group that the server has, those that are read before, the newest first."""
    if kind not in KINDS:
        return versions
    spec = KINDS[kind]
    older = [one.rpartition("/")[2] for one in spec.older if one.rpartition("/")[0] == spec.group]
    return [version for version in (*spec.versions, *older) if version in versions]


async def _versions_by_group(requester: Requester, patience: float) -> dict[str, list[str]]:
    """The versions that the server has of each group, its preferred one first."""
    raw = await requester.value("/apis", patience=patience)
    groups: dict[str, list[str]] = {"": ["v1"]}
    for entry in _mappings(raw, "groups"):
        preferred = entry.get("preferredVersion")
        versions = [preferred, *_mappings(entry, "versions")]
        names = [one["version"] for one in versions if isinstance(one, dict) and isinstance(one.get("version"), str)]
        if isinstance(entry.get("name"), str):
            groups[entry["name"]] = list(dict.fromkeys(names))
    return groups


async def _resources(requester: Requester, api_version: str, patience: float) -> dict[str, tuple[str, bool]]:
    """{kind: (resource, is namespaced)} of a version; none where the server of an extension does not answer."""
    root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    try:
        raw = await requester.value(root, patience=patience)
    except (NotServed, Denied, Refused, Gone):
        return {}
    except Away:
        if "/" not in api_version:
            raise
        return {}
    out: dict[str, tuple[str, bool]] = {}
    for entry in _mappings(raw, "resources"):
        name, kind = entry.get("name"), entry.get("kind")
        if isinstance(name, str) and isinstance(kind, str) and name.isascii() and name.isalpha():
            out.setdefault(kind, (name, bool(entry.get("namespaced"))))
    return out


def _mappings(raw: Any, field: str) -> list[dict[str, Any]]:
    entries = raw.get(field) if isinstance(raw, dict) else None
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


async def rights_of(requester: Requester, kinds: list[tuple[ServedKind, str]], patience: float) -> list[Rights]:
    """What may be done with each kind in each namespace ("": in all). Raises Away where the server answers for none."""
    turn = asyncio.Semaphore(_AT_A_TIME)

    async def probe(kind: ServedKind, namespace: str) -> Rights:
        async with turn:
            return await _rights(requester, kind.path(namespace), kind.kind, patience)

    rights = list(await asyncio.gather(*(probe(kind, namespace) for kind, namespace in kinds)))
    if rights and all(one.is_failing for one in rights):
        raise Away(rights[0].reason)
    return rights


async def _rights(requester: Requester, path: str, kind: str, patience: float) -> Rights:
    try:
        body = await requester.read(path, {"limit": "1"}, kind, patience)
        version = msgspec.json.decode(body, type=_List).metadata.resourceVersion
    except msgspec.MsgspecError:
        return Rights(False, False, f"{path} answers with something else than a list")
    except Away as problem:
        return Rights(False, False, str(problem), is_failing=True)
    except (Denied, NotServed, Gone, Refused) as problem:
        return Rights(False, False, str(problem))
    # Without a version the server would begin with all objects.
    watch = {"watch": "true", "timeoutSeconds": _PROBE_SECONDS, "resourceVersion": version}
    try:
        # The status is the answer; what comes after it is not read.
        async with requester.stream(path, watch, kind=kind, patience=patience):
            return Rights(True, True)
    except Gone:
        return Rights(True, True)
    except (Away, Denied, NotServed, Refused) as problem:
        return Rights(True, False, str(problem))
    except httpx.TransportError:
        return Rights(True, True)


def collected(kind: ServedKind, rights: Rights, listed: int = 0) -> CollectedKind:
    """The kind as the bundle's meta has it."""
    return CollectedKind(
        api_version=kind.api_version,
        kind=kind.kind,
        resource=kind.resource,
        can_list=rights.can_list,
        can_watch=rights.can_watch,
        listed=listed,
    )
