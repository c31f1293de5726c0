"""Kinds that decide in a real cluster and are not played: the rows of unplayed.toml, and their objects from raw values.

Whatever else is passed over decides nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import msgspec

from scheduler_core.api.kinds import bare_kind
from scheduler_core.api.objects import OwnerReference
from scheduler_core.api.quantity import INT64_MAX
from scheduler_core.api.unplayed import Unplayed, UnplayedObject
from scheduler_core.manifests.kinds.makers import Tree, read_below, tree_of
from scheduler_core.manifests.kinds.registry import WITHOUT_EFFECT, api_group
from scheduler_core.manifests.model import Content, Raw, shortened

MOST_NAMED = 200
"""How many objects of a kind are kept; the rest is counted."""
_MOST_VALUES = 8
_MOST_DEPTH = 8
_LONGEST = 1_024
MOST_READ = 4_096
"""How many values are kept of what groups of nodes are read from; an object with more keeps none."""


class UnplayedKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an unplayed kind does (the head of unplayed.toml)."""

    role: str
    does: str
    concerns: str = "placement"
    namespaced: bool = True
    facts: dict[str, str] = {}
    reads: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()


class _Named(Protocol):
    """An object as the loader holds it."""

    @property
    def raw(self) -> Raw: ...
    @property
    def kind(self) -> str: ...
    @property
    def api_version(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...


class _OwnedObject(Protocol):
    """The metadata of an object."""

    @property
    def namespace(self) -> str: ...
    @property
    def owners(self) -> tuple[OwnerReference, ...]: ...


def unfinished_rollout(item: _Named) -> UnplayedObject:
    """A Deployment whose rollout goes on, with its strategy."""
    strategy = _mapping(_mapping(item.raw.get("spec")).get("strategy"))
    rolling = _mapping(strategy.get("rollingUpdate"))
    facts = {field: shortened(rolling.get(field, "25%")) for field in ("maxSurge", "maxUnavailable")}
    return UnplayedObject(
        api_version=item.api_version,
        kind="Deployment",
        namespace=item.namespace,
        name=item.name,
        facts={"strategy": "Recreate"} if strategy.get("type") == "Recreate" else facts,
    )


def part_not_played(item: _Named, part: str, does: str, concerns: str) -> UnplayedObject:
    """A part of an object that is read (docs/fidelity.md): in words, what it does, and what that may falsify."""
    facts = {"part": part, "does": does, "concerns": concerns}
    kind = bare_kind(item.kind)
    return UnplayedObject(
        api_version=item.api_version, kind=kind, namespace=item.namespace, name=item.name, facts=facts
    )


class _Info(msgspec.Struct, frozen=True):
    kubeletVersion: str = ""


class _Status(msgspec.Struct, frozen=True):
    nodeInfo: _Info = _Info()


class _Node(msgspec.Struct, frozen=True):
    status: _Status = _Status()


_decode_node = msgspec.json.Decoder(_Node).decode
_MAKER = UnplayedKind("maker", "the pods that it makes are not there")
UNPLAYED = msgspec.convert(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")), dict[str, UnplayedKind]
)
"""The rows by "Kind.group"."""


@lru_cache(maxsize=1024)
def listed_kind(kind: str, api_version: str) -> UnplayedKind | None:
    """The row of a kind; None where it has none."""
    group = api_group(api_version)
    return UNPLAYED.get(f"{kind}.{group}" if group else kind)


def unplayed_kind(kind: str, api_version: str) -> UnplayedKind:
    """The row of the kind of an UnplayedObject; a kind without one makes pods."""
    return listed_kind(kind, api_version) or _MAKER


def decides(kind: str, api_version: str, raw: Mapping[str, Any]) -> bool:
    """Whether an object of a kind that is not read decides in a real cluster."""
    if listed_kind(kind, api_version) is not None:
        return True
    return kind not in WITHOUT_EFFECT and "." in api_group(api_version) and _has_pod_template(raw.get("spec"), 0)


def note_unplayed(unplayed: Unplayed, kind: str, api_version: str, raw: Raw) -> None:
    """Add an object that ``decides``."""
    counted = f"{shortened(api_version)}/{shortened(kind)}"
    unplayed.counts[counted] = n = unplayed.counts.get(counted, 0) + 1
    if n <= MOST_NAMED:
        unplayed.objects.append(_object(kind, api_version, raw))


def drop_owners(unplayed: Unplayed, played: Iterable[_OwnedObject]) -> None:
    """Leave out what owns an object that is played, such as the RayJob of a RayCluster: its pods are made."""
    owners = {(owner.kind, one.namespace, owner.name) for one in played for owner in one.owners}
    gone = [one for one in unplayed.objects if (one.kind, one.namespace, one.name) in owners]
    unplayed.objects = [one for one in unplayed.objects if one not in gone] if gone else unplayed.objects
    for one in gone:
        unplayed.counts[f"{one.api_version}/{one.kind}"] -= 1


def note_version(versions: dict[str, int], content: Content) -> None:
    """Count the kubelet's version of a node as written."""
    try:
        status = (
            _decode_node(content).status if content.__class__ is msgspec.Raw else msgspec.convert(content, _Node).status
        )
    except msgspec.MsgspecError:
        return
    if version := shortened(status.nodeInfo.kubeletVersion):
        versions[version] = versions.get(version, 0) + 1


def fact_paths(kind: str, api_version: str) -> frozenset[tuple[str, ...]]:
    """The paths of the values of the kind that answers name; "*" is any element of a list."""
    row = listed_kind(kind, api_version)
    paths = row.facts.values() if row is not None else ()
    return frozenset(tuple(path.replace("*,", "*").split(".")) for path in paths)


@lru_cache(maxsize=256)
def read_fields(kind: str, api_version: str) -> Tree:
    """What is kept of the kind as written, as a tree of keys; empty for nothing."""
    row = listed_kind(kind, api_version)
    if row is None or not row.reads:
        return {}
    paths = [tuple(path.split("/")) for path in row.reads]
    return tree_of([*paths, *(("metadata", "annotations", name) for name in row.annotations)])


def _object(kind: str, api_version: str, raw: Raw) -> UnplayedObject:
    names = _mapping(raw.get("metadata"))
    row = unplayed_kind(kind, api_version)
    facts = {name: _at(raw, path.split(".")) for name, path in row.facts.items()}
    return UnplayedObject(
        api_version=shortened(api_version),
        kind=shortened(kind),
        namespace=(_text(names.get("namespace")) or "default") if row.namespaced else "",
        name=_text(names.get("name")) or _text(names.get("generateName")),
        facts={name: value for name, value in facts.items() if value},
        fields=_kept(raw, read_fields(kind, api_version)),
    )


def _kept(raw: Raw, reads: Tree) -> Raw:
    """The part of an object at these paths; nothing of one that holds too much there."""
    room = [MOST_READ]
    part = _part(raw, reads, room) if reads else {}
    return part if room[0] >= 0 else {}


def _part(raw: Any, reads: Tree, room: list[int], depth: int = 0) -> Any:
    """What is at the paths, and whole what is below their ends; ``room`` is how many more values may be kept."""
    room[0] -= 1
    if room[0] < 0 or depth > _MOST_DEPTH + 4:
        room[0] = -1
        return None
    if isinstance(raw, list):
        below = read_below(reads, "*") if reads else reads
        return [] if below is None else [_part(one, below, room, depth + 1) for one in raw]
    if not isinstance(raw, dict):
        is_plain = raw is None or isinstance(raw, bool | float) or (isinstance(raw, int) and abs(raw) <= INT64_MAX)
        return raw if is_plain else shortened(raw, _LONGEST)
    parts = ((str(key), one, read_below(reads, str(key)) if reads else reads) for key, one in raw.items())
    return {key: _part(one, below, room, depth + 1) for key, one, below in parts if below is not None}


def _at(raw: Any, path: list[str]) -> str:
    """The values at a path as text, those of a list in a line each."""
    return "\n".join(list(_values(raw, path))[:_MOST_VALUES])


def _values(raw: Any, path: list[str]) -> Iterator[str]:
    if not path:
        yield "" if isinstance(raw, dict | list) or raw is None else " ".join(_plain(raw).split("\n"))
    elif path[0] == "*,":
        yield ",".join(value for one in (raw if isinstance(raw, list) else ()) for value in _values(one, path[1:]))
    elif path[0] == "*":
        for one in raw if isinstance(raw, list) else ():
            yield from _values(one, path[1:])
    elif isinstance(raw, dict):
        yield from _values(raw.get(path[0]), path[1:])


def _plain(raw: Any) -> str:
    return ("false", "true")[raw] if isinstance(raw, bool) else shortened(raw, _LONGEST)


def _mapping(value: Any) -> Raw:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return shortened(value, 253) if isinstance(value, str) else ""


def _has_pod_template(value: Any, depth: int) -> bool:
    """Whether there is a pod template in it: a template whose spec has containers."""
    if depth > _MOST_DEPTH:
        return False
    if isinstance(value, list):
        return any(_has_pod_template(one, depth + 1) for one in value)
    if not isinstance(value, dict):
        return False
    template = value.get("template")
    spec = template.get("spec") if isinstance(template, dict) else None
    if isinstance(spec, dict) and isinstance(spec.get("containers"), list):
        return True
    return any(_has_pod_template(one, depth + 1) for one in value.values())
