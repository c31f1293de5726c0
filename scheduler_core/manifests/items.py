"""Documents to single objects: opens lists, checks kinds and versions, counts kinds that have no effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.api.unplayed import Unplayed
from scheduler_core.manifests.checking.raw_values import Complaint
from scheduler_core.manifests.forms.model import RECORD, RECORD_VERSION, FormRecord
from scheduler_core.manifests.kinds.metadata import EntryHeader, identity, read_header
from scheduler_core.manifests.kinds.refusals import keep_event
from scheduler_core.manifests.kinds.registry import (
    CONFIG_KINDS,
    CONFIGURATION,
    KEPT_EVENTS,
    KINDS,
    WITHOUT_EFFECT,
    api_group,
    holds_configuration,
    kind_name,
    served_version,
    similar_kind,
    version_problem,
)
from scheduler_core.manifests.kinds.unplayed import decides, note_unplayed
from scheduler_core.manifests.model import Content, Fix, Limits, LoadError, Path, Raw, plain, quoted, shortened
from scheduler_core.manifests.parsing.json_lists import JsonList
from scheduler_core.manifests.parsing.line_positions import ObjectPosition

_MAX_LIST_DEPTH = 8
_SHOWN_KINDS = 10
_MAX_GUESSES = 200
_MAX_EVENTS = 100_000
_MAX_GAPS = 1_000
_MAX_NOTES = 20


class Item(NamedTuple):
    """An object of a kind that is read; ``pod`` is that of an EntryHeader."""

    kind: str
    api_version: str
    namespace: str
    name: str
    content: Content
    origin: ObjectPosition
    generated: bool
    pod: Pod | None = None

    @property
    def raw(self) -> Raw:
        """The plain value; decoded at each call where ``content`` is text."""
        return plain(self.content)

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, namespace and name."""
        return self.kind, self.namespace, self.name

    @property
    def label(self) -> str:
        """The object as findings name it: ``Pod shop/web-1``, ``Node node-a``."""
        name = shortened(self.name) or f"(no name, document {self.origin.document + 1})"
        return f"{self.kind} {self.namespace}/{name}" if self.namespace else f"{self.kind} {name}"


def document_label(raw: Any) -> str:
    """The object of a document as findings name it before it is checked; empty where there is no kind."""
    kind = raw.get("kind") if isinstance(raw, dict) else None
    if not isinstance(kind, str) or not kind:
        return ""
    who = identity(raw, kind)
    return f"{shortened(kind)} {shortened(f'{who.namespace}/{who.name}' if who.namespace else who.name)}".strip()


@lru_cache(maxsize=1024)
def _name_without_problem(kind: str, version: str) -> str:
    """The name of a kind that is read, where nothing is to be said about the version; else "" """
    name = kind_name(kind, version)
    return name if name and version_problem(name, version) is None else ""


def _item(
    kind: str, version: str, names: tuple[str, str], content: Content, origin: ObjectPosition, *, is_generated: bool
) -> Item:
    """The item of a kind that is read. ``names``: namespace and name as written; ``is_generated``: only a prefix is."""
    namespace, name = names
    if not KINDS[kind].namespaced:
        namespace = ""
    elif not namespace:
        namespace = "default"
    return Item(intern(kind), intern(version), intern(namespace), name, content, origin, is_generated and bool(name))


class ItemReader:
    """Opens the documents of one source, and collects complaints and counts."""

    def __init__(self, limits: Limits, n_before: int) -> None:
        self._limits = limits
        self._count = n_before
        self._custom: dict[str, int] = {}
        self._guesses = 0
        self.complaints: list[tuple[ObjectPosition, Complaint]] = []
        self.passed_over: dict[str, int] = {}
        self.unplayed = Unplayed()
        self.first_custom = 0
        self.empty_lists: list[ObjectPosition] = []
        self.events: list[Raw] = []
        """Events in which a scheduler said why it failed, or that it preempted: no objects, but what a dump tells."""

    @property
    def has_something(self) -> bool:
        """Whether the source holds anything besides objects that are read."""
        return bool(self.passed_over or self.complaints or self.events or self.empty_lists)

    def items(self, value: Any, origin: ObjectPosition) -> Iterator[Item]:
        """The objects of a document. Raises LoadError at too many objects."""
        if value is None:
            return
        if isinstance(value, list):
            for i, entry in enumerate(value):
                yield from self._object(entry, entry, origin._replace(path=(i,)), ("", ""), 0)
            return
        yield from self._object(value, value, origin, ("", ""), 0)

    def of_content(self, content: Content, origin: ObjectPosition) -> Iterable[Item]:
        """The objects of stored content. Raises LoadError at too many objects."""
        if content.__class__ is not msgspec.Raw:
            return self.items(content, origin)
        header = read_header(content)
        kind = "" if header is None else _name_without_problem(header.kind, header.apiVersion)
        if header is None or not kind:
            return self._object(plain(content), content, origin, ("", ""), 0)
        self._count_one()
        meta = header.metadata
        names = meta.namespace, meta.name or meta.generateName
        return (_item(kind, header.apiVersion, names, content, origin, is_generated=not meta.name),)

    def of_list(self, json_list: JsonList, origin: ObjectPosition) -> Iterator[Item]:
        """The objects of a list that is read entry by entry. Raises LoadError at too many objects, NotPlain."""
        yield from self._object({**json_list.fields, "items": json_list}, {}, origin, ("", ""), 0)

    def custom_kinds_text(self) -> str:
        """The custom kinds that were passed over, with counts, cut to a few."""
        shown = [f"{kind} ({count})" for kind, count in list(self._custom.items())[:_SHOWN_KINDS]]
        more = len(self._custom) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "")

    def _count_one(self) -> None:
        self._count += 1
        if self._count > self._limits.max_objects:
            raise LoadError(f"more than {self._limits.max_objects} objects. Split the import")

    def _complain(
        self, origin: ObjectPosition, severity: Any, path: Path, message: str, fix: Fix | None = None
    ) -> None:
        if len(self.complaints) <= self._limits.max_findings:
            self.complaints.append((origin, Complaint(severity, path, message, fix)))

    def _object(
        self, raw: Any, content: Content, origin: ObjectPosition, typed: tuple[str, str], depth: int
    ) -> Iterator[Item]:
        """The objects of a raw value, stored as ``content``; ``typed``: kind and version that a list gives it."""
        self._count_one()
        if not isinstance(raw, dict):
            self._complain(
                origin, "error", (), f"{quoted(raw)} is no Kubernetes object. Write apiVersion, kind and metadata"
            )
            return
        kind = self._kind(raw, origin, typed[0])
        if not kind:
            return
        version = self._version(raw, origin, typed[1])
        if kind == "List" or (kind.endswith("List") and kind != "List" and "items" in raw):
            yield from self._list(raw, origin, kind, version, depth)
        elif kind == RECORD and version == RECORD_VERSION:
            self._note_form(raw, origin)
        elif name := kind_name(kind, version):
            yield from self._known(raw, content, origin, (name, version))
        elif not (kind == "Event" and self._keep_event(raw)):
            self._pass_over(kind, version, origin, raw)

    def _keep_event(self, raw: Raw) -> bool:
        """Whether the event is one that is read."""
        keep_event(self.unplayed.refused, raw)
        if raw.get("reason") not in KEPT_EVENTS or len(self.events) >= _MAX_EVENTS:
            return False
        self.events.append(raw)
        return True

    def _note_form(self, record: Raw, origin: ObjectPosition) -> None:
        """Take the gaps of the form that the file had before it was rewritten, and warn of what it passed over."""
        try:
            form = msgspec.convert(record, FormRecord)
        except msgspec.ValidationError as problem:
            self._complain(origin, "error", (), f"this is no record of a form of input: {problem}")
            return
        self.unplayed.gaps += form.gaps[:_MAX_GAPS]
        for note in form.notes[:_MAX_NOTES]:
            self._complain(origin._replace(label=""), "warning", (), shortened(note, 1_000))

    def _kind(self, raw: Raw, origin: ObjectPosition, default: str) -> str:
        kind = raw.get("kind", default)
        if kind is None or kind == "":
            self._complain(origin, "error", ("kind",), "is missing. Write the kind of the object, such as kind: Pod")
            return ""
        if not isinstance(kind, str):
            self._complain(origin, "error", ("kind",), f"{quoted(kind)} is no text. Write a kind such as Pod")
            return ""
        if kind in CONFIG_KINDS:
            text = "this is a scheduler configuration, not a cluster object. Load it as a configuration"
            self._complain(origin, "error", ("kind",), text)
            return ""
        if kind not in KINDS and kind not in WITHOUT_EFFECT and not kind.endswith("List"):
            meant = self._meant(kind, str(raw.get("apiVersion", "")))
            if meant:
                text = f"there is no kind {quoted(kind)}. Write {meant}"
                self._complain(origin, "error", ("kind",), text, Fix("value", meant))
                return ""
        return kind

    def _meant(self, kind: str, version: str) -> str:
        """The kind that a wrong word of a group of Kubernetes stands for; not looked for without end."""
        if api_group(version) not in ("", "apps", "batch", "policy") or self._guesses >= _MAX_GUESSES:
            return ""
        self._guesses += 1
        return similar_kind(kind)

    def _version(self, raw: Raw, origin: ObjectPosition, default: str) -> str:
        version = raw.get("apiVersion", default)
        if isinstance(version, str):
            return version
        self._complain(origin, "error", ("apiVersion",), f"{quoted(version)} is no version. Write one such as v1")
        return default

    def _list(self, raw: Raw, origin: ObjectPosition, kind: str, version: str, depth: int) -> Iterator[Item]:
        items = raw.get("items")
        if items is None:
            self.empty_lists.append(origin)
            return
        if not isinstance(items, list | JsonList):
            self._complain(
                origin, "error", ("items",), f"{quoted(items)} is no list. Write the objects with a dash each"
            )
            return
        if depth >= _MAX_LIST_DEPTH:
            self._complain(origin, "error", ("items",), f"lists are nested deeper than {_MAX_LIST_DEPTH}")
            return
        if not items:
            self.empty_lists.append(origin)
        typed = ("", "") if kind == "List" else (kind[: -len("List")], version)
        entries = items if isinstance(items, JsonList) else ((entry, entry) for entry in items)
        for i, (entry, content) in enumerate(entries):
            inner = ObjectPosition(origin.source, origin.document, (*origin.path, "items", i), None)
            if entry.__class__ is EntryHeader:
                self._count_one()
                names = entry.kind, entry.version, entry.namespace, entry.name
                yield Item(*names, content, inner, entry.is_prefix, entry.pod)
            else:
                yield from self._object(entry, content, inner, typed, depth + 1)

    def _known(self, raw: Raw, content: Content, origin: ObjectPosition, typed: tuple[str, str]) -> Iterator[Item]:
        kind, version = typed
        who = identity(raw, kind)
        meta = raw.get("metadata")
        is_generated = isinstance(meta, dict) and not meta.get("name")
        item = _item(kind, version, (who.namespace, who.name), content, origin, is_generated=is_generated)
        problem = version_problem(kind, version)
        if problem:
            labelled = origin._replace(label=item.label)
            self._complain(labelled, problem[0], ("apiVersion",), problem[1], Fix("value", served_version(kind)))
            if problem[0] == "error":
                return
        yield item

    def _pass_over(self, kind: str, version: str, origin: ObjectPosition, raw: Raw) -> None:
        short = shortened(kind)
        self.passed_over[short] = self.passed_over.get(short, 0) + 1
        if kind == "ConfigMap" and holds_configuration(raw):
            text = f"this holds a {CONFIGURATION}, which is no part of a cluster. Load the file as a configuration, too"
            self._complain(origin, "warning", ("data",), text)
        if decides(kind, version, raw):
            note_unplayed(self.unplayed, kind, version, raw)
        elif kind not in WITHOUT_EFFECT:
            if not self._custom:
                self.first_custom = origin.document
            name = shortened(f"{kind} of {version}" if version else kind, 100)
            self._custom[name] = self._custom.get(name, 0) + 1
