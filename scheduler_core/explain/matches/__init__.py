"""What the parts of a pod's constraints match in a cluster: nodes by selectors and tolerations, pods by terms, domains.

For authors of a constraint: each requirement by itself and with those before it, which shows which of them
takes the nodes away. Each answer is the engine's, as tests against it show on generated clusters.
"""

from __future__ import annotations

from scheduler_core.explain.matches.model import (
    DomainPods,
    Found,
    NodeTermMatches,
    PodTermMatches,
    RequiredMatches,
    SpreadMatches,
    TolerationMatches,
)
from scheduler_core.explain.matches.terms import (
    pod_terms,
    preferred_nodes,
    required_nodes,
    selected_pods,
    spread_domains,
    tolerated_nodes,
)
from scheduler_core.framework.topology.domains import REPELLING

__all__ = [
    "REPELLING",
    "DomainPods",
    "Found",
    "NodeTermMatches",
    "PodTermMatches",
    "RequiredMatches",
    "SpreadMatches",
    "TolerationMatches",
    "pod_terms",
    "preferred_nodes",
    "required_nodes",
    "selected_pods",
    "spread_domains",
    "tolerated_nodes",
]
