"""What a decision is looked at with: the state, changes within a tenth of a second, gaps, the cluster's version."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod
from scheduler_core.explain.reality.live_state import LiveState, StateChange
from scheduler_core.explain.reality.typed_changes import TypedChange, TypedChanges
from scheduler_core.framework.plugin_helpers.volume_claims import claim_uses
from scheduler_core.manifests.bundle.model import BundleGap, BundleMeta, GapCode

NEAR_SECONDS = 0.1
"""Decisions so near to each other may have been made in the other order: bindings are written beside the next cycle."""
MOST_NEAR = 20
_LACKING: tuple[GapCode, ...] = ("NO_RIGHTS", "NOT_SERVED", "LIST_FAILED")
STORAGE = (
    "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSIDriver", "CSIStorageCapacity", "CSINode",
    "VolumeAttachment",
)  # fmt: skip
CLAIMED = ("ResourceClaim", "ResourceSlice", "DeviceClass")
SELECTING = ("Service", "ReplicationController", "ReplicaSet", "StatefulSet")
_OF_ALL = ("Pod", "PodDisruptionBudget")
"""Kinds whose objects in one namespace decide of pods of another one."""


class NearChange(NamedTuple):
    """A change near a decision, at its moment and position."""

    at: float
    position: int
    made: StateChange


class OtherConfiguration(msgspec.Struct, frozen=True):
    """A configuration that the real scheduler may have: ``name`` in words. ``is_known``: the bundle says that it has;
    else it is one that people often use, of which only many decisions together say something."""

    name: str
    configuration: SchedulerConfiguration
    is_known: bool = False


class DecisionSituation:
    """All of it as of the decision that is looked at."""

    def __init__(self, state: LiveState, changes: TypedChanges, meta: BundleMeta, gaps: tuple[BundleGap, ...]) -> None:
        self.state, self.meta, self.gaps = state, meta, gaps
        self._changes = changes
        self._recent: deque[NearChange] = deque(maxlen=MOST_NEAR)
        self._missing = missing_kinds(meta, gaps)

    def note(self, typed: TypedChange, made: StateChange) -> None:
        """Take in a change that was made to the state."""
        if made.before is not made.after:
            self._recent.append(NearChange(typed.change.t, typed.position, made))

    def before(self, at: float, pod: str) -> list[NearChange]:
        """The changes of the tenth of a second before, but for those of the pod itself, in their order."""
        near = [one for one in self._recent if at - one.at <= NEAR_SECONDS]
        return [one for one in near if _may_be_undone(one.made) and _pod_of(one.made) != pod]

    def after(self, position: int, at: float, pod: str) -> list[NearChange]:
        """The changes of the tenth of a second after the change at a position, but for those of the pod itself."""
        near: list[NearChange] = []
        for typed in self._changes.beginning_at(position + 1):
            if typed.change.t - at > NEAR_SECONDS or len(near) == MOST_NEAR:
                break
            if typed.object is None:
                continue
            before = self.state.find(typed.object)
            made = StateChange(before, None if typed.is_deletion else typed.object)
            if _pod_of(made) != pod and _may_be_undone(made) and made.before != made.after:
                near.append(NearChange(typed.change.t, typed.position, made))
        return near

    def missing(self, pod: Pod) -> tuple[str, ...]:
        """The kinds of which objects that the pod could have are not collected, each once."""
        return tuple(dict.fromkeys(kind for kind, namespace in self._missing if namespace in ("", pod.namespace)))

    def version_at(self, at: float) -> str:
        """The cluster's version at a moment, as "1.34.1"."""
        later = [version for since, version in self.meta.versions if since <= at]
        return (later[-1] if later else self.meta.server_version).removeprefix("v")

    def gap_at(self, at: float, pod: Pod | None, *, nominates: bool) -> BundleGap | None:
        """The gap of a kind that a decision depends on, inside of which it lies."""
        return next(
            (
                gap
                for gap in self.gaps
                if gap.code not in (*_LACKING, "NO_CONFIGURATION")
                and gap.since <= at
                and (gap.until is None or at <= gap.until)
                and (
                    gap.kind in ("", "Pod", "Node")
                    or (pod is not None and _may_be_of(gap, pod) and concerns(gap.kind, pod, nominates=nominates))
                )
            ),
            None,
        )

    def last_gap(self, at: float) -> BundleGap | None:
        """The gap that ended last before a moment."""
        ended = [gap for gap in self.gaps if gap.until is not None and gap.until <= at]
        return max(ended, key=lambda gap: gap.until or 0.0, default=None)


def missing_kinds(meta: BundleMeta, gaps: Iterable[BundleGap]) -> tuple[tuple[str, str], ...]:
    """(kind, namespace) of what was not collected at all, each once; "": in no namespace. Pods and budgets of one
    namespace decide of pods of all."""
    lacking = [(gap.kind, gap.namespace) for gap in gaps if gap.code in _LACKING and gap.until is None and gap.kind]
    said = {kind for kind, _ in lacking}
    lacking += [(kind.kind, "") for kind in meta.kinds if not kind.can_list and kind.kind not in said]
    return tuple(dict.fromkeys((kind, "" if kind in _OF_ALL else namespace) for kind, namespace in lacking))


def _may_be_of(gap: BundleGap, pod: Pod) -> bool:
    return gap.kind in _OF_ALL or gap.namespace in ("", pod.namespace)


def concerns(kind: str, pod: Pod | None, *, nominates: bool) -> bool:
    """Whether what a scheduler decides of the pod depends on objects of this kind."""
    if pod is None:
        return False
    if kind in STORAGE:
        return any(True for _ in claim_uses(pod))
    if kind in CLAIMED:
        return bool(pod.resource_claims)
    if kind == "Namespace":
        return _selects_namespaces(pod)
    if kind in SELECTING:
        return not pod.topology_spread_constraints and bool(pod.labels)
    return kind == "PodDisruptionBudget" and nominates


def _selects_namespaces(pod: Pod) -> bool:
    affinity = pod.affinity
    if affinity is None:
        return False
    terms = [
        *affinity.pod_required,
        *affinity.anti_required,
        *(weighted.term for weighted in (*affinity.pod_preferred, *affinity.anti_preferred)),
    ]
    return any(term.namespace_selector is not None for term in terms)


def _may_be_undone(made: StateChange) -> bool:
    """Nodes that come and go keep their rows: the order of nodes is no part of a decision that may be turned round."""
    return (made.before is not None and made.after is not None) or isinstance(made.after or made.before, Pod)


def _pod_of(made: StateChange) -> str:
    obj = made.after or made.before
    return obj.key if isinstance(obj, Pod) else ""
