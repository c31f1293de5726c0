"""PodTopologySpread: spreads pods over topology domains."""

from __future__ import annotations

from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread

__all__ = ["PodTopologySpread"]
