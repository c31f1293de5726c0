"""Which findings of a run a member has viewed, and how far they have come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.common.problems import NotFound
from dashboard.review.findings.run import FindingGroup, findings_of, keys_of
from dashboard.review.models import ViewedFinding

if TYPE_CHECKING:
    from dashboard.accounts.models import Member
    from dashboard.runs.models import Run


@dataclass(frozen=True)
class FindingWalk:
    """The findings of a run as a member walks through them."""

    groups: list[FindingGroup]

    @property
    def n_findings(self) -> int:
        """Return how many findings are listed."""
        return sum(len(group.findings) for group in self.groups)

    @property
    def n_viewed(self) -> int:
        """Return how many of them the member has viewed."""
        return sum(group.n_viewed for group in self.groups)


def walk_of(member: Member, run: Run) -> FindingWalk:
    """Return the run's findings with the member's marks."""
    viewed = set(ViewedFinding.objects.filter(run=run, member=member).values_list("key", flat=True))
    return FindingWalk(
        [
            replace(group, findings=[replace(one, is_viewed=one.key in viewed) for one in group.findings])
            for group in findings_of(run, member.workspace.slug)
        ]
    )


def mark_viewed(member: Member, run: Run, key: str, *, is_viewed: bool) -> None:
    """Mark a finding as viewed by the member, or take the mark away; any role may. Raises NotFound for no finding."""
    if not is_viewed:
        ViewedFinding.objects.filter(run=run, member=member, key=key).delete()
        return
    if run.workspace_id != member.workspace_id or key not in keys_of(findings_of(run, member.workspace.slug)):
        raise NotFound("This finding is not there any more. Load the page again.")
    ViewedFinding.objects.get_or_create(run=run, member=member, key=key)
