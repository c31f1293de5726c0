"""Addresses of the list of changes and of the place where a branch is looked at first."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

if TYPE_CHECKING:
    from dashboard.runs.models import ChangeList, Run


def list_address(slug: str, run: Run, row: ChangeList | None) -> str:
    """Return the address of the page of a list, at the list's place; without a list at the head."""
    if row is not None and row.seq is None and not run.has_ended:
        return reverse("debugger:change", args=[slug, run.number])
    query = f"cycle={row.cycle}" if row is not None and row.cycle else f"seq={(row and row.seq) or run.head.seq}"
    return f"{reverse('debugger:branch', args=[slug, run.number])}?{query}"


def point_address(slug: str, branch: Run, pod: str, cycle: int | None) -> str:
    """Return the address that leads into a branch, to the cycle of this number in it, with the pod selected."""
    query = {"pod": pod, "cycle": cycle or ""}
    return f"{reverse('debugger:branch_point', args=[slug, branch.number])}?{urlencode(query)}"
