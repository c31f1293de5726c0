"""Watches of a member in a run: added, removed, reordered, copied from an earlier run. No other member sees them, so
every role may have some, and the audit log does not mention them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction

from dashboard.accounts.access import require
from dashboard.accounts.models import Member, Role
from dashboard.common.problems import NotFound, Problem
from dashboard.runs.models import Run, RunWatch
from scheduler_core.explain.watches import parse_watch
from scheduler_core.query import QueryError

if TYPE_CHECKING:
    from django.db.models import QuerySet

MAX_WATCHES = 12
DOING = "watch values here"


@dataclass(frozen=True)
class EarlierWatches:
    """The member's watches in another run of the same cluster."""

    run: Run
    texts: tuple[str, ...]


def list_watches(member: Member, run: Run) -> QuerySet[RunWatch]:
    """Return the member's watches in the run, in order."""
    return RunWatch.objects.filter(member=member, run=run).order_by("position", "pk")


def find_watch(member: Member, run: Run, pk: int) -> RunWatch:
    """Return one of the member's watches of the run; raises NotFound."""
    if existing := list_watches(member, run).filter(pk=pk).first():
        return existing
    raise NotFound("You do not watch this here any more.")


def add_watch(member: Member, run: Run, text: str) -> RunWatch:
    """Add a watch; does nothing if the value is watched already.

    Raises Forbidden, NotFound for another workspace's run, and Problem for too many watches or, with the column, for a
    value that cannot be watched.
    """
    _check(member, run)
    try:
        written = parse_watch(text).text
    except QueryError as error:
        raise Problem(error.text(), title="This cannot be watched") from error
    with transaction.atomic():
        _lock(member)
        existing = list(list_watches(member, run))
        for watch in existing:
            if watch.text == written:
                return watch
        if len(existing) >= MAX_WATCHES:
            raise Problem(f"At most {MAX_WATCHES} values can be watched in a run. Remove one first.")
        position = existing[-1].position + 1 if existing else 0
        return RunWatch.objects.create(run=run, member=member, text=written, position=position)


def remove_watch(member: Member, run: Run, pk: int) -> None:
    """Remove the watch; raises Forbidden, NotFound."""
    _check(member, run)
    find_watch(member, run, pk).delete()


def move_watch(member: Member, run: Run, pk: int, by: int) -> None:
    """Move the watch by this many places, no further than the first and the last; raises Forbidden, NotFound."""
    _check(member, run)
    with transaction.atomic():
        _lock(member)
        moved = find_watch(member, run, pk)
        ordered = list(list_watches(member, run))
        before = ordered.index(moved)
        ordered.insert(max(0, min(before + by, len(ordered) - 1)), ordered.pop(before))
        for position, watch in enumerate(ordered):
            watch.position = position
        RunWatch.objects.bulk_update(ordered, ["position"])


def earlier_watches(member: Member, run: Run) -> EarlierWatches | None:
    """Return the member's watches in the newest other run of the same cluster that has some."""
    cluster = run.revision.cluster_id
    others = RunWatch.objects.filter(member=member, run__revision__cluster=cluster).exclude(run=run)
    # Usually there is none; the run is only read if there is one, and may be deleted by then.
    newest = others.order_by("-run__number").values_list("run", flat=True).first()
    earlier = Run.objects.filter(pk=newest).first() if newest is not None else None
    if earlier is None:
        return None
    return EarlierWatches(earlier, tuple(list_watches(member, earlier).values_list("text", flat=True)))


def take_over_watches(member: Member, run: Run) -> None:
    """Copy the watches from that other run, after the present ones and up to the limit.

    Raises Forbidden, and NotFound if there are none.
    """
    _check(member, run)
    with transaction.atomic():
        _lock(member)
        earlier = earlier_watches(member, run)
        if earlier is None:
            raise NotFound("You watched nothing in another run of this cluster.")
        existing = list(list_watches(member, run))
        there, place = {watch.text for watch in existing}, existing[-1].position + 1 if existing else 0
        texts = [text for text in earlier.texts if text not in there][: MAX_WATCHES - len(existing)]
        watches = (RunWatch(run=run, member=member, text=text, position=place + i) for i, text in enumerate(texts))
        RunWatch.objects.bulk_create(watches)


def _check(member: Member, run: Run) -> None:
    require(member, Role.VIEWER, DOING)
    if run.workspace_id != member.workspace_id:
        raise NotFound(f"Run {run.number} does not exist here.")


def _lock(member: Member) -> None:
    """Lock the membership: one request at a time decides on the places and the number of a member's watches."""
    Member.objects.select_for_update().get(pk=member.pk)
