"""Template tags about the reader's own list of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from dashboard.debugger.branches.addresses import list_address
from dashboard.runs.branches.change_lists import own_list

if TYPE_CHECKING:
    from dashboard.runs.models import ChangeList, Run

register = template.Library()


@register.simple_tag(takes_context=True)
def reader_list(context: template.Context, run: Run) -> ChangeList | None:
    """Return the list of the reader, None while it is empty and for those who may not edit."""
    return own_list(context["member"], run) if context["may_edit"] else None


@register.simple_tag(takes_context=True)
def list_url(context: template.Context, run: Run, own: ChangeList) -> str:
    """Return the address of the page of a list."""
    return list_address(context["workspace"].slug, run, own)
