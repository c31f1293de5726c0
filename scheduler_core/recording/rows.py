"""Summary rows for the database: plain tuples in the order of the tables' columns.

``pod_uid`` is None for the first pod of its name in the run. row_builder.py makes them from events.
"""

from __future__ import annotations

from typing import NamedTuple


class CycleRow(NamedTuple):
    """One scheduling cycle. ``total``, ``second_total`` and ``margin`` are None where nothing was scored."""

    cycle: int
    first_seq: int
    last_seq: int
    pod: str
    attempt: int
    profile: str
    priority: int
    template: int
    outcome: str
    node: str
    message: str
    n_nodes: int
    visited: int
    feasible: int
    total: int | None
    second_node: str
    second_total: int | None
    margin: int | None
    tie_count: int
    at: int
    preempting: bool
    pod_uid: str | None = None


class PluginScoreRow(NamedTuple):
    """One score plugin in one cycle; the second's values are None where there was no runner-up."""

    cycle: int
    plugin: str
    weight: int
    raw_winner: int
    norm_winner: int
    raw_second: int | None
    norm_second: int | None
    norm_min: int
    norm_max: int
    norm_mean: float
    decided: bool


class VerdictRow(NamedTuple):
    """How many nodes a plugin was the first to refuse, with one code and one text of reasons."""

    cycle: int
    plugin: str
    code: int
    reasons: str
    nodes: int


class QueueMoveRow(NamedTuple):
    """One move of a pod in the queue. ``source`` and ``target`` are lanes, "" outside of the queue."""

    seq: int
    at: int
    pod: str
    source: str
    target: str
    event: str
    plugin: str
    attempts: int
    backoff_until: int | None
    pod_uid: str | None = None


class PreemptionRow(NamedTuple):
    """One decision of preemption; counts are 0 and ``node`` is "" where no candidate was chosen.

    ``victim_priority`` is the highest among the victims, None where there is none.
    """

    seq: int
    cycle: int
    at: int
    pod: str
    eligible: bool
    node: str
    criterion: str
    message: str
    candidates: int
    victims: int
    violations: int
    pod_uid: str | None = None
    victim_priority: int | None = None


class VictimRow(NamedTuple):
    """A pod on the chosen node that is evicted, most important first, or (``reprieved``) was spared."""

    seq: int
    cycle: int
    preemptor: str
    node: str
    pod: str
    position: int
    reprieved: bool
    pod_uid: str | None = None


class SummaryRows(NamedTuple):
    """The rows of all tables."""

    cycles: list[CycleRow]
    plugin_scores: list[PluginScoreRow]
    verdicts: list[VerdictRow]
    queue_moves: list[QueueMoveRow]
    preemptions: list[PreemptionRow]
    victims: list[VictimRow]

    @classmethod
    def empty(cls) -> SummaryRows:
        """No rows yet."""
        return cls([], [], [], [], [], [])
