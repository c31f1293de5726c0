"""What a revision holds, read once: typed objects, manifests by key, table rows. Kept for the revisions last looked at.

A revision's hash names its content, so an entry can never be stale; the budget counts objects, since they are what
takes the memory (about 6 kB each).
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Manifests, ManifestsByKey
from dashboard.clusters.revisions.object_rows import Rows, build_rows, rows_after
from dashboard.common.processes.gc_tuning import freeze_gc
from scheduler_core.manifests import LoadResult, load_manifests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dashboard.clusters.models import Revision
    from scheduler_core.api.objects import Node, Pod
    from scheduler_core.manifests import Content

OBJECT_BUDGET = 150_000
MAX_ENTRIES = 16


@dataclass
class Contents:
    """One state of a cluster; `stored` are its manifests in their order, as text or plain values that are shared."""

    stored: Sequence[Content]
    loaded: LoadResult
    orders: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    # Whether the typed objects are another's, but for some: then keeping it costs its lists.
    is_shared: bool = False
    # What they were made of by changing nodes and pods, as long as anybody keeps it: its tables are a beginning.
    made_of: weakref.ref[Contents] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        # What was read lists its manifests again, and would hold the files that they came from.
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
        """Return the rows of the tables; only those of changed objects are made where they are known of the base."""
        base = self.base
        if base is None:
            return build_rows(self.loaded.objects, self.by_key.stored.keys())
        return rows_after(base.rows, base.loaded.objects, self.loaded.objects, self.by_key.stored.keys())

    @property
    def base(self) -> Contents | None:
        """Return the contents that these were made of by changing nodes and pods, None where nobody keeps them."""
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
        """Return how many objects keeping this costs."""
        whole = len(self.stored) + len(self.loaded.objects.pods) + 1
        return whole // 4 if self.is_shared else whole

    def ordered(self, table: str, sort: str, make: Callable[[], list[Any]]) -> list[Any]:
        """Return a table in an order, sorted once; `make` sorts it."""
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


def contents_of(revision: Revision) -> Contents:
    """Return what the revision holds; about a second for 10,000 objects, nothing when it was looked at lately."""
    key = (revision.cluster.workspace_id, revision.sha256)
    contents = cache.get(key)
    if contents is None:
        stored = object_store.read_stored(revision)
        contents = Contents(stored, load_manifests(stored, source=str(revision), is_whole=True))
        cache.put(key, contents)
        freeze_gc()
    return contents


def remember(revision: Revision, contents: Contents) -> None:
    """Keep contents that were just saved as this revision."""
    cache.put((revision.cluster.workspace_id, revision.sha256), contents)
