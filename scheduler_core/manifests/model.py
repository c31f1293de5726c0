"""What goes into loading and what comes out: sources, findings, manifests, limits and the result."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from scheduler_core.api.kinds import bare_kind
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.api.unplayed import Unplayed

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]
Raw = dict[str, Any]
Content = msgspec.Raw | Raw
"""An object as it is stored: its JSON text where it came as JSON, else its plain value."""

_decode = msgspec.json.Decoder(Raw).decode


def plain(content: Content) -> Raw:
    """The plain value of stored content; decoded at each call where it is text."""
    return _decode(content) if content.__class__ is msgspec.Raw else content  # type: ignore[return-value]


class ManifestSource(msgspec.Struct, frozen=True):
    """A file to read: the name that findings show, and its content (gzip is recognised by its first bytes)."""

    name: str
    data: bytes


class Fix(msgspec.Struct, frozen=True):
    """A certain mend at the field of a finding: ``text`` in place of its key or its value (``bare``: without the
    quotes that it has), or its value in quotes."""

    of: Literal["key", "value", "bare", "quotes"]
    text: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something wrong with the input; ``message`` says what is wrong and what to write instead.

    ``suggestion`` is a whole text to use instead of the file, ``fix`` a small mend, where they can be given.
    """

    severity: Severity
    source: str
    message: str
    line: int | None = None
    object: str = ""
    field: str = ""
    suggestion: str = ""
    fix: Fix | None = None

    def text(self) -> str:
        """One line: ``FILE:LINE: OBJECT: FIELD: message``, warnings marked, control characters escaped."""
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        parts = [where, self.object, self.field, self.message]
        mark = "warning: " if self.severity == "warning" else ""
        return printable(mark + ": ".join(part for part in parts if part))


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One object as written; ``kind`` is its name in the registry.

    ``content`` is stored as it came: text takes less than a fifth of its value's memory.
    """

    kind: str
    api_version: str
    name: str
    content: Content
    namespace: str = ""
    line: int | None = None
    source: str = ""

    @property
    def raw(self) -> Raw:
        """The object in plain JSON types, which may share parts with others: do not change it. Costs a decoding."""
        return plain(self.content)

    @property
    def complete(self) -> Raw:
        """The object with the kind and version that it has from a typed list written in; shares parts as ``raw``."""
        return {**self.raw, "apiVersion": self.api_version, "kind": bare_kind(self.kind)}


class LoadResult(msgspec.Struct, kw_only=True):
    """The objects with defaults and admission applied, the manifests they came from, and what was wrong.

    An object with an error is not among ``objects``; ``passed_over`` counts the kinds that scheduling does not look at.
    ``events`` are those of them that say what became of a pod (registry.KEPT_EVENTS), as written; ``unplayed`` is what
    decides in a real cluster and is not played.
    """

    objects: ClusterObjects = msgspec.field(default_factory=ClusterObjects)
    manifests: list[Manifest] = msgspec.field(default_factory=list)
    findings: list[Finding] = msgspec.field(default_factory=list)
    passed_over: dict[str, int] = msgspec.field(default_factory=dict)
    events: list[Raw] = msgspec.field(default_factory=list)
    unplayed: Unplayed = msgspec.field(default_factory=Unplayed)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    @property
    def errors(self) -> list[Finding]:
        """The findings that make the input unusable."""
        return [f for f in self.findings if f.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """The findings to know about."""
        return [f for f in self.findings if f.severity == "warning"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on what an input may cost, checked before the cost arises.

    ``max_object_values``: keys, values and entries of one object in all. The API server takes no object larger than
    3 MiB, the store behind it none larger than 1.5 MiB; the largest known ones, schemas, hold some ten thousands.
    """

    max_bytes: int = 256 << 20
    max_documents: int = 400_000
    max_objects: int = 200_000
    max_object_values: int = 200_000
    max_depth: int = 128
    max_json_values: int = 10_000_000
    max_yaml_nodes: int = 6_000_000
    max_alias_weight: int = 500_000
    max_pods_expanded: int = 100_000
    max_findings: int = 1_000


class LoadError(Exception):
    """A source cannot be read further; carries the message and, where known, the line and the field."""

    def __init__(self, message: str, line: int | None = None, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.field = field


_PATH_PART = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_PLAIN_KEY = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def path_text(path: Path) -> str:
    """The path as people write it: ``spec.containers[0].ports``, keys with other characters as ``labels[a.b/c]``."""
    out: list[str] = []
    for part in path:
        if isinstance(part, int):
            out.append(f"[{part}]")
        elif part and _PLAIN_KEY.issuperset(part):
            out.append(f".{part}" if out else part)
        else:
            out.append(f"[{shortened(part)}]")
    return "".join(out)


def path_of_text(text: str) -> Path:
    """The path that ``path_text`` wrote; a key that it cut stays cut."""
    parts = _PATH_PART.findall(text)
    return tuple(int(bracket) if bracket.isdecimal() else bracket or plain for bracket, plain in parts)


def shortened(value: object, limit: int = 60) -> str:
    """The value as text, cut to ``limit`` characters."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}…"


def quoted(value: object) -> str:
    """The value for a message: text in quotes, cut; lists and mappings by what they are."""
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return shortened(value)


def printable(text: str) -> str:
    """The text with control, direction and line break characters escaped, safe for a terminal and for one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
