"""Stored manifests for pages: keys, labels for people, and the stored form.

A large cluster as plain values would take ten times the memory of its text, and pages need only the names of most
objects; so manifests are stored as text and decoded one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from scheduler_core.api.kinds import bare_kind
from scheduler_core.manifests import Content, plain
from scheduler_core.manifests.kinds.metadata import suffix
from scheduler_core.manifests.kinds.registry import KINDS, kind_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.manifests import Manifest

Raw = dict[str, Any]
canonical = msgspec.json.Encoder(order="sorted").encode
"""A manifest as compact JSON with sorted keys: equal objects, equal bytes."""


class _Metadata(msgspec.Struct):
    namespace: str = ""
    name: str = ""


class _Head(msgspec.Struct):
    apiVersion: str = ""
    kind: str = ""
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_decode_head = msgspec.json.Decoder(_Head).decode


class Key(NamedTuple):
    """The name of an object in a cluster; the kind by its name in the registry; the namespace is empty for kinds
    without one."""

    kind: str
    namespace: str
    name: str

    @property
    def label(self) -> str:
        """Return the object in words: "Pod shop/web-1", "Node node-a"."""
        return f"{self.kind} {self.path}"

    @property
    def path(self) -> str:
        """Return namespace/name, or the name alone."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def object_key(raw: Mapping[str, Any]) -> Key:
    """Return the key of a manifest."""
    metadata = raw.get("metadata") or {}
    return normal_key(_kind(raw), str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))


def _kind(raw: Mapping[str, Any]) -> str:
    kind = str(raw.get("kind") or "")
    return kind_name(kind, str(raw.get("apiVersion") or "")) or kind


def written_key(content: Content) -> Key:
    """Return kind, namespace and name as a stored manifest has them, empty where it has none."""
    try:
        head = _decode_head(content) if isinstance(content, msgspec.Raw) else msgspec.convert(content, _Head)
    except msgspec.ValidationError:  # null, or no text, where Kubernetes wants text
        raw = plain(content)
        metadata = raw.get("metadata") or {}
        return Key(_kind(raw), metadata.get("namespace") or "", metadata.get("name") or "")
    return Key(kind_name(head.kind, head.apiVersion) or head.kind, head.metadata.namespace, head.metadata.name)


class Manifests:
    """Manifests in order, decoded on access."""

    def __init__(self, stored: Sequence[Content]):
        self._stored = stored

    def __len__(self) -> int:
        return len(self._stored)

    def __iter__(self) -> Iterator[Raw]:
        return map(plain, self._stored)


class ManifestsByKey(Mapping[Key, Raw]):
    """Manifests by key, in order, decoded on access; `stored` has them undecoded."""

    def __init__(self, stored: Iterable[Content]):
        self.stored = {normal_key(*written_key(content)): content for content in stored}

    @classmethod
    def of(cls, stored: dict[Key, Content]) -> ManifestsByKey:
        """Return stored manifests whose keys are known."""
        made = cls(())
        made.stored = stored
        return made

    def __len__(self) -> int:
        return len(self.stored)

    def __iter__(self) -> Iterator[Key]:
        return iter(self.stored)

    def __getitem__(self, key: Key) -> Raw:
        return plain(self.stored[key])

    def __contains__(self, key: object) -> bool:
        return key in self.stored


def canonical_text(content: Content) -> bytes:
    """Return a stored manifest as canonical JSON; text that is stored is in that form."""
    return bytes(content) if isinstance(content, msgspec.Raw) else canonical(content)


def normal_key(kind: str, namespace: str, name: str) -> Key:
    """Return the key; a missing namespace is "default" for kinds that live in one, others have none."""
    if kind in KINDS:
        namespace = (namespace or "default") if KINDS[kind].namespaced else ""
    return Key(kind, namespace, name)


class Stored(NamedTuple):
    """Manifests as text, and for each whether it had a name before one was added."""

    manifests: list[Content]
    is_named: bool


def stored_form(manifests: Iterable[Manifest]) -> Stored:
    """Return manifests as `checked_form` does, each as canonical text."""
    texts: list[Content] = []
    is_named = True
    for number, manifest in enumerate(manifests):
        raw = manifest.raw
        metadata = raw.get("metadata")
        is_named = is_named and isinstance(metadata, dict) and bool(metadata.get("name"))
        texts.append(msgspec.Raw(canonical(_written_out(manifest, raw, number))))
    return Stored(texts, is_named)


def checked_form(manifests: Iterable[Manifest]) -> list[Raw]:
    """Return manifests in the form that revisions store: with kind, apiVersion, namespace and name.

    Items of a typed list have neither kind nor version, and an object with generateName has no name yet.
    """
    return [_written_out(manifest, manifest.raw, number) for number, manifest in enumerate(manifests)]


def _written_out(manifest: Manifest, raw: Raw, number: int) -> Raw:
    metadata = raw.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    if not metadata.get("name"):
        metadata["name"] = manifest.name + suffix(f"{manifest.source} {number}")
    if manifest.namespace:
        metadata["namespace"] = manifest.namespace
    return {**raw, "apiVersion": manifest.api_version, "kind": bare_kind(manifest.kind), "metadata": metadata}
