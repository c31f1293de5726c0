"""The nodes that an attempt found, as the core's answers read them: of what pages keep of a run's inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.inputs.node_usage import layout_at
from scheduler_core.explain.pending.nodes import FoundNodes
from scheduler_core.explain.pending.shared_labels import SharedLabels, label_columns, telling_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts
    from dashboard.debugger.inputs.layout import Usage
    from scheduler_core.api.objects import Pod
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Sized:
    """Sizes at a moment: what is requested of the nodes, pods that count against the one that is asked about
    included."""

    facts: Facts
    state: RunState
    usage: Usage


def found_nodes(names: Sequence[str], pod: Pod | None, requested: Sequence[str], sized: Sized | None) -> FoundNodes:
    """Return the nodes of these rows; without amounts and labels while sizes are being read."""
    if sized is None:
        return FoundNodes(names)
    usage = sized.usage
    at = np.array([usage.index.get(name, -1) for name in names], dtype=np.int64)

    def amounts(resource: str) -> tuple[Int64, Int64]:
        whole, used = usage.whole(resource)[at], usage.used(resource)[at]
        return np.where(at >= 0, whole, 0), np.where(at >= 0, used, 0)

    return FoundNodes(names, amounts, _labels(sized, pod, requested))


def _labels(sized: Sized, pod: Pod | None, requested: Sequence[str]) -> SharedLabels:
    facts, layout = sized.facts, layout_at(sized.facts, sized.state)
    key = (layout.nodes, facts.node_versions(sized.state.at), "labels")
    columns = facts.groupings.get(key, lambda: label_columns(layout.objects))
    return SharedLabels(layout.index, columns, telling_label(columns, pod, requested))
