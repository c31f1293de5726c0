"""Scores of resources on small nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.plugins.node_resources import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import (
    NodeResourcesFitArgs,
    ScoringStrategy,
)
from scheduler_core.testing.agreement import assert_scores_agree
from scheduler_core.testing.builders import make_cluster
from scheduler_core.testing.fake_handle import FakeHandle

if TYPE_CHECKING:
    from scheduler_core.api.objects import Node, Pod


def scores(pod: Pod, nodes: list[Node], strategy: ScoringStrategy, on_a: list[Pod] | None = None) -> list[int] | None:
    cluster = make_cluster(nodes, {"a": on_a or []})
    plugin = NodeResourcesFit(NodeResourcesFitArgs(scoring_strategy=strategy), FakeHandle(cluster))
    return assert_scores_agree(plugin, cluster.info(pod), cluster.table.order)
