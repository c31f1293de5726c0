"""Addresses inside of the panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

if TYPE_CHECKING:
    from dashboard.fit.panel import FitPanel

register = template.Library()


@register.simple_tag
def fit_link(panel: FitPanel, sort: str, number: int) -> str:
    """Return the address of the same answer in another order, or of another page of its nodes."""
    return panel.address(sort=sort, fit_page=number)
