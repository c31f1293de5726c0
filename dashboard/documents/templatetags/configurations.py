"""Tags of the table of a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django import template

if TYPE_CHECKING:
    from dashboard.documents.configurations.table.page import PluginCell

register = template.Library()

SHORT = {"RequestedToCapacityRatio": "Ratio"}


@register.inclusion_tag("clusters/configurations/table/_dock_tab.html")
def dock_tab(name: str, label: str) -> dict[str, str]:
    """Return the tab of a part of the dock."""
    return {"name": name, "label": label}


@register.simple_tag
def numbered(cell: PluginCell, point: str) -> int:
    """Return the place of a cell in the order of calls where its point is the selected one, else 0."""
    return cell.place if cell.point == point else 0


@register.filter
def point_label(point: str) -> str:
    """Return an extension point as kube-scheduler's code writes it: preFilter as PreFilter."""
    return point[:1].upper() + point[1:]


@register.filter
def point_lines(point: str) -> list[str]:
    """Return the parts of an extension point's name, for a narrow column: Pre, Enqueue."""
    return re.findall(r"[A-Z][a-z]+", point_label(point))


@register.filter
def strategy_label(name: str) -> str:
    """Return a choice of an argument in a word that a row of buttons has room for."""
    return SHORT.get(name, name)
