"""The contents of a revision: typed objects, manifests by key, rows of tables. Cached for the revisions used last.

A revision's hash identifies its contents, so an entry can never be stale; the budget counts objects, which take most of
the memory (about 6 kB each).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.models import FollowedRevision
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Manifests, ManifestsByKey
from dashboard.clusters.revisions.object_rows import Rows, build_rows, rows_after
from dashboard.common.processes.gc_tuning import freeze_gc
from scheduler_core.api.unplayed import decoded
from scheduler_core.manifests import LoadResult, load_manifests
from scheduler_core.versions.detecting import ClusterVersion, detect
from scheduler_core.versions.fields import FieldVersion

if TYPE_CHECKING:
    import weakref
    from collections.abc import Callable, Sequence

    from dashboard.clusters.models import Revision
    from scheduler_core.api.objects import Node, Pod
    from scheduler_core.api.unplayed import Unplayed
    from scheduler_core.manifests import Content

OBJECT_BUDGET = 150_000
MAX_ENTRIES = 16


@dataclass
class Contents:
    """One state of a cluster; `stored` are its manifests in order, as shared text or plain values."""

    stored: Sequence[Content]
    loaded: LoadResult
    orders: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    # Whether most typed objects are shared with other contents: caching it then costs only its lists.
    is_shared: bool = False
    # While cached: the contents from which these were made by changing nodes and pods; most of their rows are reused.
    made_of: weakref.ref[Contents] | None = field(default=None, compare=False)
    # Where they were stored ahead of their revision: the index of its objects.
    index: object_store.StoredIndex | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        # The load result lists the manifests again and would keep their files in memory.
        self.loaded = msgspec.structs.replace(self.loaded, manifests=[])

    @property
    def manifests(self) -> Manifests:
        """Return the manifests in their order."""
        return Manifests(self.stored)

    @cached_property
    def by_key(self) -> ManifestsByKey:
        """Return the manifests by key, in their order."""
        return ManifestsByKey(self.stored)

    @cached_property
    def rows(self) -> Rows:
        """Return the rows of the tables; if the base has rows, only those of changed objects are made."""
        base = self.base
        if base is None:
            return build_rows(self.loaded.objects, self.by_key.stored.keys())
        return rows_after(base.rows, base.loaded.objects, self.loaded.objects, self.by_key.stored.keys())

    @property
    def unplayed(self) -> Unplayed | None:
        """Return what is not played, as a load of changed objects takes it; None where it was not looked for."""
        unplayed = self.loaded.unplayed
        return unplayed if unplayed.heeds_refusals else None

    @property
    def base(self) -> Contents | None:
        """Return the contents from which these were made by changing nodes and pods, None if they are no
        longer cached.
        """
        return self.made_of() if self.made_of is not None else None

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """Return the typed nodes by name."""
        return {node.name: node for node in self.loaded.objects.nodes}

    @cached_property
    def pods(self) -> dict[tuple[str, str], Pod]:
        """Return the typed pods by (namespace, name), expanded ones included."""
        return {(pod.namespace, pod.name): pod for pod in self.loaded.objects.pods}

    @property
    def weight(self) -> int:
        """Return the cost of caching this, in objects."""
        whole = len(self.stored) + len(self.loaded.objects.pods) + 1
        return whole // 4 if self.is_shared else whole

    def ordered(self, table: str, sort: str, make: Callable[[], list[Any]]) -> list[Any]:
        """Return a table in an order, which is cached; `make` sorts it."""
        if (table, sort) not in self.orders:
            self.orders[table, sort] = make()
        return self.orders[table, sort]


class _ContentsCache:
    """The contents last used, by (workspace, hash)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, str], Contents] = OrderedDict()

    def get(self, key: tuple[int, str]) -> Contents | None:
        with self._lock:
            contents = self._kept.get(key)
            if contents is not None:
                self._kept.move_to_end(key)
            return contents

    def put(self, key: tuple[int, str], contents: Contents) -> None:
        with self._lock:
            self._kept[key] = contents
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and (len(self._kept) > MAX_ENTRIES or self._total() > OBJECT_BUDGET):
                self._kept.popitem(last=False)

    def _total(self) -> int:
        return sum(contents.weight for contents in self._kept.values())

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


cache = _ContentsCache()


def read_contents(revision: Revision) -> Contents:
    """Return the revision's contents; takes about a second for 10,000 objects, nothing if they are cached."""
    key = _key(revision)
    contents = cache.get(key)
    if contents is None:
        stored, unplayed = object_store.read_stored(revision), read_unplayed(revision)
        contents = Contents(stored, load_manifests(stored, source=str(revision), is_whole=True, unplayed=unplayed))
        cache.put(key, contents)
        freeze_gc()
    return contents


def remember(revision: Revision, contents: Contents) -> None:
    """Keep contents that were just saved as this revision."""
    cache.put(_key(revision), contents)


def _key(revision: Revision) -> tuple[int, str]:
    """The workspace, and what identifies the contents: the objects, and what is stored beside them."""
    return revision.cluster.workspace_id, f"{revision.sha256}{bytes(revision.unplayed).hex()}"


def read_unplayed(revision: Revision) -> Unplayed | None:
    """Return what the import held besides; None of a revision that was stored without."""
    address = bytes(revision.unplayed)
    return decoded(object_store.read_blob(revision.cluster.workspace_id, address)) if address else None


def cluster_version(revision: Revision) -> ClusterVersion:
    """Return what the revision's cluster runs; reads its objects."""
    said = FollowedRevision.objects.filter(revision=revision).exclude(server_version="").order_by("-moment")
    server = said.values_list("server_version", flat=True).first() if revision.pk else None
    return version_in(read_contents(revision), server or "")


def version_in(contents: Contents, server: str = "") -> ClusterVersion:
    """Return what a cluster with these objects runs; `server` is what its API server said."""
    loaded = contents.loaded
    return detect(loaded.objects.pods, loaded.unplayed.versions, server)


_FIELDS: OrderedDict[tuple[int | None, str], FieldVersion | None] = OrderedDict()
MOST_FIELD_VERSIONS = 64


def known_fields(revision: Revision) -> FieldVersion | None:
    """Return the version that objects of the revision's cluster are held against, None where nothing says it."""
    key = revision.pk, revision.sha256
    if key not in _FIELDS:
        _FIELDS[key] = FieldVersion.of_cluster(cluster_version(revision))
        if len(_FIELDS) > MOST_FIELD_VERSIONS:
            _FIELDS.popitem(last=False)
    return _FIELDS[key]
