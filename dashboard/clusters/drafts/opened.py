"""A draft that is opened to be read and edited; each part of what it holds is read once.

What is read here may be old by the time an edit is written: `operations.put_in` compares each object with the address
that the edit names, under the lock of the draft's row. After an edit the draft is opened again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dashboard.clusters.drafts.changes import changed_objects
from dashboard.clusters.drafts.contents import (
    admission_addresses,
    changed_addresses,
    changed_rows,
    contents_hash,
    contents_of_draft,
    current_address,
    overlaid,
    revision_addresses,
)
from dashboard.clusters.revisions import object_store
from scheduler_core.manifests.kinds.registry import CONTEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.clusters.drafts.contents import Address
    from dashboard.clusters.models import Draft, DraftObject, Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.diff import ObjectChange
    from dashboard.clusters.revisions.object_keys import Key, Raw

# At most this many names are looked up one by one; for more, all changed objects are read.
FEW = 50


class StoredObject(NamedTuple):
    """An object as it is stored: the SHA-256 of its content, and its manifest."""

    address: bytes
    manifest: Raw


class OpenedDraft:
    """A draft with its base's index, its changed objects and its contents."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._read: dict[Key, StoredObject | None] = {}

    @property
    def pk(self) -> int:
        """Return its number in addresses."""
        return self.draft.pk

    @property
    def base(self) -> Revision:
        """Return the revision that it changes."""
        return self.draft.base

    @cached_property
    def rows(self) -> dict[Key, DraftObject]:
        """Return the objects that operations changed, in the order of their first change."""
        return changed_rows(self.draft)

    @cached_property
    def changed(self) -> dict[Key, Address]:
        """Return {key: address, None where it is deleted} of the objects that operations changed."""
        return {key: current_address(row) for key, row in self.rows.items()}

    @cached_property
    def changes(self) -> list[ObjectChange]:
        """Return the objects that differ from the base."""
        return changed_objects(self.rows)

    @property
    def added_nodes(self) -> frozenset[str]:
        """Return the names of the nodes that its base does not have."""
        added = (one.key for one in self.changes if one.what == "added")
        return frozenset(key.name for key in added if key.kind == "Node")

    @cached_property
    def addresses(self) -> Mapping[Key, bytes]:
        """Return {key: address} of all objects: those of the base in their order, then added ones."""
        return overlaid(revision_addresses(self.base), self.changed)

    @cached_property
    def contents(self) -> Contents:
        """Return what it holds, for tables and the engine."""
        return contents_of_draft(self.draft, self.changed)

    @property
    def version(self) -> str:
        """Return a hash of what it holds."""
        return contents_hash(self.draft, self.changed)

    def objects(self, keys: Iterable[Key]) -> dict[Key, StoredObject]:
        """Return those of the objects that exist; costs reading the ones that nobody asked for before."""
        asked = list(keys)
        if unread := [key for key in asked if key not in self._read]:
            self._read |= self._stored(unread)
        return {key: one for key in asked if (one := self._read[key]) is not None}

    @cached_property
    def admission(self) -> dict[Key, Raw]:
        """Return the manifests that admission of another object reads: namespaces and priority classes."""
        changed = changed_addresses(self.draft, kind__in=CONTEXT_KINDS)
        addresses = overlaid(admission_addresses(self.base), changed)
        return {key: one.manifest for key, one in self._decoded(addresses).items()}

    def _stored(self, keys: list[Key]) -> dict[Key, StoredObject | None]:
        few = {"name__in": {key.name for key in keys}} if len(keys) <= FEW else {}
        changed = self.changed if "rows" in self.__dict__ else changed_addresses(self.draft, **few)
        index = revision_addresses(self.base)
        now = {key: changed[key] if key in changed else index.get(key) for key in keys}
        return {**dict.fromkeys(keys), **self._decoded({key: one for key, one in now.items() if one is not None})}

    def _decoded(self, addresses: Mapping[Key, bytes]) -> dict[Key, StoredObject]:
        texts = object_store.read_addresses(self.draft.cluster.workspace_id, addresses.values())
        return {key: StoredObject(one, msgspec.json.decode(texts[one])) for key, one in addresses.items()}
