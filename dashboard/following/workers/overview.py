"""What of a followed cluster is pending now and why, what is not created, and its figures.

A worker computes it, at most once a minute while pieces arrive, and stores it with the moment that it is of.
"""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from django.utils import timezone

from dashboard.clusters.importing.reading import recorded_until
from dashboard.clusters.models import Following
from dashboard.common.database import work_queue
from dashboard.following.moments.contents import read_followed
from dashboard.following.workers.folding import OVERVIEW_EVERY
from scheduler_core.explain.agreement import scheduler_reports
from scheduler_core.explain.waiting_causes import WaitingCause, waiting_causes

if TYPE_CHECKING:
    from dashboard.clusters.revisions.object_rows import PodRow
    from dashboard.following.moments.contents import FollowedContents
    from scheduler_core.api.objects import Node, Pod

SECONDS_FOR_CAUSES = 5.0
LEASE = timedelta(seconds=120)
FAILED = "What is pending could not be computed: "
MOST_OWNERS = 3
MOST_PARTS, MOST_OF_CAUSE, FEWEST_OF_CAUSE = 2_000, 100, 5
"""Of all causes together, and of one: the row is read each time that somebody looks at the page."""
_MINUTE = 60
MOST_NOT_CREATED = 200


class PendingPart(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Pods of one cause with one owner, made in one minute (`made`, in seconds since 1970, None where it is not said):
    how many, and the first. `is_rest`: those of all further owners and minutes."""

    owner: str = ""
    made: float | None = None
    count: int = 0
    pod: str = ""
    is_rest: bool = False


class PendingCause(msgspec.Struct, kw_only=True):
    """Pods with one cause (explain/waiting_causes.py): its `text`, `codes` and who can act; the first of the pods,
    `count` of them; the same by owner and minute (`parts`); their owners, most pods first; `since`: when the oldest
    was made, in seconds since 1970."""

    text: str
    codes: list[str] = []
    actor: str = ""
    pods: list[str] = []
    count: int = 0
    owners: list[str] = []
    since: float | None = None
    equal: int = 0
    differ: int = 0
    is_placed: bool = False
    parts: list[PendingPart] = []


class NotCreated(msgspec.Struct, kw_only=True):
    """A workload whose pods admission refuses: who refuses them, and what the input said."""

    kind: str
    namespace: str
    name: str
    why: str
    code: str
    message: str


class Overview(msgspec.Struct, kw_only=True):
    """Figures and causes as of `moment` (seconds since 1970). `n_computed` of `n_pending` pods have a cause that was
    computed in the time that there was."""

    moment: float = 0.0
    n_nodes: int = 0
    n_pods: int = 0
    n_not_ready: int = 0
    n_cordoned: int = 0
    n_pending: int = 0
    n_computed: int = 0
    causes: list[PendingCause] = []
    not_created: list[NotCreated] = []
    left_out: int = 0
    seconds: float = 0.0


def read_overview(following: Following) -> Overview | None:
    """Return what was computed last, None before the first."""
    return msgspec.convert(following.overview, Overview) if following.overview else None


def compute(following: Following) -> None:
    """Compute the overview and store it, unless another worker is at it."""
    lease, rows = timezone.now() + LEASE, Following.objects.filter(pk=following.pk)
    if not rows.filter(overview_due_at=following.overview_due_at).update(overview_due_at=lease):
        return
    following.refresh_from_db()
    made: list[Overview] = []
    problem = work_queue.run_job(following, lambda: made.append(_computed(following)), expected=())
    now = timezone.now()
    values: dict[str, Any] = {"problem": f"{FAILED}{problem}"[:300]} if problem else {}
    if made:
        rows.filter(problem__startswith=FAILED).update(problem="")
        values = {"overview": _without_nul(msgspec.to_builtins(made[0])), "overview_version": following.version}
    rows.update(overview_at=now, **values)
    has_changed = rows.exclude(version=following.version).exists()
    due = now + timedelta(seconds=OVERVIEW_EVERY) if has_changed else None
    rows.filter(overview_due_at=lease).update(overview_due_at=due)


def _without_nul(value: Any) -> Any:
    """The value without the one character that PostgreSQL takes in no text: messages are words of a cluster."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_without_nul(one) for one in value]
    return {name: _without_nul(one) for name, one in value.items()} if isinstance(value, dict) else value


def _computed(following: Following) -> Overview:
    start = time.monotonic()
    read = read_followed(following)
    loaded = read.loaded
    waiting = {pod.key: pod for pod in loaded.objects.pods if not pod.node_name}
    own = (m.raw for m in loaded.manifests if m.kind == "Pod" and f"{m.namespace}/{m.name}" in waiting)
    reports = scheduler_reports(own, read.events)
    deadline = time.monotonic() + SECONDS_FOR_CAUSES
    pods: dict[int, list[Pod]] = {}
    waits = waiting_causes(
        loaded,
        reports,
        partial(recorded_until, deadline),
        lambda: time.monotonic() > deadline,
        lambda cause, pod: pods.setdefault(id(cause), []).append(pod),
    )
    rows = {f"{row.namespace}/{row.name}": row for row in read.contents.rows.pods}
    n_parts = max(FEWEST_OF_CAUSE, min(MOST_OF_CAUSE, MOST_PARTS // max(1, len(waits.causes))))
    refused = loaded.unplayed.refused[:MOST_NOT_CREATED]
    return Overview(
        **_figures(read),
        moment=following.moment,
        n_pending=waits.n_waiting,
        n_computed=waits.n_computed,
        causes=[_cause(one, pods[id(one)], rows, n_parts) for one in waits.causes],
        not_created=[
            NotCreated(
                kind=one.kind, namespace=one.namespace, name=one.name, why=one.why, code=one.code, message=one.message
            )
            for one in refused
        ],
        left_out=read.left_out,
        seconds=round(time.monotonic() - start, 3),
    )


def _figures(read: FollowedContents) -> dict[str, int]:
    rows = read.contents.rows
    return {
        "n_nodes": len(rows.nodes),
        "n_pods": len(rows.pods),
        "n_not_ready": sum(not _is_ready(node) for node in read.loaded.objects.nodes),
        "n_cordoned": sum(node.is_cordoned for node in rows.nodes),
    }


def _is_ready(node: Node) -> bool:
    """Whether the node's condition says so; one without that condition counts as ready."""
    return all(condition.status == "True" for condition in node.conditions if condition.type == "Ready")


def _cause(cause: WaitingCause, pods: list[Pod], rows: dict[str, PodRow], n_parts: int) -> PendingCause:
    of = {pod.key: row.owner or row.name for pod in pods if (row := rows.get(pod.key)) is not None}
    made = [pod.creation_timestamp for pod in pods if pod.creation_timestamp is not None]
    return PendingCause(
        text=cause.text,
        codes=list(cause.codes),
        actor=cause.actor,
        pods=cause.pods,
        count=cause.count,
        owners=[name for name, _ in Counter(of.values()).most_common(MOST_OWNERS)],
        since=min(made, default=None),
        equal=cause.equal,
        differ=cause.differ,
        is_placed=cause.is_placed,
        parts=_parts(pods, of, n_parts),
    )


def _parts(pods: list[Pod], owners: dict[str, str], most: int) -> list[PendingPart]:
    """The pods by owner and minute, most pods first, and the rest of them together."""
    parts: dict[tuple[str, float | None], PendingPart] = {}
    for pod in pods:
        at = pod.creation_timestamp
        key = owners.get(pod.key, pod.name), None if at is None else at // _MINUTE * _MINUTE
        part = parts.setdefault(key, PendingPart(owner=key[0], made=key[1], pod=pod.key))
        part.count += 1
    ordered = sorted(parts.values(), key=lambda part: -part.count)
    rest = sum(part.count for part in ordered[most:])
    return [*ordered[:most], *([PendingPart(count=rest, is_rest=True)] if rest else [])]
