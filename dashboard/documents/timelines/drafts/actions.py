"""Writes on a member's draft of a timeline: an edit put into it, undone, redone; all of them saved or discarded."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction

from dashboard.accounts import audit
from dashboard.accounts.access import require
from dashboard.accounts.models import Role
from dashboard.clusters.models import OPERATION_LENGTH
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.documents.actions import DOING, NewText
from dashboard.documents.models import TimelineDraft, TimelineOperation
from dashboard.documents.timelines.actions import store_timeline
from dashboard.documents.timelines.arrivals.hunks import hunks_between
from dashboard.documents.timelines.drafts.state import OpenedTimeline, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dashboard.accounts.models import Member
    from dashboard.documents.models import Timeline, TimelineRevision

MESSAGE_LENGTH = 500


class SeenEntries(NamedTuple):
    """What an edit was made on: the revision, and the version of the draft, None outside of one."""

    base: int
    version: int | None = None


def own_draft(member: Member, timeline: Timeline) -> TimelineDraft | None:
    """Return the member's draft of a timeline, None where there is none."""
    drafts = TimelineDraft.objects.select_related("base__author", "base__timeline", "timeline__workspace", "author")
    return drafts.filter(timeline=timeline, author=member.user).first()


def find_draft(member: Member, timeline: Timeline) -> TimelineDraft:
    """Return the member's draft of a timeline; raises NotFound."""
    draft = own_draft(member, timeline)
    if draft is None:
        raise NotFound(f"You have no draft of {timeline.name}: it was saved or discarded.")
    return draft


class NewEdit(NamedTuple):
    """An edit ready to be written: its name, what it changes, packed, and the text that somebody typed for it."""

    name: str
    hunks: bytes
    text: bytes = b""


def new_edit(
    name: str, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], text: str = ""
) -> NewEdit:
    """Return the edit that makes entries of others, and the text that has them; raises Problem where none differs."""
    hunks = hunks_between(before, after)
    if not hunks and not text:
        raise Problem("The draft holds just these entries already.")
    return NewEdit(name[:OPERATION_LENGTH], packed(hunks), packed(text) if text else b"")


@transaction.atomic
def put(member: Member, timeline: Timeline, edit: NewEdit, seen: SeenEntries) -> TimelineOperation:
    """Write an edit into the member's draft, which the first one opens; return it. What was undone is gone then.

    Raises Conflict where the draft, or outside of one the timeline, is another than was seen.
    """
    require(member, Role.EDITOR, DOING)
    if timeline.archived_at:
        raise Problem(f"{timeline.name} is archived. Unarchive it first.")
    draft = _locked(member, timeline)
    if seen.version is None:
        draft = _opened(member, timeline, draft, seen.base)
    elif draft is None or draft.version != seen.version:
        raise Conflict("Your draft has changed since this page was loaded. Look at it, then edit it again.")
    draft.operations.filter(is_undone=True).delete()
    last = draft.operations.order_by("-number").values_list("number", flat=True).first()
    sha256 = hashlib.sha256(edit.hunks).hexdigest()
    made = draft.operations.create(
        number=(last or 0) + 1, name=edit.name, hunks=edit.hunks, text=edit.text, sha256=sha256
    )
    _bump(draft)
    return made


def _opened(member: Member, timeline: Timeline, draft: TimelineDraft | None, base: int) -> TimelineDraft:
    """Return the member's draft on the newest revision, where that is the one that was seen."""
    newest = timeline.revisions.first()
    if newest is None or newest.number != base:
        raise Conflict(f"Somebody saved a revision of {timeline.name} since you opened it. Look at it first.")
    if draft is None:
        try:
            with transaction.atomic():
                return TimelineDraft.objects.create(timeline=timeline, author=member.user, base=newest)
        except IntegrityError as error:
            raise Conflict("You opened a draft of this timeline elsewhere. Look at it first.") from error
    if draft.operations.filter(is_undone=False).exists():
        raise Conflict(f"You have a draft of {timeline.name} with edits. Open it, or discard it first.")
    draft.base = newest
    draft.save(update_fields=["base"])
    return draft


def undo(member: Member, draft: TimelineDraft, number: int | None = None) -> TimelineOperation:
    """Undo the last operation and return it; `number` is the one that was seen. Raises Conflict, Problem."""
    return _step(member, draft, number, is_undo=True)


def redo(member: Member, draft: TimelineDraft, number: int | None = None) -> TimelineOperation:
    """Redo what was undone last and return it; raises as `undo`."""
    return _step(member, draft, number, is_undo=False)


@transaction.atomic
def _step(member: Member, draft: TimelineDraft, number: int | None, *, is_undo: bool) -> TimelineOperation:
    require(member, Role.EDITOR, DOING)
    held = _held(member, draft)
    doing = "undo" if is_undo else "redo"
    steps = held.operations.filter(is_undone=not is_undo).defer("hunks", "text")
    operation = steps.order_by("-number" if is_undo else "number").first()
    if operation is None:
        raise Problem(f"There is nothing to {doing} in this draft.")
    if number is not None and number != operation.number:
        raise Conflict(f"You would {doing} “{operation.name}” now. Look at the draft, then try again.")
    operation.is_undone = is_undo
    operation.save(update_fields=["is_undone"])
    _bump(held)
    return operation


def save(
    member: Member, opened: OpenedTimeline, message: str, version: int | None = None, over: int = 0
) -> TimelineRevision:
    """Save the draft's entries as the next revision, and end the draft; return the revision.

    `version` is that of the draft that was seen. Where others saved since its base, Conflict is raised unless their
    newest revision is number `over`, which was seen. Raises Problem where nothing differs.
    """
    require(member, Role.EDITOR, DOING)
    draft = opened.draft
    if not opened.entries.hunks and not opened.typed_text:
        raise Problem("Nothing differs from the saved revision, so there is nothing to save.")
    new = NewText("", "", over or draft.base.number, message.strip()[:MESSAGE_LENGTH] or default_message(opened))
    content, text = {"entries": list(opened.entries.now.entries)}, opened.typed_text
    with transaction.atomic():
        held = _held(member, draft)
        if held.version != (draft.version if version is None else version):
            raise Conflict("The draft has changed since you looked at it. Look at its changes, then save.")
        saved = store_timeline(member, draft.timeline, new, content, text)
        held.delete()
    return saved


def default_message(opened: OpenedTimeline) -> str:
    """Return the message of a revision without one: what was done, the last first where there is no room for all."""
    names = [one.name for one in opened.applied]
    text = "; ".join(names)
    return text if len(text) <= MESSAGE_LENGTH else f"{len(names)} edits, the last: {names[-1]}"[:MESSAGE_LENGTH]


@transaction.atomic
def discard(member: Member, draft: TimelineDraft) -> None:
    """Delete the draft with its operations."""
    require(member, Role.EDITOR, DOING)
    audit.record(member.workspace, member.user, "draft.discarded", draft.timeline.name)
    _held(member, draft).delete()


def _locked(member: Member, timeline: Timeline) -> TimelineDraft | None:
    return TimelineDraft.objects.select_for_update().filter(timeline=timeline, author=member.user).first()


def _held(member: Member, draft: TimelineDraft) -> TimelineDraft:
    held = _locked(member, draft.timeline)
    if held is None or held.pk != draft.pk:
        raise NotFound("This draft was saved or discarded.")
    return held


def _bump(draft: TimelineDraft) -> None:
    draft.version += 1
    draft.save(update_fields=["version", "updated_at"])
