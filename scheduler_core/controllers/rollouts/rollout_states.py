"""The state of an unfinished rollout, and what it waits for, in numbers and words: the one definition for the end of a
run, *Why* and the pages. ``unfinished.py`` computes it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.controllers.rollouts.progress import TIMED_OUT, OwnerCondition

PAUSED, PARTITION, ON_DELETE = "paused", "partition", "on delete"
REFUSED, PENDING, NOT_READY, TERMINATING, STRATEGY = "refused", "pending", "not ready", "terminating", "strategy"
ON_PURPOSE = (PAUSED, PARTITION, ON_DELETE)
"""What a rollout waits for because somebody wants it so."""
_NAMED = 3


class RevisionPods(msgspec.Struct, frozen=True, kw_only=True):
    """The pods of one revision, counted: ``desired`` is what its ReplicaSet asks for (of other kinds: their ordinals or
    nodes of this revision), ``made`` are there and do not terminate, of these ``bound`` have a node,
    ``ready`` are Ready, ``available`` are so for minReadySeconds. ``name`` is that of the ReplicaSet, or the hash."""

    name: str
    is_new: bool
    desired: int = 0
    made: int = 0
    bound: int = 0
    ready: int = 0
    available: int = 0
    terminating: int = 0

    @property
    def pending(self) -> int:
        """Pods that are there and have no node."""
        return self.made - self.bound

    @property
    def unmade(self) -> int:
        """Pods that are desired and not there."""
        return max(0, self.desired - self.made)


class RolloutState(msgspec.Struct, frozen=True, kw_only=True):
    """An unfinished rollout. ``key``: Kind/namespace/name, ``title`` as people write it.

    The strategy in pods: ``max_surge`` and ``max_unavailable`` (None where the ``strategy`` has none), ``most`` pods
    that may be there without terminating ones, ``least`` that stay available; ``partition`` as a StatefulSet has it.
    ``is_ordered``: it goes no further while a pod is not available.
    ``revisions``: the older ones first, the new one last. ``waits_for`` is a constant of this module; ``refusal``: what
    the API server said of a pod or ReplicaSet that it refused. ``pending`` pods have no node, ``not_ready`` ones have
    one and are not available (each namespace/name, those of the new revision first): they are of the rollout.
    ``deadline_seconds`` and ``condition`` (Progressing) are those of a Deployment.
    """

    key: str
    title: str
    strategy: str
    replicas: int
    waits_for: str = ""
    max_surge: int | None = None
    max_unavailable: int | None = None
    most: int | None = None
    least: int | None = None
    partition: int = 0
    is_ordered: bool = False
    revisions: tuple[RevisionPods, ...] = ()
    pending: tuple[str, ...] = ()
    not_ready: tuple[str, ...] = ()
    refusal: str = ""
    deadline_seconds: int | None = None
    condition: OwnerCondition | None = None

    @property
    def new(self) -> RevisionPods:
        """The pods of the new revision."""
        return self.revisions[-1]

    @property
    def is_on_purpose(self) -> bool:
        """Whether it waits because somebody wants it so."""
        return self.waits_for in ON_PURPOSE

    @property
    def is_too_late(self) -> bool:
        """Whether its progress deadline has passed."""
        return self.condition is not None and self.condition.reason == TIMED_OUT

    @property
    def held_back(self) -> int:
        """Pods of the new revision that are not asked for yet."""
        return max(0, self.replicas - self.new.desired)

    @property
    def numbers(self) -> str:
        """The strategy in numbers: "maxSurge 1, maxUnavailable 0"."""
        named = (("maxSurge", self.max_surge), ("maxUnavailable", self.max_unavailable))
        parts = [f"{name} {value:,}" for name, value in named if value is not None]
        return ", ".join([*parts, *([f"partition {self.partition}"] if self.partition else [])]) or self.strategy

    @property
    def text(self) -> str:
        """The sentence on it where nothing more can happen, without a full stop."""
        return self.said("waits on purpose" if self.is_on_purpose else "does not go on")

    def said(self, goes: str) -> str:
        """The sentence with how it ``goes`` ("is under way")."""
        new = self.new
        stay = "".join(f", {one.name} keeps {one.made:,}" for one in self.revisions[:-1] if one.made)
        if not self.key.startswith("Deployment/"):
            n_old = sum(one.made for one in self.revisions[:-1])
            stay = f", {n_old:,} of an older revision" if n_old else ""
        said = (
            f"the rollout of {self.title} {goes}: {new.available:,} of {self.replicas:,} pods are new and available"
            f"{stay}; {self.reason} ({self.numbers})"
        )
        return f"{said}; its progress deadline of {self.deadline_seconds:,} s has passed" if self.is_too_late else said

    @property
    def reason(self) -> str:
        """What it waits for, as a sentence part."""
        return self._cause + (self._consequence if self.waits_for in (PENDING, NOT_READY) else "")

    @property
    def _consequence(self) -> str:
        """What pods keep from going on that have no node or are not available."""
        if self.is_ordered:
            return ", and the other ordinals wait for that"
        if self.least is None or self.max_unavailable is None or self.available > self.least:
            return ""
        if not self.max_unavailable:
            return ", and no available pod may leave first"
        return f", which uses up maxUnavailable {self.max_unavailable:,}"

    @property
    def available(self) -> int:
        """Pods of all revisions that are available."""
        return sum(one.available for one in self.revisions)

    @property
    def _cause(self) -> str:
        return _REASONS[self.waits_for].format(
            pods=_pods(self.pending or self.not_ready),
            have="has" if len(self.pending) == 1 else "have",
            are="is" if len(self.not_ready) == 1 else "are",
            refusal=self.refusal,
            most="any number of" if self.most is None else f"{self.most:,}",
            least=f"{self.least or 0:,}",
            ending=_count(sum(one.terminating for one in self.revisions)),
        )


_REASONS = {
    PAUSED: "it is paused",
    PARTITION: "pods below the partition keep the older revision",
    ON_DELETE: "pods are replaced when somebody deletes them",
    REFUSED: "the API server refuses what is missing: {refusal}",
    PENDING: "{pods} {have} no node",
    NOT_READY: "{pods} {are} bound and not available",
    TERMINATING: "{ending} of the older revision to end first",
    STRATEGY: "the strategy allows {most} pods and keeps {least} available",
}


def _count(n: int) -> str:
    return "it waits for 1 pod" if n == 1 else f"it waits for {n:,} pods"


def _pods(keys: Sequence[str]) -> str:
    *some, last = [*keys[:_NAMED], *([f"{len(keys) - _NAMED:,} more"] if len(keys) > _NAMED else [])] or [""]
    return f"{', '.join(some)} and {last}" if some else last
