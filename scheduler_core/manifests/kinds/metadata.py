"""Object metadata from raw values: names, labels, owners, timestamps."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import OwnerReference, Pod
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.names import NameRule, name_problem, namespace_problem, prefix_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.registry import KEPT_EVENTS, KINDS, RECORD, kind_name, version_problem
from scheduler_core.manifests.kinds.unplayed import decides
from scheduler_core.manifests.model import quoted

METADATA_FIELDS = frozenset((
    "name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers", "managedFields",
    "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "selfLink", "clusterName",
))  # fmt: skip
_NAMES = ("name", "namespace", "generateName")
_TEMPLATE_HASH_CHARS = "bcdfghjklmnpqrstvwxz2456789"


class Metadata(NamedTuple):
    """The metadata of an object; ``namespace`` is empty for kinds without one.

    ``is_prefix``: ``name`` is what a name is to begin with.
    """

    name: str
    namespace: str
    uid: str
    labels: dict[str, str]
    annotations: dict[str, str]
    owners: tuple[OwnerReference, ...]
    created: float | None
    deleted: float | None
    is_prefix: bool = False


class Identity(NamedTuple):
    """Kind, namespace and name as the file has them, unchecked, to name the object in findings."""

    kind: str
    namespace: str
    name: str


def read_metadata(at: At, memo: Memo, namespaced: bool, rule: NameRule = name_problem) -> Metadata:
    """The metadata of the object at ``at``; namespace ``default`` when none is given. ``rule`` is for the name."""
    meta = at.get("metadata")
    meta.mapping(METADATA_FIELDS)
    given = meta.word("name")
    prefix = "" if given else _prefix(meta, rule)
    return Metadata(
        name=_name(meta, given, rule) if given else prefix,
        namespace=_namespace(meta, namespaced),
        uid=meta.word("uid"),
        labels=memo.field("labels", meta, "labels", At.labels),
        annotations=memo.field("annotations", meta, "annotations", At.annotations),
        owners=memo.field("owners", meta, "ownerReferences", _owners),
        created=read_time(meta, "creationTimestamp"),
        deleted=read_time(meta, "deletionTimestamp"),
        is_prefix=bool(prefix) and not meta.raw.get("name"),
    )


def _name(meta: At, name: str, rule: NameRule) -> str:
    problem = rule(name)
    if problem:
        meta.get("name").error(problem)
        return ""
    return name


def _prefix(meta: At, rule: NameRule) -> str:
    """What a name that is not given is to begin with; there must be one of the two."""
    prefix, given = meta.word("generateName"), meta.get("name")
    problem = prefix_problem(prefix, rule) if prefix else ""
    if problem:
        meta.get("generateName").error(problem)
    if not prefix and given.raw in (None, "") and (meta.raw is None or meta.raw.__class__ is dict):
        given.error("is missing. Write a name")
    return prefix


def _namespace(meta: At, namespaced: bool) -> str:
    name = meta.word("namespace")
    if not namespaced:
        return ""
    problem = _namespace_problem(name) if name else ""
    if problem:
        meta.get("namespace").error(problem)
        return "default"
    return intern(name) if name else "default"


_namespace_problem = lru_cache(maxsize=4096)(namespace_problem)
"""A namespace has many objects."""


def _owners(at: At) -> tuple[OwnerReference, ...]:
    """The owners, of which one at most is the controller. Version and uid may be left out, as in cases written by hand:
    kind and name tell which it is.
    """
    out: list[OwnerReference] = []
    for item in at.items():
        for field in ("kind", "name"):
            if not item.word(field):
                item.get(field).refuse("is missing. Write the kind and the name of the owner")
        owner = OwnerReference(
            item.get("kind").text(),
            item.get("name").text(),
            item.get("uid").text(),
            item.get("controller").boolean(),
            item.get("apiVersion").text(),
        )
        if owner.controller and any(o.controller for o in out):
            item.get("controller").refuse("another owner is the controller already. Only one can be")
        out.append(owner)
    return tuple(out)


def read_time(at: At, key: str) -> float | None:
    """Seconds since the epoch from the RFC 3339 text under a key; None when absent or no time (a warning)."""
    raw = at.raw.get(key) if at.raw.__class__ is dict else None
    if raw is None:
        return None
    seconds = parse_time(raw) if raw.__class__ is str else None
    if seconds is None:
        at.get(key).warn(f"{quoted(raw)} is no time and is left out. Write a time such as 2025-01-31T12:00:00Z")
    return seconds


@lru_cache(maxsize=4096)
def parse_time(text: str) -> float | None:
    """Seconds since the epoch of an RFC 3339 text; None where it is none, or not in the years 1 to 9999 in UTC."""
    if len(text) > 40:
        return None
    try:
        moment = datetime.fromisoformat(text)
        seconds = moment.timestamp() if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
    return None if as_datetime(seconds) is None else seconds


def as_datetime(seconds: float | None) -> datetime | None:
    """The moment in UTC of seconds since the Unix epoch; None without them, or outside the years 1 to 9999."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def identity(raw: Any, kind: str) -> Identity:
    """Kind, namespace and name of a raw object for messages, without checking anything."""
    meta = raw.get("metadata") if raw.__class__ is dict else None
    if meta.__class__ is not dict:
        return Identity(kind, "", "")
    name, namespace = meta.get("name") or meta.get("generateName"), meta.get("namespace")
    return Identity(kind, namespace if isinstance(namespace, str) else "", name if isinstance(name, str) else "")


class EntryHeader(msgspec.Struct, gc=False):
    """What names an entry of a list that is an object of a kind that is read, as written and of the right types.

    ``is_prefix``: ``name`` is what a name is to begin with. ``pod``: what the entry is as a pod where there are the
    built-in priority classes only; None where it was not read, or something is wrong with it.
    """

    kind: str
    version: str
    namespace: str
    name: str
    is_prefix: bool
    pod: Pod | None = None


def header(value: Any, typed: tuple[str, str]) -> Any:
    """What names an entry of a list: an EntryHeader where it is an object of a kind that is read, in a version that is
    served; else kind, version and names as written. A list, an event of a scheduler or of a pod that could not be made,
    an object that decides and is not played, and what is no object are given back as they are, since more of them is
    looked at. ``typed``: kind and version that the list gives its entries."""
    if value.__class__ is not dict:
        return value
    kind, version, metadata = value.get("kind", typed[0]), value.get("apiVersion", typed[1]), value.get("metadata")
    if kind.__class__ is not str or version.__class__ is not str or metadata.__class__ is not dict:
        return _as_written(value, kind, version)
    read_kind = kind_name(kind, version)
    if not read_kind or version_problem(read_kind, version):
        return _as_written(value, kind, version)
    name, namespace = metadata.get("name") or "", metadata.get("namespace") or ""
    prefix = "" if name else metadata.get("generateName") or ""
    if name.__class__ is not str or namespace.__class__ is not str or prefix.__class__ is not str:
        return _as_written(value, kind, version)
    namespace = (namespace or "default") if KINDS[read_kind].namespaced else ""
    return EntryHeader(intern(read_kind), intern(version), intern(namespace), name or prefix, bool(prefix))


def _as_written(value: dict[str, Any], kind: Any, version: Any) -> dict[str, Any]:
    """Kind, version and names of an object, or the object itself where more of it is looked at."""
    if kind.__class__ is not str or kind.endswith("List"):
        return value
    if (kind == "Event" and value.get("reason") in KEPT_EVENTS) or kind == RECORD:
        return value
    if version.__class__ is str and decides(kind, version, value):
        return value
    out: dict[str, Any] = {"kind": kind}
    if "apiVersion" in value:
        out["apiVersion"] = value["apiVersion"]
    if "metadata" in value:
        metadata = value["metadata"]
        if metadata.__class__ is dict:
            metadata = {name: metadata[name] for name in _NAMES if name in metadata}
        out["metadata"] = metadata
    return out


def suffix(seed: str, length: int = 5) -> str:
    """A suffix that looks like the ones Kubernetes makes up, the same for the same seed (FNV-1a of the text)."""
    state = 0xCBF29CE484222325
    for byte in seed.encode("utf-8", "surrogatepass"):
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    letters = _TEMPLATE_HASH_CHARS
    out: list[str] = []
    for _ in range(length):
        state, index = divmod(state, len(letters))
        out.append(letters[index])
    return "".join(out)


class _HeaderMetadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    generateName: str = ""


class ObjectHeader(msgspec.Struct):
    """Kind, version and names of an object as they are written."""

    kind: str
    apiVersion: str
    metadata: _HeaderMetadata


_decode_header = msgspec.json.Decoder(ObjectHeader).decode


def read_header(content: msgspec.Raw) -> ObjectHeader | None:
    """The header of an object stored as text, without decoding its rest; None where its values are odd."""
    try:
        return _decode_header(content)
    except msgspec.ValidationError:
        return None
