"""Admission as a run plays it: the objects that it looks at as they are now, and what it makes of a new pod.

The policies choose the plugins: ``quotas`` plays ResourceQuota, ``limit_ranges`` what fills in and checks the spec of a
pod: LimitRanger, RuntimeClass, and Priority. What an input does not hold is no reason to refuse a pod: a RuntimeClass
counts as unknown only where there are some in the objects or the timeline, and a PriorityClass only where the timeline
brings it; a priority that a manifest gives stays.

``version`` of a namespace changes when something may let in a pod that was refused before: a pod is gone, or an object
that admission looks at changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from scheduler_core.admission.admitting import AdmissionInputs, admit
from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.admission.verdicts import RefusedObject
from scheduler_core.api.objects import Pod, PriorityClass, Workload, WorkloadSelector
from scheduler_core.api.quotas import LimitRange, ResourceQuota, RuntimeClass
from scheduler_core.api.resources import shares_requests
from scheduler_core.manifests.kinds.context import BUILT_IN_CLASSES
from scheduler_core.recording import events as ev
from scheduler_core.workloads.timeline import Timeline

CODES = {
    "quota": "NOT_CREATED_QUOTA",
    "limit_range": "NOT_CREATED_LIMIT_RANGE",
    "runtime_class": "NOT_CREATED_RUNTIME_CLASS",
    "invalid": "NOT_CREATED_LIMIT_RANGE",  # the one plugin that can make a valid pod invalid
}
"""The code of the cause by the kind of a refusal; NOT_CREATED_ADMISSION for others."""
_WHY = {
    "quota": "quota {name} refuses {them}",
    "limit_range": "limit range {name} refuses {them}",
    "runtime_class": "runtime class {name} refuses {them}",
    "priority_class": "priority class {name} refuses {them}",
    "invalid": "a default limit of limit range {name} is below {their} request",
}
_READ = (ResourceQuota, LimitRange, RuntimeClass, PriorityClass)
COUNTED = {
    "Deployment": "deployments.apps",
    "ReplicaSet": "replicasets.apps",
    "StatefulSet": "statefulsets.apps",
    "DaemonSet": "daemonsets.apps",
    "Job": "jobs.batch",
    "ReplicationController": "replicationcontrollers",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "ResourceClaim": "resourceclaims.resource.k8s.io",
    "ResourceQuota": "resourcequotas",
}
"""The resources that quotas count besides pods, by the kinds that a run holds."""


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """Which plugins are played, and what of the timeline says that a class may come: ``brings_runtimes``, and the names
    of PriorityClasses that it ``brings``. ``has_all_classes``: a class that is not there does not exist."""

    quotas: bool = False
    limit_ranges: bool = False
    brings_runtimes: bool = False
    brings: frozenset[str] = frozenset()
    has_all_classes: bool = False

    @classmethod
    def of(cls, timeline: Timeline, *, quotas: bool, limit_ranges: bool) -> Played:
        """What these policies play in a run with the timeline."""
        put = [entry.object for entry in timeline.entries if entry.action == "put"] if limit_ranges else []
        return cls(
            quotas=quotas,
            limit_ranges=limit_ranges,
            brings_runtimes=any(type(one) is RuntimeClass for one in put),
            brings=frozenset(one.name for one in put if type(one) is PriorityClass),
        )


class PlayedAdmission:
    """The objects that admission looks at, with what quotas count."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.is_played = played.quotas or played.limit_ranges
        self.ledger = QuotaLedger()
        self._ranges: dict[str, dict[str, LimitRange]] = {}
        self._runtimes: dict[str, RuntimeClass] = {}
        self._classes: dict[str, PriorityClass] = {}
        self.gone: dict[str, Pod] = {}
        self._versions: dict[str, int] = {}
        self._of_all = 0

    def begin(self, objects: Iterable[Any], pods: Iterable[Pod]) -> None:
        """Take over what is there; ``objects`` of other kinds are passed over."""
        there = [*pods, *self.gone.values()] if self.played.quotas else []
        self._classes = {one.name: one for one in BUILT_IN_CLASSES}
        for one in objects:
            if type(one) in _READ:
                self._take(one, there)

    def changed(self, old: Any, new: Any, pods: Iterable[Pod]) -> None:
        """An object that is no pod came, changed or went (``new`` None)."""
        some = old if new is None else new
        if not self.is_played:
            return
        if (old is None or new is None) and not isinstance(some, Workload | WorkloadSelector):
            self.count(some, 1 if old is None else -1)
        if type(some) not in _READ:
            return
        if new is None:
            self._drop(old)
        else:
            self._take(new, pods)
        if isinstance(some, ResourceQuota | LimitRange):
            self._versions[some.namespace] = self._versions.get(some.namespace, 0) + 1
        else:
            self._of_all += 1

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """A pod came, changed or went (``new`` None): quotas count it, or no more."""
        if not self.played.quotas:
            return
        some = old if new is None else new
        assert some is not None
        if not self.ledger.has(some.namespace):
            return
        if new is None:
            self._release(some.namespace, some.key)
        elif old is None or not _counts_alike(old, new):
            self.ledger.book(new)

    def keep_counted(self, pod: Pod) -> bool:
        """Have quotas count a pod for a moment longer that is gone; whether any counts it."""
        if not self.played.quotas or not self.ledger.has(pod.namespace):
            return False
        self.gone[pod.key] = pod
        return True

    def stop_counting(self, key: str, *, is_there: bool) -> None:
        """The moment is over; ``is_there``: another pod of this name counts by now."""
        pod = self.gone.pop(key, None)
        if pod is not None and not is_there:
            self._release(pod.namespace, key)

    def _release(self, namespace: str, key: str) -> None:
        if self.ledger.release(namespace, key):
            self._versions[namespace] = self._versions.get(namespace, 0) + 1

    def count(self, one: Any, change: int) -> None:
        """Count an object that came (1) or went (-1), where quotas count its kind."""
        resource = COUNTED.get(_kind(one)) if self.played.quotas else None
        if resource is not None:
            self.ledger.count(one.namespace, resource, change)
            if change < 0:
                self._versions[one.namespace] = self._versions.get(one.namespace, 0) + 1

    def refused_object(self, one: Any) -> RefusedObject | None:
        """Why an object that is no pod may not be made: a quota counts its kind and has no room for one more."""
        resource = COUNTED.get(_kind(one)) if self.played.quotas else None
        return None if resource is None else self.ledger.refusal_of(one.namespace, resource, one.name)

    def version(self, namespace: str) -> int:
        """See the head of the module."""
        return self._of_all + self._versions.get(namespace, 0)

    def admit(self, pod: Pod, prefix: str = "") -> Pod | RefusedObject:
        """The pod as it is stored, or why it is not. Where nothing is played, it is without the fields that nothing but
        admission reads: so runs of before made it. ``prefix``: see ``AdmissionInputs``."""
        if not self.is_played:
            return _bare(pod)
        fills = self.played.limit_ranges
        ranges = self._ranges.get(pod.namespace) if fills else None
        counts = self.played.quotas and self.ledger.has(pod.namespace)
        asks_runtime = fills and self._asks_runtime(pod)
        may_ask = self.played.brings or self.played.has_all_classes
        asks_priority = fills and bool(may_ask) and self._asks_priority(pod)
        if not (ranges or asks_runtime or asks_priority):
            return (self.ledger.refusal(pod) or pod) if counts else pod
        around = AdmissionInputs(
            ranges=tuple(ranges.values()) if ranges else (),
            priority_classes=self._classes if asks_priority else None,
            runtime_classes=self._runtimes if asks_runtime else None,
            ledger=self.ledger if counts else None,
            prefix=prefix,
        )
        outcome = admit(pod, around)
        return outcome if isinstance(outcome, RefusedObject) else outcome.pod

    def filled(self, pod: Pod) -> Pod | None:
        """The pod as it would be stored if no quota were in its way; None where something else refuses it."""
        ledger, self.ledger = self.ledger, QuotaLedger()
        outcome = self.admit(pod)
        self.ledger = ledger
        return None if isinstance(outcome, RefusedObject) else outcome

    def _asks_runtime(self, pod: Pod) -> bool:
        has_classes = self._runtimes or self.played.brings_runtimes
        return bool((has_classes or self.played.has_all_classes) and (pod.runtime_class_name or pod.overhead))

    def _asks_priority(self, pod: Pod) -> bool:
        """Whether the pod's priority is for admission to decide during the run."""
        posted = pod.posted
        if self.played.has_all_classes and posted.is_known:
            return True
        if not posted.is_known or posted.priority is not None or posted.preemption_policy:
            return False
        asked = posted.priority_class_name
        return not asked or asked in self._classes or asked in self.played.brings

    def _take(self, one: Any, pods: Iterable[Pod]) -> None:
        if isinstance(one, ResourceQuota):
            if self.played.quotas:
                self.ledger.put(one, pods)
        elif isinstance(one, LimitRange):
            self._ranges.setdefault(one.namespace, {})[one.name] = one
        elif isinstance(one, RuntimeClass):
            self._runtimes[one.name] = one
        else:
            self._classes[one.name] = one

    def _drop(self, one: Any) -> None:
        if isinstance(one, ResourceQuota):
            self.ledger.drop(one)
        elif isinstance(one, LimitRange):
            self._ranges.get(one.namespace, {}).pop(one.name, None)
        elif isinstance(one, RuntimeClass):
            self._runtimes.pop(one.name, None)
        else:
            self._classes.pop(one.name, None)


def refusal_event(
    at: int, one: Any, refusal: RefusedObject, *, maker: str = "", entry: int | None = None, change: int | None = None
) -> ev.CreationRefused:
    """The event of an object that was refused."""
    return ev.CreationRefused(
        at=at,
        kind=_kind(one),
        key=f"{one.namespace}/{one.name}",
        message=refusal.text,
        code=CODES.get(refusal.kind, "NOT_CREATED_ADMISSION"),
        by=refusal.object,
        maker=maker,
        entry=entry,
        change=change,
    )


def who_refuses(refusal: RefusedObject, *, is_one: bool = False) -> str:
    """Who refuses a workload's pods, or the one pod, in a few words."""
    name = refusal.object.rpartition("/")[2]
    return _WHY[refusal.kind].format(name=name, them="it" if is_one else "them", their="its" if is_one else "their")


def _kind(one: Any) -> str:
    return one.kind if isinstance(one, Workload | WorkloadSelector) else type(one).__name__


def _bare(pod: Pod) -> Pod:
    if pod.active_deadline_seconds is None and not pod.runtime_class_name:
        return pod
    return msgspec.structs.replace(pod, active_deadline_seconds=None, runtime_class_name="")


def _counts_alike(old: Pod, new: Pod) -> bool:
    """Whether quotas count two versions of a pod alike, as nearly all of one pod."""
    return (
        shares_requests(old, new)
        and old.pod_limits is new.pod_limits
        and old.affinity is new.affinity
        and old.priority_class_name == new.priority_class_name
        and old.active_deadline_seconds == new.active_deadline_seconds
    )
