"""A piece as it may be stored: within the limits, with names that Kubernetes allows, and masked here once more.

A collector masks what it sends, and its word is not taken for it: its token could be in other hands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from dashboard.clusters.models.following import COLLECTION_LENGTH, VERSION_LENGTH
from dashboard.clusters.revisions.object_keys import canonical
from dashboard.common.problems import Problem, TooLarge
from scheduler_core.manifests import ManifestSource, masked_source
from scheduler_core.manifests.bundle.model import FORMAT, BundleMeta, Change, ListedObject
from scheduler_core.manifests.bundle.pieces import PieceHead, PieceLine, encoded, read_piece
from scheduler_core.manifests.masking.secrets import mask
from scheduler_core.manifests.model import LoadError

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_SENT = 16 << 20
"""Bytes of a piece as it is sent, compressed."""
MOST_OBJECT = 2 << 20
"""Bytes of an object; the store behind an API server takes none over 1.5 MiB."""
MOST_NAME = 253
MOST_GAPS, MOST_KINDS, MOST_VERSIONS, MOST_NAMESPACES = 2_000, 200, 200, 10_000
MOST_TEXT = 1_000
MOST_CONFIGURATION = 256 << 10
MOST_MANAGERS = 50
_COLLECTION = re.compile(rf"[A-Za-z0-9_-]{{1,{COLLECTION_LENGTH}}}")
# What Kubernetes allows in names of any kind (of objects, kinds, groups and namespaces): no space, no slash, ASCII.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:@-]*)")


class CheckedPiece(NamedTuple):
    """A piece that may be stored: its head, and as it is stored (in the form in which pieces are sent)."""

    head: PieceHead
    data: bytes


class _SentMetadata(msgspec.Struct):
    name: str = ""
    namespace: str | None = ""


class _SentObject(msgspec.Struct):
    apiVersion: str = ""
    kind: str = ""
    metadata: _SentMetadata = msgspec.field(default_factory=_SentMetadata)


def checked(data: bytes) -> CheckedPiece:
    """Return the piece masked. Raises TooLarge (413) and Problem (400), which name the line."""
    if len(data) > MOST_SENT:
        raise TooLarge(f"A piece has at most {MOST_SENT >> 20} MiB as it is sent. Send less at a time.")
    try:
        head, objects, events, changes = read_piece(data)
        head = msgspec.structs.replace(head, meta=_checked_meta(head))
        return CheckedPiece(head, encoded(head, _lines(objects, events, changes)))
    except LoadError as problem:
        where = f"line {problem.line}: " if problem.line else ""
        detail = f"{where}{problem.message}"
        if "at most" in problem.message:
            raise TooLarge(detail) from None
        raise Problem(detail, title="This is no piece of a bundle") from None
    except RecursionError:
        raise Problem("An object of the piece is nested too deeply.", title="This is no piece of a bundle") from None


def _lines(objects: Iterable[ListedObject], events: Iterable[Change], changes: Iterable[Change]) -> Iterable[PieceLine]:
    """The lines again, each object masked; listed objects first, then events and changes."""
    encode = msgspec.json.encode
    for n, listed in enumerate(objects):
        line = ListedObject(t=listed.t, object=_masked(listed.object, f"object {n + 1} of objects.jsonl"))
        yield PieceLine("objects.jsonl", msgspec.Raw(encode(line)))
    for file, lines in (("events.jsonl", events), ("changes.jsonl", changes)):
        for n, change in enumerate(lines):
            where = f"change {n + 1} of {file}"
            if len(change.rv) > MOST_NAME:
                raise LoadError(f"{where}: rv has more than {MOST_NAME} characters")
            masked = msgspec.structs.replace(change, object=_masked(change.object, where))
            yield PieceLine(file, msgspec.Raw(encode(masked)))  # type: ignore[arg-type]


def _masked(content: msgspec.Raw, where: str) -> msgspec.Raw:
    if len(content) > MOST_OBJECT:
        raise LoadError(f"{where}: an object has at most {MOST_OBJECT >> 20} MiB")
    try:
        head, value = msgspec.json.decode(content, type=_SentObject), msgspec.json.decode(content)
    except msgspec.MsgspecError as problem:
        raise LoadError(f"{where} is no object of Kubernetes: {problem}") from None
    names = {"kind": head.kind, "metadata.name": head.metadata.name}
    given = {"apiVersion": head.apiVersion.replace("/", ""), "metadata.namespace": head.metadata.namespace or ""}
    for field, name in (names | {field: name for field, name in given.items() if name}).items():
        if len(name) > MOST_NAME or not _NAME.fullmatch(name):
            raise LoadError(f"{where}: {field} must be a name of 1 to {MOST_NAME} characters, not {name[:40]!r}")
    mask(value)
    _keep_managers(value)
    return msgspec.Raw(canonical(value))


def _keep_managers(value: dict[str, Any]) -> None:
    """Of managedFields keep who and when: the fields that each manages are never read."""
    metadata = value["metadata"]
    managed = metadata.pop("managedFields", None)
    if isinstance(managed, list):
        entries = [_manager(one) for one in managed[:MOST_MANAGERS] if isinstance(one, dict)]
        metadata["managedFields"] = [one for one in entries if one]


def _manager(entry: dict[str, Any]) -> dict[str, str]:
    named = {name: entry.get(name) for name in ("manager", "time")}
    return {name: text[:MOST_NAME] for name, text in named.items() if isinstance(text, str) and text.isprintable()}


def _checked_meta(head: PieceHead) -> BundleMeta:
    meta = head.meta
    if not _COLLECTION.fullmatch(head.collection):
        raise LoadError(f"collection must have 1 to {COLLECTION_LENGTH} letters, digits, - and _")
    if head.number < 0 or head.number >= 1 << 31:
        raise LoadError(f"number must be 0 to {(1 << 31) - 1:,}")
    if meta.format != FORMAT:
        raise LoadError(f"this server reads format {FORMAT} of bundles, not {meta.format}")
    counted = {
        "gaps": (len(meta.gaps), MOST_GAPS),
        "kinds": (len(meta.kinds), MOST_KINDS),
        "versions": (len(meta.versions), MOST_VERSIONS),
        "namespaces": (len(meta.namespaces), MOST_NAMESPACES),
    }
    for name, (count, most) in counted.items():
        if count > most:
            raise LoadError(f"meta.{name} has at most {most:,} entries")
    _check_texts(meta)
    return msgspec.structs.replace(meta, configuration=_masked_configuration(meta.configuration))


def _check_texts(meta: BundleMeta) -> None:
    short = {"server_version": meta.server_version} | {f"versions[{n}]": one[1] for n, one in enumerate(meta.versions)}
    for name, text in short.items():
        if len(text) > VERSION_LENGTH or not text.isprintable():
            raise LoadError(f"meta.{name} is no version of a server: {text[:40]!r}")
    texts = {"collector": meta.collector, "configuration_of": meta.configuration_of}
    texts |= {f"namespaces[{n}]": one for n, one in enumerate(meta.namespaces)}
    texts |= {f"gaps[{n}].text": gap.text for n, gap in enumerate(meta.gaps)}
    texts |= {f"gaps[{n}].kind": gap.kind for n, gap in enumerate(meta.gaps)}
    texts |= {f"gaps[{n}].namespace": gap.namespace for n, gap in enumerate(meta.gaps)}
    texts |= {f"kinds[{n}].{field}": getattr(one, field) for n, one in enumerate(meta.kinds) for field in _OF_KINDS}
    for name, text in texts.items():
        if len(text) > MOST_TEXT or "\x00" in text:
            raise LoadError(f"meta.{name} is a text of at most {MOST_TEXT:,} characters")
    if len(meta.configuration) > MOST_CONFIGURATION or "\x00" in meta.configuration:
        raise LoadError(f"meta.configuration is a text of at most {MOST_CONFIGURATION >> 10} KiB")


_OF_KINDS = ("api_version", "kind", "resource")


def _masked_configuration(text: str) -> str:
    """The text with its secrets masked. Raises LoadError for one that cannot be read, whose secrets are unknown."""
    if not text:
        return ""
    try:
        return masked_source(ManifestSource("meta.configuration", text.encode())).source.data.decode()
    except LoadError as problem:
        raise LoadError(f"meta.configuration: {problem.message}") from None
