"""An unfinished rollout, as pages show it: pods by revision, strategy and deadline in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.labels import listed
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from scheduler_core.explain.rollouts.model import RevisionPods, RolloutState

# More pods of a revision are a number alone.
MOST_CELLS = 16
SHOWN_PODS = 3
_ON_PURPOSE = {
    "paused": "is paused",
    "partition": "waits at its partition",
    "on delete": "waits until its pods are deleted",
}


@dataclass(frozen=True)
class RevisionRow:
    """The pods of a revision: `cells` is one look for each (ready, bound, pending, unmade), () where there are many."""

    name: str
    is_new: bool
    cells: tuple[str, ...]
    count: str
    text: str


@dataclass(frozen=True)
class RolloutPanel:
    """A rollout: `title` what it is held up by, `updated` as "0 of 4", `most` and `least` what its strategy allows.

    `deadline` is that of a Deployment, `is_late` where it has passed; `pods` (namespace/name) have no node.
    """

    owner: str
    title: str
    is_on_purpose: bool
    updated: str
    revisions: tuple[RevisionRow, ...]
    strategy: str
    allowed: str
    deadline: str
    is_late: bool
    pods: tuple[str, ...]
    more_pods: int


def rollout_panel(state: RolloutState) -> RolloutPanel:
    """Return the panel of a rollout."""
    return RolloutPanel(
        owner=state.title,
        title=rollout_title(state),
        is_on_purpose=state.is_on_purpose,
        updated=updated(state),
        revisions=tuple(_revision(one) for one in state.revisions if one.desired or one.made or one.is_new),
        strategy=state.numbers if state.numbers == state.strategy else f"{state.strategy}, {state.numbers}",
        allowed=_allowed(state),
        deadline=_deadline(state),
        is_late=state.is_too_late,
        pods=state.pending[:SHOWN_PODS],
        more_pods=max(0, len(state.pending) - SHOWN_PODS),
    )


def rollout_title(state: RolloutState) -> str:
    """Return what holds it up: "Rollout of shop/web is stuck: 1 pod has no node", "StatefulSet shop/db waits at its
    partition"."""
    if state.is_on_purpose:
        return f"{state.title} {_ON_PURPOSE[state.waits_for]}"
    return f"Rollout of {state.title.partition(' ')[2]} is stuck: {_held_by(state)}"


def updated(state: RolloutState) -> str:
    """Return how many of its pods are new and available: "0 of 4"."""
    return f"{grouped(state.new.available)} of {grouped(state.replicas)}"


def _held_by(state: RolloutState) -> str:
    pending, not_ready = len(state.pending), len(state.not_ready)
    return {
        "refused": "admission refuses its new pods",
        "pending": f"{plural(pending, 'pod has', 'pods have')} no node",
        "not ready": f"{plural(not_ready, 'pod is', 'pods are')} not available",
        "terminating": "pods of the older revision still terminate",
    }.get(state.waits_for, "its strategy lets no pod go")


def _revision(one: RevisionPods) -> RevisionRow:
    whole = max(one.desired, one.made)
    looks = [
        *("ready" for _ in range(one.available)),
        *("bound" for _ in range(one.bound - one.available)),
        *("pending" for _ in range(one.pending)),
        *("unmade" for _ in range(whole - one.made)),
    ]
    parts = [
        f"{grouped(n)} {word}"
        for n, word in (
            (one.available, "available"),
            (one.bound - one.available, "not available"),
            (one.pending, "without a node"),
            (one.unmade, "never made"),
            (one.terminating, "terminating"),
        )
        if n
    ]
    return RevisionRow(
        name=one.name,
        is_new=one.is_new,
        cells=tuple(looks) if len(looks) <= MOST_CELLS else (),
        count=f"{grouped(one.available)} of {grouped(whole)}",
        text=listed(parts) if parts else "no pods",
    )


def _allowed(state: RolloutState) -> str:
    most = f"at most {plural(state.most, 'pod')}" if state.most is not None else ""
    least = f"at least {grouped(state.least)} available" if state.least is not None else ""
    return ", ".join(part for part in (most, least) if part)


def _deadline(state: RolloutState) -> str:
    if state.deadline_seconds is None:
        return ""
    if state.is_too_late and state.condition is not None:
        return f"{grouped(state.deadline_seconds)} s exceeded at {clock(state.condition.since)}"
    return f"{grouped(state.deadline_seconds)} s"
