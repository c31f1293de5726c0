"""Lengths of bars of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

if TYPE_CHECKING:
    from scheduler_core.explain.devices.model import Funnel, Stage

register = template.Library()


@register.filter
def share_of(stage: Stage, funnel: Funnel) -> str:
    """Return what a stage leaves of the first one, 0 to 100."""
    first = funnel.stages[0].left
    return f"{100 * stage.left / first:.1f}" if first else "0"
