"""The values of an object that may be secret and do not matter to scheduling, by path; each is replaced by MASK.

Masked are the values of environment variables, commands and arguments (of probes and hooks too), headers of HTTP
probes, annotations, storage parameters and what configures drivers of devices where key or value looks like a secret,
and all but the name of an object of a kind that is not read and the few values of it that answers name
(kinds/unplayed.toml); of custom kinds that make pods all that is not read (kinds/makers.toml). What the engine reads
stays, so a masked cluster schedules as the one that it came from. Events of a scheduler, and of pods that could not be
made, keep what they are about, their times, and messages that do not look like a secret.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from scheduler_core.manifests.kinds.makers import READS, Tree, read_below
from scheduler_core.manifests.kinds.registry import (
    KEPT_EVENTS,
    KINDS,
    RECORD,
    RECORD_VERSION,
    SCHEDULED,
    kind_name,
)
from scheduler_core.manifests.kinds.unplayed import fact_paths, read_fields
from scheduler_core.manifests.model import Path

MASK = "***"
ENVIRONMENT, ARGUMENTS, ANNOTATIONS, PARAMETERS, DRIVERS, CUSTOM_FIELDS, OTHER_KINDS = (
    "environment variables",
    "commands and arguments",
    "annotations",
    "storage parameters",
    "configuration of device drivers",
    "fields of custom kinds",
    "objects of other kinds",
)
WHAT = (ENVIRONMENT, ARGUMENTS, ANNOTATIONS, PARAMETERS, DRIVERS, CUSTOM_FIELDS, OTHER_KINDS)
"""What is counted, in the order in which pages list it."""

_SECRET_KEY = re.compile(
    r"pass(?:word|wd|phrase)|secret|token|credential|cert|private[-_.]?key|api[-_.]?key|access[-_.]?key|last-applied-configuration",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"-----BEGIN |\beyJ[\w-]{10,}\.|://[^/\s:@]+:[^/\s@]+@|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bschedscope_[\w-]{20,}|\bxox[abp]-"
    r"|(?:password|passwd|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key)\w*[\"']?\s*[:=]",
    re.IGNORECASE,
)
# Annotations of these domains are read by the engine, or say how Kubernetes itself handles an object.
_READ_DOMAINS = (
    "pv.kubernetes.io",
    "volume.kubernetes.io",
    "volume.beta.kubernetes.io",
    "storageclass.kubernetes.io",
    "storageclass.beta.kubernetes.io",
    "storage.alpha.kubernetes.io",
    "batch.kubernetes.io",
    "kubernetes.io",
)
_LISTS = ("args", "command")
_PARAMETERS = ("parameters", "volumeAttributes", "options")
_UNTOUCHED = frozenset((
    *("managedFields", "status", "labels", "matchLabels", "selector"),
    *("attributes", "capacity", "counters"),  # of devices, by names of their drivers
))  # fmt: skip
_NAMING = frozenset((("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")))
_MESSAGES = frozenset((("message",), ("note",)))
_EVENTS = (*KEPT_EVENTS, SCHEDULED)
_OF_EVENTS = frozenset(
    (
        *_NAMING,
        *((about, name) for about in ("involvedObject", "regarding") for name in ("kind", "namespace", "name", "uid")),
        *(("reason",), ("lastTimestamp",), ("deprecatedLastTimestamp",), ("eventTime",)),
        *(("series", "lastObservedTime"), ("series", "count"), ("count",), ("metadata", "creationTimestamp")),
    )
)
"""What stays of an event that is read, besides its message."""
_OF_RECORDS = frozenset(
    (("notes",), *(("gaps", field) for field in ("code", "text", "kind", "plugins", "concerns", "command", "objects")))
)
"""What stays of the record of the form that a file had before it was rewritten."""
COLLECTIONS = (dict, list)
# Numbers, addresses and switches, which many annotations hold: no pattern of a secret value matches one.
_HARMLESS = re.compile(r"[0-9./:,+-]*|true|false", re.ASCII)
_MAX_LIST_DEPTH = 8
_LONGEST_KEPT = 320
"""The longest name that an annotation may have: a domain of 253 characters, a slash and 63 more, rounded up."""


class Secret(NamedTuple):
    """The path of a value to mask, and what it is (one of WHAT)."""

    path: Path
    what: str


def secrets(value: Any) -> Iterator[Secret]:
    """The secrets of a document: an object, a list of objects, or a YAML sequence of them; masked ones too."""
    if isinstance(value, list):
        for i, entry in enumerate(value):
            yield from _of_object(entry, (i,), ("", ""), 0)
    else:
        yield from _of_object(value, (), ("", ""), 0)


def secrets_of_entry(entry: Any, kind: str, version: str) -> list[Secret]:
    """The secrets of an entry of a list, with paths from the entry.

    ``kind`` and ``version`` are what the list gives it. An entry that is no object is a secret: its path is empty.
    """
    return list(_of_object(entry, (), (kind, version), 1, is_entry=True))


def mask(value: Any) -> dict[str, int]:
    """Mask a plain value in place; {what: how many are masked in it now}, of other kinds the objects."""
    to_mask = list(secrets(value))
    mask_at(value, to_mask)
    return counted(to_mask)


def mask_at(value: Any, to_mask: Iterable[Secret]) -> None:
    """Mask a plain value in place at these paths, which ``secrets`` found in it."""
    for path, _ in to_mask:
        _put(value, path)


def mask_open_at(value: Any, to_mask: Iterable[Secret]) -> bool:
    """As ``mask_at``; whether one of the values was not masked already."""
    is_changed = False
    for path, _ in to_mask:
        inside = value
        for part in path[:-1]:
            inside = inside[part]
        if inside[path[-1]] != MASK:
            inside[path[-1]] = MASK
            is_changed = True
    return is_changed


def masked_copy(value: Any, to_mask: Iterable[Secret]) -> Any:
    """The value with these paths masked; what leads to them is copied, since equal parts may be one and the same."""
    tree: dict[Any, Any] = {}
    for path, _ in to_mask:
        node = tree
        for part in path:
            node = node.setdefault(part, {})
    return _masked_below(value, tree)


def _masked_below(value: Any, tree: dict[Any, Any]) -> Any:
    if not tree:
        return MASK
    copied = value.copy()
    for part, below in tree.items():
        copied[part] = _masked_below(value[part], below)
    return copied


def masked_template(template: Any) -> Any:
    """A workload's pod template with what may be secret masked: a copy, or the template itself without any.

    It is the same for a template and for what masking left of it.
    """
    to_mask: list[Secret] = []
    secrets_of_field("template", template, (), to_mask)
    if not to_mask:
        return template
    copied = copy.deepcopy(template)
    mask_at(copied, to_mask)
    return copied


def counted(masked: list[Secret]) -> dict[str, int]:
    """How many of each: {what: count}, of other kinds the objects."""
    counts: dict[str, int] = {}
    objects = set()
    for path, what in masked:
        if what == OTHER_KINDS:
            objects.add(path[0 : _depth(path)])
        else:
            counts[what] = counts.get(what, 0) + 1
    return {**counts, OTHER_KINDS: len(objects)} if objects else counts


def is_masked(value: Any, secret: Secret) -> bool:
    """Whether the value at the path is masked already."""
    for part in secret.path:
        value = value[part]
    return bool(value == MASK)


def _depth(path: Path) -> int:
    """How many parts of the path lead to the object: (3,) and ("items", 3), or none for a document of its own."""
    at = 0
    while at < len(path):
        if path[at] == "items" and at + 1 < len(path) and isinstance(path[at + 1], int):
            at += 2
        elif at == 0 and isinstance(path[0], int):
            at = 1
        else:
            break
    return at


def _put(value: Any, path: Path) -> None:
    for part in path[:-1]:
        value = value[part]
    value[path[-1]] = MASK


def _of_object(raw: Any, path: Path, typed: tuple[str, str], depth: int, *, is_entry: bool = False) -> Iterable[Secret]:
    """The secrets of one object; ``typed``: kind and version that a list gives its items."""
    if not isinstance(raw, dict):
        return _leaves(raw, path) if path or is_entry else ()
    kind, version = raw.get("kind", typed[0]), raw.get("apiVersion", typed[1])
    kind, version = (kind if isinstance(kind, str) else ""), (version if isinstance(version, str) else "")
    if name := kind_name(kind, version):
        return _of_known(raw, path, KINDS[name].field) if name not in READS else _of_maker(raw, path, READS[name])
    items = raw.get("items")
    if kind.endswith("List") and isinstance(items, list) and depth < _MAX_LIST_DEPTH:
        inner = ("", "") if kind == "List" else (kind.removesuffix("List"), version)
        return chain.from_iterable(
            _of_object(entry, (*path, "items", i), inner, depth + 1) for i, entry in enumerate(items)
        )
    if kind == "Event" and raw.get("reason") in _EVENTS:
        return _of_event(raw, path)
    if kind == RECORD and version == RECORD_VERSION:
        return _of_record(raw, path)
    if reads := read_fields(kind, version):
        return _of_maker(raw, path, reads)
    start, facts = len(path), fact_paths(kind, version)
    others = (secret for secret in _leaves(raw, path) if secret.path[start:] not in _NAMING)
    return others if not facts else (one for one in others if not _is_fact(raw, one.path[start:], facts))


def _is_fact(raw: Any, path: Path, facts: frozenset[Path]) -> bool:
    """Whether the value is one that answers name and looks like no secret; "*" in a path is any element of a list."""
    if tuple("*" if part.__class__ is int else part for part in path) not in facts:
        return False
    for part in path:
        raw = raw[part]
    return bool(raw != MASK and not (isinstance(raw, str) and _SECRET_VALUE.search(raw)))


def _of_known(raw: dict[str, Any], path: Path, kind_field: str) -> list[Secret]:
    """The secrets of an object of a kind that is read; of a node only annotations may be any, and a status only where
    drivers write it."""
    secrets: list[Secret] = []
    secrets_of_metadata(raw.get("metadata"), (*path, "metadata"), secrets)
    if kind_field == "resource_claims":
        _of_claim_status(raw.get("status"), (*path, "status"), secrets)
    if kind_field != "nodes":
        for name, value in raw.items():
            if value.__class__ in COLLECTIONS and name not in ("metadata", "status"):
                secrets_of_field(name, value, (*path, name), secrets)
    return secrets


def _of_maker(raw: dict[str, Any], path: Path, reads: Tree) -> list[Secret]:
    """The secrets of a custom object that makes pods or nodes: what is not read, and what may be secret of the rest."""
    secrets: list[Secret] = []
    secrets_of_metadata(raw.get("metadata"), (*path, "metadata"), secrets)
    for name, value in raw.items():
        if name not in ("apiVersion", "kind", "metadata"):
            _not_read(name, value, (*path, name), read_below(reads, name), secrets)
    return secrets


def _not_read(name: str, value: Any, path: Path, reads: Tree | None, secrets: list[Secret]) -> None:
    """Adds what is not read of a value; ``reads`` is what is read below it, None for nothing, empty for all."""
    if reads is None or (reads and value.__class__ not in COLLECTIONS):
        secrets += [one._replace(what=CUSTOM_FIELDS) for one in _leaves(value, path)]
    elif not reads:
        secrets_of_field(name, value, path, secrets)
        if isinstance(value, str) and (value == MASK or _SECRET_VALUE.search(value)):
            secrets.append(Secret(path, CUSTOM_FIELDS))
    else:
        is_list = value.__class__ is list
        for key, inner in enumerate(value) if is_list else value.items():
            _not_read(str(key), inner, (*path, key), read_below(reads, "*" if is_list else str(key)), secrets)


def _of_claim_status(status: Any, path: Path, secrets: list[Secret]) -> None:
    """Adds the secrets in what a claim got and in what drivers report."""
    if status.__class__ is not dict:
        return
    secrets_of_field("allocation", status.get("allocation"), (*path, "allocation"), secrets)
    devices = status.get("devices")
    for i, one in enumerate(devices if devices.__class__ is list else ()):
        if one.__class__ is dict:
            _of_driver(one.get("data"), (*path, "devices", i, "data"), secrets, is_secret=False)


def _of_driver(value: Any, path: Path, secrets: list[Secret], *, is_secret: bool) -> None:
    """Adds the secrets in what is a driver's own, whatever its form. ``is_secret``: a key above it says so."""
    if value.__class__ is dict:
        for key, inner in value.items():
            _of_driver(inner, (*path, key), secrets, is_secret=is_secret or _is_secret(key, "a text"))
    elif value.__class__ is list:
        for i, inner in enumerate(value):
            _of_driver(inner, (*path, i), secrets, is_secret=is_secret)
    elif value not in (None, "") and (is_secret or (value.__class__ is str and _is_secret("", value))):
        secrets.append(Secret(path, DRIVERS))


def _of_event(raw: dict[str, Any], path: Path) -> Iterator[Secret]:
    """The secrets of an event that is read."""
    start = len(path)
    for secret in _leaves(raw, path):
        inside = secret.path[start:]
        if inside in _MESSAGES:
            text = raw[inside[0]]
            if not isinstance(text, str) or text == MASK or _SECRET_VALUE.search(text):
                yield secret
        elif inside not in _OF_EVENTS:
            yield secret


def _of_record(raw: dict[str, Any], path: Path) -> Iterator[Secret]:
    """The secrets of the record of a form, whose sentences name objects and files."""
    start = len(path)
    for secret in _leaves(raw, path):
        inside = secret.path[start:]
        text: Any = raw
        for part in inside:
            text = text[part]
        is_own = inside in _NAMING or tuple(part for part in inside if part.__class__ is str) in _OF_RECORDS
        if not is_own or not isinstance(text, str) or text == MASK or _SECRET_VALUE.search(text):
            yield secret


def _leaves(value: Any, path: Path) -> Iterator[Secret]:
    """Every value below that is not empty."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from _leaves(inner, (*path, i))
    elif value is not None and value != "":
        yield Secret(path, OTHER_KINDS)


def secrets_of_metadata(metadata: Any, path: Path, secrets: list[Secret]) -> None:
    """Adds the secrets in the metadata of an object."""
    annotations = metadata.get("annotations") if metadata.__class__ is dict else None
    if annotations.__class__ is dict:
        for name, value in annotations.items():
            if value.__class__ is str and value and _is_secret(name, value):
                secrets.append(Secret((*path, "annotations", name), ANNOTATIONS))


def secrets_of_field(name: str, value: Any, path: Path, secrets: list[Secret]) -> None:
    """Adds the secrets in a field of an object, however deep they lie.

    Into a list: nested generators take twice as long, and every field of every object comes by here.
    """
    if value.__class__ is list:
        _of_list(name, value, path, secrets)
    elif value.__class__ is not dict or name in _UNTOUCHED:
        return
    elif name == "metadata":
        secrets_of_metadata(value, path, secrets)
    elif name == "opaque":
        _of_driver(value.get("parameters"), (*path, "parameters"), secrets, is_secret=False)
    elif name in _PARAMETERS:
        for key, text in value.items():
            if text.__class__ is str and text and _is_secret(key, text):
                secrets.append(Secret((*path, key), PARAMETERS))
    else:
        for key, inner in value.items():
            if inner and inner.__class__ in COLLECTIONS:
                secrets_of_field(key, inner, (*path, key), secrets)


def _of_list(name: str, value: list[Any], path: Path, secrets: list[Secret]) -> None:
    if name in _LISTS:
        secrets += [Secret((*path, i), ARGUMENTS) for i, text in enumerate(value) if isinstance(text, str) and text]
    elif name in ("env", "httpHeaders"):
        what = ENVIRONMENT if name == "env" else ARGUMENTS
        for i, entry in enumerate(value):
            if isinstance(entry, dict) and entry.get("value") not in (None, ""):
                secrets.append(Secret((*path, i, "value"), what))
    else:
        for i, entry in enumerate(value):
            if entry.__class__ is dict:
                for key, inner in entry.items():
                    if inner and inner.__class__ in COLLECTIONS:
                        secrets_of_field(key, inner, (*path, i, key), secrets)
            elif entry.__class__ is list:
                _of_list("", entry, (*path, i), secrets)


def looks_secret(comment: str) -> bool:
    """Whether a comment of a file may hold a secret: one that names one, or a field that was taken out by it."""
    return "value:" in comment or bool(_SECRET_KEY.search(comment) or _SECRET_VALUE.search(comment))


def holds_secret_value(text: str) -> bool:
    """Whether a text looks like a secret by itself, whatever its name."""
    return bool(_SECRET_VALUE.search(text))


def _is_secret(name: str, value: str) -> bool:
    """Whether a value, not empty, of this name may be secret."""
    if value == MASK:
        return True
    by_name = _kept_by_name(name) if len(name) <= _LONGEST_KEPT else _by_name(name)
    return bool(not _HARMLESS.fullmatch(value) and _SECRET_VALUE.search(value)) if by_name is None else by_name


def _by_name(name: str) -> bool | None:
    """Whether a value is secret by its name; None where its value tells."""
    if name.partition("/")[0] in _READ_DOMAINS:
        return False
    return True if _SECRET_KEY.search(name) else None


_kept_by_name = lru_cache(maxsize=4096)(_by_name)
"""Kept for names that were asked for: a cluster has few names of annotations, each on many objects."""
