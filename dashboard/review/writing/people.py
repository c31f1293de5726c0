"""The handles by which people mention each other (@asha-rao), and whom comments mention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.text import slugify

from dashboard.accounts.models import Member
from dashboard.review.models import Mention
from dashboard.review.writing.markdown import people_in

if TYPE_CHECKING:
    from dashboard.accounts.models import User, Workspace
    from dashboard.review.models import Comment

LONGEST = 40


@dataclass(frozen=True)
class Person:
    """A member's handle, and who it is."""

    handle: str
    user: User


def people_of(workspace: Workspace) -> dict[str, Person]:
    """Return the workspace's members by handle, in the order in which they joined.

    A handle is the name in lower-case letters, digits and hyphens, or what stands before the @ of the e-mail address
    where no name is left of that. Of two with the same one, the later gets a number.
    """
    people: dict[str, Person] = {}
    for member in Member.objects.filter(workspace=workspace).select_related("user").order_by("joined_at", "id"):
        handle = _free(_handle(member.user), people)
        people[handle] = Person(handle, member.user)
    return people


def _handle(user: User) -> str:
    for text in (user.name, user.email.partition("@")[0]):
        if handle := slugify(text).replace("_", "-")[:LONGEST].strip("-"):
            return handle
    return "somebody"


def _free(handle: str, taken: dict[str, Person]) -> str:
    number = 2
    free = handle
    while free in taken:
        free = f"{handle}-{number}"
        number += 1
    return free


def note_mentions(workspace: Workspace, comment: Comment, *, is_new: bool = False) -> None:
    """Keep whom the comment mentions now, and forget whom it does not mention any more; a new one mentioned nobody."""
    handles = people_in(comment.text)
    people = people_of(workspace) if handles else {}
    mentioned = {people[handle].user.pk: handle for handle in handles if handle in people}
    if not is_new:
        comment.mentions.exclude(user__in=mentioned).delete()
    rows = [Mention(comment=comment, user_id=user, handle=handle) for user, handle in sorted(mentioned.items())]
    if rows:
        Mention.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["comment", "user"], update_fields=["handle"]
        )
