"""The preview of the cycle under the pointer on the scrubber."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, virtual_time
from dashboard.common.problems import NotFound
from dashboard.debugger.labels import OUTCOMES, split_key
from dashboard.runs.queries import cycle_of

if TYPE_CHECKING:
    from dashboard.runs.models import Cycle, Run


@dataclass(frozen=True)
class CyclePreview:
    """A cycle in three lines; `meaning` colours how it ended."""

    cycle: int
    time: str
    pod: str
    namespace: str
    outcome: str
    meaning: str


def preview_of(run: Run, number: int) -> CyclePreview:
    """Return the preview of a cycle; raises NotFound."""
    cycle = cycle_of(run, number)
    if cycle is None:
        raise NotFound(f"Run {run.number} has no cycle {number:,}.", title="No such cycle")
    namespace, name = split_key(cycle.pod)
    meaning, _ = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    return CyclePreview(number, virtual_time(cycle.at_us, 1_000_000), name, namespace, _outcome(cycle), meaning)


def _outcome(cycle: Cycle) -> str:
    if cycle.outcome == "scheduled":
        drawn = f", drawn from {grouped(cycle.tie_count)}" if cycle.tie_count > 1 else ""
        return f"→ {cycle.node}{drawn}"
    _, word = OUTCOMES.get(cycle.outcome, ("none", cycle.outcome))
    return f"{word}, preempts" if cycle.preempting else word
