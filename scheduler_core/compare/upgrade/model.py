"""The report of an upgrade as data."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.compare.comparison import RunComparison
from scheduler_core.explain.outcomes.texts import plural

Reason = Literal["behaviours", "follows", "by run", "not tried", "not told apart"]
"""Why a pod's attempts part: behaviours that decide otherwise on the same state; an earlier difference; behaviours of
the queue, by runs with each alone; nothing was tried; or none of what was tried tells it."""


class VersionSide(msgspec.Struct, frozen=True, kw_only=True):
    """A version as it was asked for, the train that it belongs to, and what its rules rest on."""

    kubernetes: str
    gates: str
    train: str
    evidence: str
    is_measured: bool


class BehaviourChange(msgspec.Struct, frozen=True, kw_only=True):
    """A behaviour that holds in one of the two alone: in B where ``comes``, else in A.

    ``n_pods`` are those whose first difference it brings, alone or with others. ``absent``: what it acts on and the
    input does not have, as a sentence; "" where it could act.
    """

    name: str
    change: str
    sentence: str
    evidence: str
    comes: bool
    n_pods: int = 0
    absent: str = ""

    @property
    def effect(self) -> str:
        """ "first difference of 3 pods", "decides nothing here: no device has a taint"."""
        if self.n_pods:
            return f"first difference of {plural(self.n_pods, 'pod')}"
        absent = self.absent[:1].lower() + self.absent[1:]
        return f"decides nothing here: {absent}" if absent else "decides nothing here"


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt came to: ``node`` where it was given one, else ``nominated`` where preemption makes room."""

    cycle: int
    outcome: str
    node: str = ""
    nominated: str = ""
    victims: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """ "n1", "room on n1 for 2 victims", "no node"."""
        if self.node:
            return self.node
        if self.nominated:
            n = len(self.victims)
            return f"room on {self.nominated} by evicting {n} pod{'s' if n != 1 else ''}"
        return "no node" if self.outcome != "skipped" else "skipped"


class PodUpgrade(msgspec.Struct, frozen=True, kw_only=True):
    """The first attempt of a pod that ends otherwise; None for a side that has no such attempt.

    ``by``: the smallest set of behaviours that brings B's decision on A's state (``reason`` "behaviours"), or the
    attempt (``reason`` "by run"). ``follows``: A's cycle of the earlier difference that it follows from, 0 for none.
    """

    pod: str
    uid: str
    attempt: int
    kind: str
    a: Decided | None
    b: Decided | None
    reason: Reason
    by: tuple[str, ...] = ()
    follows: int = 0


class WaitUpgrade(msgspec.Struct, frozen=True, kw_only=True):
    """A pod whose attempts end alike after another wait, in virtual microseconds (-1: not bound). ``by``: the behaviour
    of the queue with which alone a run of A has B's wait, "" where none has."""

    pod: str
    uid: str
    a: int
    b: int
    by: str = ""


class TextChange(msgspec.Struct, frozen=True, kw_only=True):
    """A text of failure messages that one side has alone; ``now`` is how B words it ("" where that is not known).

    ``lost`` is a part of A's text that no text of B's version has: a match on it finds nothing any more ("" for none).
    """

    text: str
    now: str
    plugin: str
    a: int
    b: int
    lost: str = ""


class FieldUpgrade(msgspec.Struct, frozen=True, kw_only=True):
    """A field that B reads and A does not, or with another default; ``n_objects`` of the input give it (None for a
    field of the configuration)."""

    field: str
    what: Literal["new", "removed", "other default", "gains meaning", "loses meaning"]
    sentence: str
    n_objects: int | None = None


class UpgradeReport(msgspec.Struct, frozen=True, kw_only=True):
    """A under one version, B under the other. ``n_untried`` first differences were not tried again; ``is_cut``: the
    search for causes was ended before its end."""

    a: VersionSide
    b: VersionSide
    behaviours: tuple[BehaviourChange, ...]
    comparison: RunComparison
    pods: tuple[PodUpgrade, ...]
    waits: tuple[WaitUpgrade, ...]
    texts: tuple[TextChange, ...]
    fields: tuple[FieldUpgrade, ...]
    n_attempts: tuple[int, int] = (0, 0)
    n_untried: int = 0
    is_cut: bool = False

    @property
    def differs(self) -> bool:
        """Whether any pod's decision, end or wait, or any text differs."""
        return bool(self.pods or self.texts or self.comparison.pods)
