"""Which findings a member has viewed, and how far they have come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dashboard.common.problems import NotFound
from dashboard.review.findings.gathering import gathered
from dashboard.review.findings.groups import Gathered, keys_of
from dashboard.review.models import Review, SubjectKind, ViewedFinding
from dashboard.runs.models import Run

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.review.findings.groups import FindingGroup, ReviewFinding


@dataclass(frozen=True)
class FindingWalk:
    """The findings as a member walks through them; `gathered` says what is still being computed."""

    gathered: Gathered

    @property
    def groups(self) -> list[FindingGroup]:
        """Return the groups, with the member's marks."""
        return self.gathered.groups

    @property
    def n_findings(self) -> int:
        """Return how many findings are listed."""
        return sum(len(group.findings) for group in self.groups)

    @property
    def n_viewed(self) -> int:
        """Return how many of them the member has viewed."""
        return sum(group.n_viewed for group in self.groups)

    def finding(self, key: str) -> ReviewFinding | None:
        """Return the finding with this key, None where it is not listed."""
        return next((one for one in self.gathered.findings if one.key == key), None)


def finding_walk(member: Member, of: Run | Review, turn: int = 0) -> FindingWalk:
    """Return the findings of a run or of a review's subject with the member's marks."""
    viewed = set(ViewedFinding.objects.filter(**_place(of), member=member).values_list("key", flat=True))
    there = gathered(member, of, turn)
    groups = [
        replace(group, findings=[replace(one, is_viewed=one.key in viewed) for one in group.findings])
        for group in there.groups
    ]
    return FindingWalk(replace(there, groups=groups))


def mark_viewed(member: Member, of: Run | Review, key: str, *, is_viewed: bool) -> None:
    """Mark a finding as viewed by the member, or take the mark away; any role may. Raises NotFound for no finding."""
    if of.workspace_id != member.workspace_id:
        raise NotFound("This finding is not there any more. Load the page again.")
    if not is_viewed:
        ViewedFinding.objects.filter(**_place(of), member=member, key=key).delete()
        return
    if key not in keys_of(gathered(member, of).groups):
        raise NotFound("This finding is not there any more. Load the page again.")
    ViewedFinding.objects.get_or_create(**_place(of), member=member, key=key)


def _place(of: Run | Review) -> dict[str, Any]:
    """Marks on a run's findings are about the run, whether it has a review or not."""
    if isinstance(of, Run):
        return {"run": of}
    return {"run": of.run} if of.kind == SubjectKind.RUN and of.run else {"review": of}
