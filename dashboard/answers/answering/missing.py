"""How much room was missing in cycles that found no node, for lists of cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.explain.pending.missing import MissingRoom, missing_in_cycles

if TYPE_CHECKING:
    from dashboard.answers.answering.source import Source
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import MissingInCycles


class MissingAnswer(msgspec.Struct, frozen=True):
    """{cycle: what was missing}; without the cycles that refused no node for room, or that there was no time for."""

    cycles: dict[int, MissingRoom] = {}


def missing_in(source: Source, question: MissingInCycles, limit: TimeLimit) -> MissingAnswer:
    """Compute the cycles that are not cached yet; raises RecordingError for a cycle that is not recorded."""
    missing_by_cycle: dict[int, MissingRoom | None] = source.sessions.get((*source.key, "missing"), 1, dict)
    new = [cycle for cycle in question.cycles if cycle not in missing_by_cycle]
    if new:
        followed = source.followed
        source.read(lambda reader: missing_by_cycle.update(missing_in_cycles(reader, followed, new, limit)))
    asked_for = {cycle: missing_by_cycle.get(cycle) for cycle in sorted(set(question.cycles))}
    return MissingAnswer({cycle: one for cycle, one in asked_for.items() if one is not None})
