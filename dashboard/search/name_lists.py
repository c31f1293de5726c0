"""Names of the pods, nodes and other objects of revisions and runs, kept in the process.

A member waits for these while typing, so 55,000 names must be searched within some 20 ms. Rows in the database were
weighed and left: neither server ranks letters in order by an index, and a revision does not have one row per object for
the reasons that `clusters/models.py` gives; 55,000 rows for each saved edit would cost more than all searches of it.
A list follows from the index pages of a revision, without reading a manifest (some 0.1 s for 55,000 objects, once per
process), and a revision's hash names its content, so that no list can be stale. What a run adds, pods that came during
it, nodes and workloads of its timeline, is read from its rows as the run goes on. Lists of at most KEPT_NAMES names are
kept, of drafts at most KEPT lists, about 80 bytes a name: 5 MB for 55,000 objects.

Pods that a workload stands for are not among a revision's objects: there its workload is found. A run has them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.clusters.drafts.contents import changed_addresses, overlaid
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import normal_key, object_key
from dashboard.common.lru_cache import LruCache
from dashboard.documents import store
from dashboard.runs.models import QueueMove, Schedule
from dashboard.search.ranking import NameList
from scheduler_core.manifests.kinds.registry import POD_MAKERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.models import Draft, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.runs.models import Run

KEPT, KEPT_NAMES = 12, 600_000
# At most this many names are looked for one by one; for more, a set of all names is made.
_FEW = 100


@dataclass(frozen=True)
class ObjectNames:
    """Names of objects: pods as namespace/name, nodes, workloads and others as "Deployment shop/web"."""

    pods: NameList
    nodes: NameList
    workloads: NameList
    others: NameList

    def __len__(self) -> int:
        return len(self.pods) + len(self.nodes) + len(self.workloads) + len(self.others)

    @classmethod
    def of(cls, keys: Iterable[Key]) -> ObjectNames:
        """Return the names of these objects, in their order."""
        pods, nodes = [], []
        workloads: list[str] = []
        others: list[str] = []
        for key in keys:
            if key.kind == "Pod":
                pods.append(key.path)
            elif key.kind == "Node":
                nodes.append(key.name)
            else:
                (workloads if key.kind in POD_MAKERS else others).append(f"{key.kind} {key.path}")
        return cls(NameList(pods), NameList(nodes), NameList(workloads), NameList(others))


# One more for each list, since names of many empty ones are not free.
_revisions: LruCache[ObjectNames] = LruCache(KEPT_NAMES, lambda names: 1 + len(names))
_drafts: LruCache[ObjectNames] = LruCache(KEPT)


def names_of(revision: Revision) -> ObjectNames:
    """Return the names of a revision's objects; its cluster is loaded."""
    key = (revision.cluster.workspace_id, revision.sha256)
    return _revisions.get(key, lambda: ObjectNames.of(_keys(revision)))


def names_in_draft(draft: Draft) -> ObjectNames:
    """Return the names of what a draft holds."""

    def make() -> ObjectNames:
        return ObjectNames.of(overlaid(dict.fromkeys(_keys(draft.base), b""), changed_addresses(draft)))

    return _drafts.get((draft.pk, draft.created_at, draft.version, draft.base.sha256), make)


def _keys(revision: Revision) -> list[Key]:
    return [normal_key(*entry.key) for entry in object_store.read_index(revision)]


@dataclass
class RunNames:
    """Names that a run adds to those of its revision, read up to event `seq`; `uids` are those of `pods` in its order,
    "" for the first pod of a name."""

    nodes: NameList
    workloads: NameList
    pods: NameList = field(default_factory=lambda: NameList(()))
    uids: list[str] = field(default_factory=list)
    seq: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __len__(self) -> int:
        return len(self.pods) + len(self.nodes) + len(self.workloads)

    def read_on(self, run: Run, revision: ObjectNames) -> None:
        """Add the pods that came to the queue since."""
        head = run.head.seq
        with self._lock:
            if head <= self.seq:
                return
            came = QueueMove.objects.filter(run_id=run.pk, source="", seq__gte=self.seq, seq__lt=head)
            pairs = dict.fromkeys(came.order_by("seq").values_list("pod", "pod_uid"))
            new = self._unknown([(pod, uid or "") for pod, uid in pairs], revision)
            if new:
                self.pods = NameList([*self.pods, *(pod for pod, _ in new)])
                self.uids = [*self.uids, *(uid for _, uid in new)]
            self.seq = head

    def _unknown(self, came: list[tuple[str, str]], revision: ObjectNames) -> list[tuple[str, str]]:
        own = set(zip(self.pods, self.uids, strict=True))
        names = set(revision.pods) if len(came) > _FEW else revision.pods
        return [one for one in came if one not in own and (one[1] or one[0] not in names)]


_runs: LruCache[RunNames] = LruCache(KEPT_NAMES, lambda names: 1 + len(names))


def names_of_run(run: Run) -> tuple[ObjectNames, RunNames]:
    """Return the names of the run's revision, and those that the run added to them."""
    revision = names_of(run.revision)
    added = _runs.get((run.pk, run.created_at), lambda: RunNames(*_of_timeline(run, revision)))
    added.read_on(run, revision)
    return revision, added


def _of_timeline(run: Run, revision: ObjectNames) -> tuple[NameList, NameList]:
    """The nodes and the workloads that the run's timeline brings."""
    if run.schedule != Schedule.TIMELINE or run.timeline_revision is None:
        return NameList(()), NameList(())
    entries = store.read_timeline(run.timeline_revision).get("entries") or []
    objects = (entry.get("object") for entry in entries if isinstance(entry, Mapping))
    new = ObjectNames.of(dict.fromkeys(key for one in objects if (key := _key_of(one))))
    nodes, workloads = set(revision.nodes), set(revision.workloads)
    return (
        NameList(name for name in new.nodes if name not in nodes),
        NameList(name for name in new.workloads if name not in workloads),
    )


def _key_of(manifest: Any) -> Key | None:
    metadata = manifest.get("metadata") if isinstance(manifest, Mapping) else None
    if not isinstance(metadata, Mapping) or not metadata.get("name"):
        return None
    return object_key(manifest)
