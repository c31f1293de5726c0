"""How many reviews wait for each of many members, in a fixed number of queries: every change is sent to all open pages.

The rule is that of `queries.waiting_for`, which asks it of one member; a test holds both to the same numbers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from django.db.models import BigIntegerField, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from dashboard.accounts.models import Role
from dashboard.review.models import Mention, MutedReview, ReadMark, Review, ReviewState, Thread, Verdict
from dashboard.review.queries import RECENT_THREADS
from dashboard.runs.models import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dashboard.accounts.models import Member

Pairs = set[tuple[int, int]]
"""Of a member's id and a review's."""


def count_waiting_for_each(members: Sequence[Member], limit: int) -> dict[int, int]:
    """Return {member id: reviews that wait for the member, at most `limit`} for members of one workspace."""
    if not members or not Review.objects.filter(workspace=members[0].workspace_id).exists():
        return {one.pk: 0 for one in members}
    muted: Pairs = set(MutedReview.objects.filter(member__in=members).values_list("member", "review"))
    waiting = (_unread(members) - muted) | _mentioned(members) | _turns(members, muted)
    seen = Review.objects.filter(workspace=members[0].workspace_id, pk__in={review for _, review in waiting})
    visible = set(seen.values_list("pk", flat=True))
    counts = {one.pk: 0 for one in members}
    for member, review in waiting:
        counts[member] += review in visible
    return {member: min(count, limit) for member, count in counts.items()}


def _unread(members: Sequence[Member]) -> Pairs:
    """Who has unread threads in which review, among the newest threads."""
    is_news = Q(resolved_at=None) | Q(last_at__gt=F("resolved_at"))
    # By time, so what is older than a member is behind what is not: the newest of all hold the newest of each.
    threads = Thread.objects.filter(is_news, workspace=members[0].workspace_id).exclude(run__state=State.DELETING)
    newest = list(
        threads.order_by("-last_at", "-id").values_list("pk", "review_id", "last_comment_id", "last_at")[
            :RECENT_THREADS
        ]
    )
    marks = ReadMark.objects.filter(member__in=members, thread__in=[pk for pk, *_ in newest])
    read = {
        (member, thread): comment for member, thread, comment in marks.values_list("member", "thread", "comment_id")
    }
    return {
        (one.pk, review)
        for pk, review, last, at in newest
        for one in members
        if at >= one.joined_at and last > read.get((one.pk, pk), 0)
    }


def _mentioned(members: Sequence[Member]) -> Pairs:
    """Who is mentioned, in which review, by comments that they have not seen."""
    workspace, of_user = members[0].workspace_id, {one.user_id: one.pk for one in members}
    mark = ReadMark.objects.filter(
        thread=OuterRef("comment__thread"), member__user=OuterRef("user"), member__workspace=workspace
    )
    read = Coalesce(Subquery(mark.values("comment_id")[:1]), Value(0), output_field=BigIntegerField())
    mentions = Mention.objects.filter(user__in=list(of_user), comment__thread__workspace=workspace)
    unseen = mentions.exclude(comment__author=F("user")).annotate(read=read).filter(comment_id__gt=F("read"))
    return {(of_user[user], review) for user, review in unseen.values_list("user", "comment__thread__review")}


def _turns(members: Sequence[Member], muted: Pairs) -> Pairs:
    """Whose verdict is asked for, and of whom changes are."""
    asked = Q(is_asked=True, state=ReviewState.OPEN)
    columns = ("pk", "state", "is_asked", "opened_by_id", "run__created_by_id")
    reviews = Review.objects.filter(asked | Q(state=ReviewState.CHANGES), workspace=members[0].workspace_id)
    lines = list(reviews.values_list(*columns))
    open_ones = [pk for pk, state, *_ in lines if state == ReviewState.OPEN]
    named = _grouped(Review.reviewers.through.objects.filter(review__in=open_ones).values_list("review_id", "user_id"))
    judged = _grouped(Verdict.objects.filter(review__in=open_ones, stands=True).values_list("review_id", "author_id"))
    pairs: Pairs = set()
    for pk, state, is_asked, opener, starter in lines:
        for one in members:
            if state == ReviewState.CHANGES:
                waits = one.user_id == (opener if is_asked else starter)
            else:
                is_asked_of = one.user_id in named[pk] if pk in named else (one.pk, pk) not in muted
                is_done = one.user_id == opener or one.user_id in judged.get(pk, ())
                waits = one.may(Role.REVIEWER) and is_asked_of and not is_done
            if waits:
                pairs.add((one.pk, pk))
    return pairs


def _grouped(pairs: Iterable[tuple[int, int | None]]) -> Mapping[int, set[int | None]]:
    grouped: dict[int, set[int | None]] = defaultdict(set)
    for review, user in pairs:
        grouped[review].add(user)
    return dict(grouped)
