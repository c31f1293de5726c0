"""What the real scheduler said of the pods that wait, as the dump has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_unplayed
from dashboard.clusters.revisions.object_keys import Key, normal_key
from dashboard.clusters.revisions.stored_events import events_about, events_about_manifest
from dashboard.common.lru_cache import LruCache
from scheduler_core.explain.agreement import SchedulerReport, scheduler_reports
from scheduler_core.explain.departures import find_departure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_rows import PodRow
    from scheduler_core.explain.departures import Departure
KEPT_REPORTS = 256
KEPT_REVISIONS = 16
_reports: LruCache[SchedulerReport | None] = LruCache(KEPT_REPORTS)
_said: LruCache[frozenset[str]] = LruCache(KEPT_REVISIONS)


@dataclass(frozen=True)
class ReportedPod:
    """A pod that waits, and what was said of it; empty where the dump says nothing, or a workload stands for it."""

    row: PodRow
    report: SchedulerReport

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return self.row.name

    @property
    def namespace(self) -> str:
        """Return the pod's namespace."""
        return self.row.namespace

    @property
    def key(self) -> str:
        """Return namespace/name."""
        return f"{self.namespace}/{self.name}"

    @property
    def status(self) -> str:
        """Return its status as the table of pods shows it."""
        return self.row.status

    @property
    def source(self) -> str:
        """Return the source of the message."""
        return self.report.shown_source


def departure_on(revision: Revision, contents: Contents, key: Key) -> Departure | None:
    """Return what took the pod of this key, by its manifest and events; None where nothing did."""
    pod = f"{key.namespace}/{key.name}"
    raw = contents.by_key.get(key)
    return None if raw is None else find_departure(pod, raw, events_about(revision, contents, [pod]))


def reported_pods(revision: Revision, contents: Contents, rows: Iterable[PodRow]) -> list[ReportedPod]:
    """Return each pod with what the real scheduler reported of it. Decodes one manifest a pod, so pass one page."""
    return [ReportedPod(row, _report(revision, contents, row)) for row in rows]


def report_on(revision: Revision, namespace: str, name: str) -> SchedulerReport | None:
    """Return what the real scheduler reported of a pod, None where the revision has no such pod.

    It decodes this one manifest and reads the revision's index, but no other object.
    """
    key = (revision.cluster.workspace_id, revision.sha256, bytes(revision.events), namespace, name)
    return _reports.get(key, lambda: _report_on(revision, namespace, name))


def is_refused_there(revision: Revision, pod: str) -> bool:
    """Return whether the revision lacks what decides, and holds what the real scheduler said of the pod
    (namespace/name)."""
    key = (revision.cluster.workspace_id, bytes(revision.unplayed))
    return pod in _said.get(key, lambda: _said_in(revision))


def _said_in(revision: Revision) -> frozenset[str]:
    unplayed = read_unplayed(revision)
    return frozenset(unplayed.said) if unplayed is not None else frozenset()


def _report_on(revision: Revision, namespace: str, name: str) -> SchedulerReport | None:
    key = Key("Pod", namespace, name)
    entry = next((one for one in object_store.read_index(revision) if normal_key(*one.key) == key), None)
    if entry is None:
        return None
    raw = msgspec.json.decode(object_store.read_blob(revision.cluster.workspace_id, entry.sha256))
    events = events_about_manifest(revision, f"{namespace}/{name}", entry.sha256)
    return next(iter(scheduler_reports([raw], events).values()), SchedulerReport())


def _report(revision: Revision, contents: Contents, row: PodRow) -> SchedulerReport:
    raw = None if row.is_expanded else contents.by_key.get(Key("Pod", row.namespace, row.name))
    if raw is None:
        return SchedulerReport()
    events = events_about(revision, contents, [f"{row.namespace}/{row.name}"])
    return next(iter(scheduler_reports([raw], events).values()), SchedulerReport())
