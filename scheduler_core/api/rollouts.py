"""How workloads replace their pods: strategies, what ReplicaSets say of a rollout, rules about failed pods of Jobs."""

from __future__ import annotations

import msgspec


class ExitRule(msgspec.Struct, frozen=True, gc=False):
    """A rule of podFailurePolicy about exit codes: the action (FailJob, FailIndex, Ignore, Count) where a container's
    code is (``operator`` In) or is not (NotIn) among the values."""

    action: str
    operator: str
    values: tuple[int, ...]
    container: str = ""


class Rollout(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How pods are replaced after a change of the template, and when a pod counts as available.

    ``kind``: RollingUpdate, Recreate (Deployment) or OnDelete (StatefulSet, DaemonSet). ``max_surge`` and
    ``max_unavailable`` are whole numbers ("2") or percentages ("25%") as text. Pods below ordinal ``partition`` keep
    the old revision. A pod is available ``min_ready_seconds`` after it became Ready. ``deadline_seconds`` without
    progress are said to be too long (None: never), ``history_limit`` old ReplicaSets without pods are kept.
    """

    kind: str = "RollingUpdate"
    max_surge: str = "25%"
    max_unavailable: str = "25%"
    partition: int = 0
    min_ready_seconds: int = 0
    deadline_seconds: int | None = 600
    is_paused: bool = False
    history_limit: int = 10


class SetRevision(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a ReplicaSet's annotations say of its Deployment's rollout: the ``number`` of the revision, how many pods
    the Deployment wanted (``desired``) and allowed (``most``) when it last scaled the set (-1: not said).

    ``created`` is when the set was made, in seconds since the Unix epoch (None: not said), ``history`` the numbers that
    it had before."""

    number: int = 0
    desired: int = -1
    most: int = -1
    created: float | None = None
    history: tuple[int, ...] = ()
