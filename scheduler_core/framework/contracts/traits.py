"""Facts about a plugin that the runtime relies on."""

from __future__ import annotations

from typing import Literal

import msgspec


class Traits(msgspec.Struct, frozen=True):
    """Facts about a plugin that the runtime uses.

    ``node_local``: the verdict or score of a row depends on that row (and the pod's class) alone, so it may be cached
    and recomputed for changed rows only; it may be asked for rows that are not feasible.

    ``static``: verdicts and scores follow from the pod's class, the node objects and the listers without claims for
    devices, not from other pods; they are cached while these stay the same, for feasible rows and others.

    ``reads_pods``: what a filter's verdict on a node takes from the pods there. "none"; "resources": the PreFilter
    state is (resource, amount) pairs and the pod fits where all amounts are free and one more pod is allowed;
    "other": anything. Preemption tries nodes together where no more than resources are read.
    """

    node_local: bool = False
    static: bool = False
    reads_pods: Literal["none", "resources", "other"] = "other"

    @property
    def across_nodes(self) -> bool:
        """Whether an answer about a row may depend on pods elsewhere."""
        return not self.static and not self.node_local
