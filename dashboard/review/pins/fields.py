"""A field of a diff that a thread speaks of: one of a finding of its review, and what differs in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.problems import NotFound
from dashboard.review.findings.changes import change_of, changes_by_key
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import OF_THINGS, Review

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.clusters.revisions.diff import ObjectChange
    from dashboard.clusters.revisions.object_changes import ShownChange
    from dashboard.review.findings.groups import Gathered, ReviewFinding
    from dashboard.runs.models import Run


# Keys of what differs between two texts of a configuration begin so.
OF_TEXTS = "field:"


@dataclass(frozen=True)
class FieldPin:
    """A finding of a review by its key, and the path of a field in it; "" for the finding as a whole."""

    finding: str
    field: str = ""


class WhatDiffers:
    """What differs in a run or review, computed once for as many pins as are asked about."""

    def __init__(self, member: Member, of: Run | Review) -> None:
        self._member, self._of = member, of
        self._shown: dict[str, ShownChange] = {}

    def at(self, pin: FieldPin) -> str:
        """Return what differs there in words; raises NotFound where there is no such finding or field."""
        if self._is_of_things:
            return self._of_object(pin)
        finding = self._findings.get(pin.finding)
        if finding is None or pin.field:
            raise _missing(pin)
        return f"{finding.what}: {finding.more}"

    def says(self, pin: FieldPin) -> str:
        """Return the difference there in words, "" where there is none (any more)."""
        try:
            return self.at(pin)
        except NotFound:
            return ""

    def has(self, finding: str) -> bool:
        """Return whether something of a finding with this key differs."""
        return finding in (self._changes if self._is_of_things else self._findings)

    def may_come(self, finding: str) -> bool:
        """Return whether a worker may still come to a finding with this key; fields of texts are compared at once."""
        if self._is_of_things or finding.startswith(OF_TEXTS):
            return False
        return self._gathered.is_waiting and not self.has(finding)

    @property
    def _is_of_things(self) -> bool:
        return isinstance(self._of, Review) and self._of.kind in OF_THINGS

    @cached_property
    def _changes(self) -> dict[str, ObjectChange]:
        assert isinstance(self._of, Review)
        return changes_by_key(self._of)

    @cached_property
    def _gathered(self) -> Gathered:
        return gathered(self._member, self._of)

    @cached_property
    def _findings(self) -> dict[str, ReviewFinding]:
        return {one.key: one for one in self._gathered.findings}

    def _of_object(self, pin: FieldPin) -> str:
        """A changed object or entry is read by itself: its group lists a part of its kind's."""
        assert isinstance(self._of, Review)
        change = self._changes.get(pin.finding)
        if change is None:
            raise _missing(pin)
        if pin.finding not in self._shown:
            shown = change_of(self._of, pin.finding)
            assert shown is not None
            self._shown[pin.finding] = shown
        label = change.key.label
        if not pin.field:
            return f"{label}: {change.what}"
        field = next((one for one in self._shown[pin.finding].fields if one.path == pin.field), None)
        if field is None:
            raise _missing(pin)
        return f"{label}, {field.path}: {field.before or 'not set'} → {field.after or 'not set'}"


def differs_in(member: Member, of: Run | Review, pin: FieldPin) -> str:
    """Return what differs there in words; raises NotFound where the review has no such finding or field."""
    if of.workspace_id != member.workspace_id:
        raise NotFound("The run or review does not exist in this workspace.")
    return WhatDiffers(member, of).at(pin)


def says(member: Member, of: Run | Review, pin: FieldPin) -> str:
    """Return the difference there in words, "" where there is none (any more)."""
    return WhatDiffers(member, of).says(pin)


def _missing(pin: FieldPin) -> NotFound:
    what = f'the field "{pin.field[:80]}"' if pin.field else "this finding"
    return NotFound(f"The review does not have {what} any more. Load the page again.")
