"""CapacityScheduling: namespaces with elastic quotas lend each other what they do not use, and take it back."""

from __future__ import annotations

from schedscope_capacity_scheduling.facts import QuotaFact
from schedscope_capacity_scheduling.plugin import CapacityScheduling

__all__ = ["CapacityScheduling", "QuotaFact"]
