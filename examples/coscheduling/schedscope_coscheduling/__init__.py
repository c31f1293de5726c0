"""Coscheduling: pods of a PodGroup are bound together or not at all."""

from __future__ import annotations

from schedscope_coscheduling.groups import LABEL
from schedscope_coscheduling.plugin import Coscheduling, CoschedulingArgs

__all__ = ["LABEL", "Coscheduling", "CoschedulingArgs"]
