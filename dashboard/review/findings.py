"""What of a run is worth a look, gathered from its summary rows by their indexes: preemptions and failed attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.review import links
from dashboard.runs.models import Cycle, Preemption

if TYPE_CHECKING:
    from dashboard.runs.models import Run

PREEMPTIONS = 6
FAILURES = 6


@dataclass(frozen=True)
class NotableCycle:
    """A cycle that deserves a reviewer's eye: `what` happened, `more` about it, and where the debugger shows it."""

    meaning: str
    what: str
    more: str
    cycle: int
    url: str


def findings(run: Run, slug: str) -> list[NotableCycle]:
    """Return the run's first preemptions, then its first errors and pods without a node."""
    offered = [*_preemptions(run, slug), *_failures(run, slug, "error"), *_failures(run, slug, "unschedulable")]
    return offered[: PREEMPTIONS + FAILURES]


def _preemptions(run: Run, slug: str) -> list[NotableCycle]:
    rows = Preemption.objects.filter(run_id=run.pk, victims__gt=0).order_by("seq")[:PREEMPTIONS]
    return [
        NotableCycle(
            "victim",
            f"{_name(row.pod)} preempted {row.victims:,} pod{'s' if row.victims != 1 else ''}",
            f"cycle {row.cycle:,}, on {row.node}",
            row.cycle,
            links.cycle_url(slug, run.number, row.cycle),
        )
        for row in rows
    ]


def _failures(run: Run, slug: str, outcome: str) -> list[NotableCycle]:
    rows = Cycle.objects.filter(run_id=run.pk, outcome=outcome, preempting=False).order_by("number")[:FAILURES]
    meaning, ending = ("error", "ended in an error") if outcome == "error" else ("unsched", "found no node")
    return [
        NotableCycle(
            meaning,
            f"{_name(row.pod)} {ending}",
            f"cycle {row.number:,}, attempt {row.attempt:,}",
            row.number,
            links.cycle_url(slug, run.number, row.number),
        )
        for row in rows
    ]


def _name(pod: str) -> str:
    return pod.rpartition("/")[2]
