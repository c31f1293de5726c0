"""A recorded history as a checked structure: what is in effect at the start, the steps, what was seen."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from scheduler_core.engine.kubelet_rules import KubeletRule

MOST_OBJECTS, MOST_STEPS, MOST_SECONDS = 2_000, 2_000, 7_200
BEFORE = frozenset(("ResourceQuota", "LimitRange", "PriorityClass", "RuntimeClass", "PodDisruptionBudget"))
"""Kinds that are in effect before time 0; all others are made at time 0."""
LATE = {"ready_after": 0.1, "succeed_after": 0.101, "fail_after": 0.1, "grace": 0.1}
"""Seconds by which the played kubelets were late: they looked ten times a second. Where a success and a Job's look at
it would fall together, the look came first."""
Raw = dict[str, Any]


class HistoryError(ValueError):
    """The file is no history that can be played."""


class PodMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which pods a rule is for."""

    image: str = ""
    labels: dict[str, str] = {}
    node: str = ""
    index: int | None = None


class RecordedRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of the kubelets as the file has it."""

    match: PodMatch = PodMatch()
    ready_after: float | Literal["never"] | None = None
    succeed_after: float | None = None
    fail_after: float | None = None
    grace: float | None = None
    ready_gap: float | None = None

    def rule(self) -> KubeletRule:
        """The rule as a run has it."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name != "match"}
        late = {name: fields[name] + late for name, late in LATE.items() if fields[name] and fields[name] != "never"}
        return KubeletRule(**{**fields, **late}, **msgspec.structs.asdict(self.match))


class RecordedPatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategic merge patch of an object, or of the n-th pod made for an owner (``of``, ``ordinal``)."""

    kind: str
    body: Raw
    name: str = ""
    of: str = ""
    ordinal: int = 0


class NamedInHistory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object by kind and name, or the n-th pod made for an owner."""

    kind: str = "Pod"
    name: str = ""
    of: str = ""
    ordinal: int = 0


class HistoryStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody does at a time; one of the fields is given, or only a look is taken (``note``)."""

    at: float
    apply: Raw | None = None
    patch: RecordedPatch | None = None
    delete: NamedInHistory | None = None
    evict: NamedInHistory | None = None
    kubelet: tuple[RecordedRule, ...] | None = None
    note: str = ""


class ControllerHistory(msgspec.Struct, frozen=True):
    """A recorded history; times are seconds."""

    name: str
    reference: str
    nodes: list[Raw]
    objects: list[Raw]
    kubelet: tuple[RecordedRule, ...]
    steps: tuple[HistoryStep, ...]
    until: float
    expected: Raw
    extremes_from: float = 0.0
    varied: tuple[str, ...] = ()


def is_history(raw: Raw) -> bool:
    """Whether a recorded scenario is one of controllers."""
    return "kubelet" in raw and "steps" in raw


def read_history(raw: Raw) -> ControllerHistory:
    """The history of a file. Raises HistoryError."""
    try:
        history = msgspec.convert(raw, ControllerHistory)
    except msgspec.ValidationError as problem:
        raise HistoryError(str(problem)) from problem
    if len(history.nodes) + len(history.objects) > MOST_OBJECTS or len(history.steps) > MOST_STEPS:
        raise HistoryError(f"more than {MOST_OBJECTS:,} objects or {MOST_STEPS:,} steps")
    if not 0 < history.until <= MOST_SECONDS:
        raise HistoryError(f"until is {history.until}; it lies between 0 and {MOST_SECONDS:,} seconds")
    if any(not 0 <= step.at <= history.until for step in history.steps):
        raise HistoryError("a step lies outside of the history")
    return history
