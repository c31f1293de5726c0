"""Remedies as the lines that the command line prints."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.remedies.model import Remedies, Remedy

_MOST_REMEDIES = 8


def remedy_lines(remedies: Remedies) -> Iterator[str]:
    """The lines, from an empty one on."""
    if remedies.fits:
        yield ""
        yield "REMEDIES: none needed; it fits on the state that its last attempt left"
        return
    yield ""
    if remedies.left_to:
        yield f"REMEDIES: none was tried; {remedies.left_to}"
        return
    late = "" if remedies.in_time else f"; {len(remedies.not_tried):,} more were not tried in time"
    yield f"REMEDIES that the engine tried and found to be enough, those of the cause first, by who can act{late}"
    for one in remedies.verified[:_MOST_REMEDIES]:
        yield f"{one.actor}: {one.text}: {_remedy_outcome(one)}"
    if not remedies.verified:
        yield "none was found"
    if remedies.unanswered:
        yield f"whether it fits as it is, is unknown: the tape has no answer to {remedies.unanswered}"
    for one in remedies.unknown[:_MOST_REMEDIES]:
        yield f"{one.text}: unknown, the tape has no answer to {one.unanswered}"
    if len(remedies.unknown) > _MOST_REMEDIES:
        yield f"… and {len(remedies.unknown) - _MOST_REMEDIES:,} more of which the tape does not know"


def _remedy_outcome(one: Remedy) -> str:
    """What the engine then did: placed the pod, or preempted others, so that it waits for their end."""
    budgets = f", against the disruption budget {', '.join(one.budgets)}" if one.budgets else ""
    if one.victims:
        return f"it then preempts {', '.join(one.victims)} on {one.node}{budgets}"
    where = (
        one.node if not one.unanswered else f"which one it gets is unknown, the tape has no answer to {one.unanswered}"
    )
    assumed = f"with {one.assumed}, " if one.assumed else ""
    return f"{assumed}{plural(one.n_fit, 'node')} fit{'s' if one.n_fit == 1 else ''}; {where}{budgets}"
