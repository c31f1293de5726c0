"""What a member watches in a run: added, removed, put in order, taken over from the run before. Seen by nobody else, so
every role may, and the audit log says nothing of it."""

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
    """What the member watched in another run of the same cluster."""

    run: Run
    texts: tuple[str, ...]


def watches_of(member: Member, run: Run) -> QuerySet[RunWatch]:
    """Return what the member watches in the run, in order."""
    return RunWatch.objects.filter(member=member, run=run).order_by("position", "pk")


def find_watch(member: Member, run: Run, pk: int) -> RunWatch:
    """Return one of the member's watches of the run; raises NotFound."""
    if existing := watches_of(member, run).filter(pk=pk).first():
        return existing
    raise NotFound("You do not watch this here any more.")


def add_watch(member: Member, run: Run, text: str) -> RunWatch:
    """Watch a value from now on; one that is watched already stays where it is.

    Raises Forbidden, NotFound for another workspace's run, Problem with the column for what cannot be watched and for
    one too many.
    """
    _check(member, run)
    try:
        written = parse_watch(text).text
    except QueryError as error:
        raise Problem(error.text(), title="This cannot be watched") from error
    with transaction.atomic():
        _lock(member)
        existing = list(watches_of(member, run))
        for watch in existing:
            if watch.text == written:
                return watch
        if len(existing) >= MAX_WATCHES:
            raise Problem(f"At most {MAX_WATCHES} values can be watched in a run. Remove one first.")
        position = existing[-1].position + 1 if existing else 0
        return RunWatch.objects.create(run=run, member=member, text=written, position=position)


def remove_watch(member: Member, run: Run, pk: int) -> None:
    """Watch it no more; raises Forbidden, NotFound."""
    _check(member, run)
    find_watch(member, run, pk).delete()


def move_watch(member: Member, run: Run, pk: int, by: int) -> None:
    """Move it by so many places, no further than the first and the last; raises Forbidden, NotFound."""
    _check(member, run)
    with transaction.atomic():
        _lock(member)
        moved = find_watch(member, run, pk)
        ordered = list(watches_of(member, run))
        before = ordered.index(moved)
        ordered.insert(max(0, min(before + by, len(ordered) - 1)), ordered.pop(before))
        for position, watch in enumerate(ordered):
            watch.position = position
        RunWatch.objects.bulk_update(ordered, ["position"])


def earlier_watches(member: Member, run: Run) -> EarlierWatches | None:
    """Return what the member watched in the newest other run of the same cluster that they watched something in."""
    cluster = run.revision.cluster_id
    others = RunWatch.objects.filter(member=member, run__revision__cluster=cluster).exclude(run=run)
    # Mostly there is none; the run is read only where there is one, and may be gone by then.
    newest = others.order_by("-run__number").values_list("run", flat=True).first()
    earlier = Run.objects.filter(pk=newest).first() if newest is not None else None
    if earlier is None:
        return None
    return EarlierWatches(earlier, tuple(watches_of(member, earlier).values_list("text", flat=True)))


def take_over_watches(member: Member, run: Run) -> None:
    """Watch what the member watched in that other run, behind what is watched already and up to the limit.

    Raises Forbidden, NotFound where there is none.
    """
    _check(member, run)
    with transaction.atomic():
        _lock(member)
        earlier = earlier_watches(member, run)
        if earlier is None:
            raise NotFound("You watched nothing in another run of this cluster.")
        existing = [watch.text for watch in watches_of(member, run)]
        for text in [text for text in earlier.texts if text not in existing][: MAX_WATCHES - len(existing)]:
            add_watch(member, run, text)


def _check(member: Member, run: Run) -> None:
    require(member, Role.VIEWER, DOING)
    if run.workspace_id != member.workspace_id:
        raise NotFound(f"Run {run.number} does not exist here.")


def _lock(member: Member) -> None:
    """Places and number of a member's watches are decided by one request at a time."""
    Member.objects.select_for_update().get(pk=member.pk)
