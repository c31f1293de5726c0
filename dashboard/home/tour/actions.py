"""What a member does with the tour: go to a step, leave it for later, end it, be done. Nothing else is written."""

from __future__ import annotations

from dashboard.accounts.access import require
from dashboard.accounts.models import Member, Role


def go_to(member: Member, step: int) -> None:
    """Show a step, from 1, on the member's pages."""
    _write(member, step, is_shown=True)


def leave(member: Member) -> None:
    """Take the tour off the member's pages; it goes on at its step."""
    _write(member, member.tour_step, is_shown=False)


def end(member: Member) -> None:
    """End the tour; it begins at its first step again."""
    _write(member, 0, is_shown=False)


def finish(member: Member) -> None:
    """End the tour after its last step: it is done, however often it is begun again."""
    _write(member, 0, is_shown=False, tour_is_done=True)


def _write(member: Member, step: int, is_shown: bool, **more: bool) -> None:
    require(member, Role.VIEWER, "take the tour")
    Member.objects.filter(pk=member.pk).update(tour_step=step, tour_is_shown=is_shown, **more)
