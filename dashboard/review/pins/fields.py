"""A field of a diff that a thread speaks of: one of a finding of its review, and what differs in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.problems import NotFound
from dashboard.review.findings.cluster import change_of
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import Review, SubjectKind

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run


@dataclass(frozen=True)
class FieldPin:
    """A finding of a review by its key, and the path of a field in it; "" for the finding as a whole."""

    finding: str
    field: str = ""


def differs_in(member: Member, of: Run | Review, pin: FieldPin) -> str:
    """Return what differs there in words; raises NotFound where the review has no such finding or field."""
    if of.workspace_id != member.workspace_id:
        raise NotFound("The run or review does not exist in this workspace.")
    if isinstance(of, Review) and of.kind == SubjectKind.CLUSTER:
        return _of_object(of, pin)
    finding = next((one for one in gathered(member, of).findings if one.key == pin.finding), None)
    if finding is None or pin.field:
        raise _missing(pin)
    return f"{finding.what}: {finding.more}"


def says(member: Member, of: Run | Review, pin: FieldPin) -> str:
    """Return what differs there in words, "" where it does not differ (any more)."""
    try:
        return differs_in(member, of, pin)
    except NotFound:
        return ""


def _of_object(review: Review, pin: FieldPin) -> str:
    """A changed object is read by itself: its group lists a part of its kind's."""
    shown = change_of(review, pin.finding)
    if shown is None:
        raise _missing(pin)
    label = shown.change.key.label
    if not pin.field:
        return f"{label}: {shown.change.what}"
    field = next((one for one in shown.fields if one.path == pin.field), None)
    if field is None:
        raise _missing(pin)
    return f"{label}, {field.path}: {field.before or 'not set'} → {field.after or 'not set'}"


def _missing(pin: FieldPin) -> NotFound:
    what = f'the field "{pin.field[:80]}"' if pin.field else "this finding"
    return NotFound(f"The review does not have {what} any more. Load the page again.")
