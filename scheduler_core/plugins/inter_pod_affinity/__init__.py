"""InterPodAffinity: keeps pods near to and away from other pods."""

from __future__ import annotations

from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity

__all__ = ["InterPodAffinity"]
