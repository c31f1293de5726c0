"""Pods of a run that are without a node at its end, in groups of one cause, and owners that lack pods or whose rollout
is unfinished, as its stored summary has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.lru_cache import LruCache
from dashboard.debugger.outcomes.owners.rows import OwnerLink, owner_links
from dashboard.runs.storage import outcomes
from scheduler_core.explain import outcomes as oc

if TYPE_CHECKING:
    from dashboard.runs.models import Run
    from scheduler_core.explain.outcomes import Outcomes

# How such groups are drawn and called.
UNPLACED = {oc.PENDING: ("unsched", "x", "pending"), oc.GATED: ("gated", "lock", "gated")}


class NoSummary(Exception):
    """No summary of the run is stored, or not yet."""


@dataclass(frozen=True)
class UnplacedPods:
    """A group of pods without a node, as the summary of their run has it: `cycle` is the last attempt of the one that
    waits longest, 0 where it had none."""

    kind: str
    title: str
    plugins: str
    count: int
    cycle: int


# Of runs that have ended: their summaries no longer change.
_unplaced: LruCache[list[UnplacedPods]] = LruCache(64)
_owners: LruCache[list[OwnerLink]] = LruCache(64)


def unplaced_pods(run: Run) -> list[UnplacedPods]:
    """Return the groups at the run's head, those in line before gated ones; none without a stored summary."""
    try:
        return _unplaced.get((run.pk, run.created_at, run.head.seq), lambda: _summed(run))
    except NoSummary:
        return []


def lacking_owners(run: Run, slug: str) -> list[OwnerLink]:
    """Return the owners that lack pods at the run's head, with the page that says why; none without a summary."""
    try:
        return _owners.get((run.pk, run.created_at, run.head.seq, slug), lambda: _linked(run, slug))
    except NoSummary:
        return []


def _linked(run: Run, slug: str) -> list[OwnerLink]:
    return owner_links(_stored(run), slug, run.number)


def _stored(run: Run) -> Outcomes:
    summary = outcomes.stored(run, after=run.head.seq - 1)
    if summary is None:
        raise NoSummary
    return summary


def _summed(run: Run) -> list[UnplacedPods]:
    """Return the groups of the run's summary, those in line before gated ones; raises NoSummary."""
    summary = _stored(run)
    return [
        UnplacedPods(
            kind=group.kind,
            title=group.title,
            plugins=", ".join(group.plugins),
            count=group.n_pods,
            cycle=summary.pods[group.why].cycle if group.why >= 0 else 0,
        )
        for group in summary.groups
        if group.kind in UNPLACED
    ]
