"""Stored manifests as the pages handle them: keys, labels for people, and the form in which they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scheduler_core.manifests.kinds import KINDS
from scheduler_core.manifests.metadata import suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scheduler_core.manifests import Manifest

Raw = dict[str, Any]


class Key(NamedTuple):
    """What names an object in a cluster; the namespace is empty for kinds without one."""

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


def key_of(raw: Mapping[str, Any]) -> Key:
    """Return the key of a manifest."""
    metadata = raw.get("metadata") or {}
    return normal_key(str(raw.get("kind") or ""), str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))


def normal_key(kind: str, namespace: str, name: str) -> Key:
    """Return the key; a missing namespace is "default" for kinds that live in one, others have none."""
    if kind in KINDS:
        namespace = (namespace or "default") if KINDS[kind].namespaced else ""
    return Key(kind, namespace, name)


def kept_form(found: Iterable[Manifest]) -> list[Raw]:
    """Return manifests as revisions keep them: kind, apiVersion, namespace and name written out.

    Items of a typed list carry neither kind nor version, and a generateName is no name until somebody gives one.
    """
    return [_written_out(manifest, number) for number, manifest in enumerate(found)]


def _written_out(manifest: Manifest, number: int) -> Raw:
    raw = manifest.raw
    metadata = raw.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {}
    if not metadata.get("name"):
        metadata["name"] = manifest.name + suffix(f"{manifest.source} {number}")
    if manifest.namespace:
        metadata["namespace"] = manifest.namespace
    return {**raw, "apiVersion": manifest.api_version, "kind": manifest.kind, "metadata": metadata}
