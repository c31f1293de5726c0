"""Threads on findings and on fields of diffs, carried over: to a run done again, or to a later review of the same.

The same field is that of the same object, by kind, namespace and name; the same finding is the one with its key. Where
it says the same, the thread carries over; where it says something else, it is outdated, with both values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.db.models import Q

from dashboard.review import threads
from dashboard.review.models import Review, SubjectKind, Thread, ThreadKind
from dashboard.review.pins.fields import FieldPin, WhatDiffers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.db.models import QuerySet

    from dashboard.accounts.models import Member
    from dashboard.review.findings.groups import Gathered
    from dashboard.review.pins.pin import Pin
    from dashboard.review.threads import ThreadView

EARLIER_REVIEWS = 5
CARRIED = 20
# Of fields that may have gone back to what they were, this many are looked at for CARRIED that have not.
LOOKED_AT = 10 * CARRIED
SAME, OUTDATED, GONE, UNKNOWN = "same", "outdated", "gone", "unknown"
# Their keys end with the number of a cycle, which another run may give to another pod.
_OF_CYCLES = ("error", "preemption")
_CYCLE = re.compile(r"\bcycle [\d,]+")


@dataclass(frozen=True)
class CarriedThread:
    """An open thread of an earlier run or review: `before` and `now` are what both say; `pin` or `field` is where it is
    now."""

    view: ThreadView
    state: str
    before: str
    now: str = ""
    pin: Pin | None = None
    field: FieldPin | None = None

    @property
    def query(self) -> str:
        """Return the address of the thing in the later run, as the page of its threads reads it."""
        return f"cycle={self.pin.cycle}&{self.pin.query()}" if self.pin is not None else ""

    @property
    def choosing(self) -> str:
        """Return the query that chooses the finding or field on the page of the later review."""
        return urlencode(self.field.__dict__) if self.field is not None else ""


def carried_finding(view: ThreadView, there: Gathered, cycle_of: Callable[[int], int | None]) -> CarriedThread:
    """Return what became of a thread on a finding of an earlier run; `cycle_of` gives a cycle's number in this one."""
    thread = view.thread
    key = _key_there(thread.finding, cycle_of)
    finding = next((one for one in there.findings if one.key == key), None)
    if finding is None:
        return CarriedThread(view, UNKNOWN if there.is_waiting else GONE, thread.fact)
    now = f"{finding.what}: {finding.more}"
    # The number that a cycle has is not what is said of it.
    is_same = _CYCLE.sub("cycle", now) == _CYCLE.sub("cycle", thread.fact)
    return CarriedThread(view, SAME if is_same else OUTDATED, thread.fact, now, field=FieldPin(key))


def _key_there(key: str, cycle_of: Callable[[int], int | None]) -> str:
    kind, _, number = key.partition(":")
    return f"{kind}:{cycle_of(int(number))}" if kind in _OF_CYCLES else key


# ---------------------------------------------------------------- reviews of changes


def earlier_reviews(review: Review) -> list[Review]:
    """Return the newest earlier reviews of the same cluster's or configuration's changes that have open threads."""
    about = _about_the_same(review)
    if about is None:
        return []
    before = Review.objects.filter(about, workspace=review.workspace_id, kind=review.kind, number__lt=review.number)
    with_threads = Q(pk__in=_open_threads().filter(review__workspace=review.workspace_id).values("review"))
    return list(before.filter(with_threads).order_by("-number")[:EARLIER_REVIEWS])


def carried_to_review(member: Member, review: Review) -> list[CarriedThread]:
    """Return the open threads of earlier reviews on what this one changes as well, the newest review's first.

    What a change has nothing to do with is left out, but for what an earlier state of the same draft changed. Of the
    others only their keys are read.
    """
    there = WhatDiffers(member, review)
    keys = _open_threads().filter(review__in=earlier_reviews(review)).order_by("-review__number", "id")
    lines = keys.values_list("pk", "finding", "review__draft_id")
    may_be = [
        pk for pk, finding, draft in lines if there.has(finding) or there.may_come(finding) or _is_draft(review, draft)
    ]
    shown: list[tuple[Thread, str]] = []
    for begin in range(0, min(len(may_be), LOOKED_AT), CARRIED):
        for thread in _loaded(may_be[begin : begin + CARRIED]):
            now = there.says(_pin(thread))
            if now or there.may_come(thread.finding) or _is_draft(review, thread.review.draft_id):
                shown.append((thread, now))
        if len(shown) >= CARRIED:
            break
    views = threads.thread_views(member, [thread for thread, _ in shown[:CARRIED]])
    return [_in_review(view, now, there) for view, (_, now) in zip(views, shown[:CARRIED], strict=True)]


def _loaded(keys: Sequence[int]) -> list[Thread]:
    """The threads with these keys, in their order."""
    related = ("run", "review__run", "created_by", "resolved_by")
    by_key = Thread.objects.select_related(*related).in_bulk(keys)
    return [by_key[key] for key in keys if key in by_key]


def _open_threads() -> QuerySet[Thread]:
    return Thread.objects.filter(kind=ThreadKind.FIELD, run=None, resolved_at=None)


def _about_the_same(review: Review) -> Q | None:
    if review.kind == SubjectKind.CONFIGURATION and review.config_id:
        return Q(config=review.config_id)
    if review.kind == SubjectKind.TIMELINE and review.timeline_id:
        return Q(timeline=review.timeline_id)
    holders = (review.revision, review.base, review.draft)
    cluster = next((one.cluster_id for one in holders if one is not None), None)
    if review.kind != SubjectKind.CLUSTER or cluster is None:
        return None
    return Q(revision__cluster=cluster) | Q(base__cluster=cluster) | Q(draft__cluster=cluster)


def _is_draft(review: Review, draft: int | None) -> bool:
    return draft is not None and review.draft_id == draft


def _in_review(view: ThreadView, now: str, there: WhatDiffers) -> CarriedThread:
    thread = view.thread
    if not now:
        return CarriedThread(view, UNKNOWN if there.may_come(thread.finding) else GONE, thread.fact)
    return CarriedThread(view, SAME if now == thread.fact else OUTDATED, thread.fact, now, field=_pin(thread))


def _pin(thread: Thread) -> FieldPin:
    return FieldPin(thread.finding, thread.field)
