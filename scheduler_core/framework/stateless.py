"""Plugins that a profile has at Filter or Score, but not at the PreFilter or PreScore that makes the state for it.

Upstream's plugins then either work it out on the spot, or fail as they read the state. The former get None for a state;
for the latter the runtime puts ``FailingFilter`` in their place, or fails the score phase with ``score_failure``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.interface import (
    FilterPlugin,
    Handle,
    PreFilterPlugin,
    PreScorePlugin,
    Rows,
    ScorePlugin,
    Traits,
    Verdicts,
)
from scheduler_core.framework.status import Code, Status, error


class FailingFilter(FilterPlugin[str]):
    """Answers every node with the error that ``args`` says. Made for one plugin, whose name the subclass bears."""

    traits = Traits(node_local=True, static=True, reads_pods="none")

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """The error."""
        return error(self.args)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts:
        """The error on all rows."""
        return Verdicts.alike(int(Code.ERROR), self.handle.reasons.intern((self.args,)), len(rows))


def filter_at_work(plugin: FilterPlugin[Any], handle: Handle) -> FilterPlugin[Any]:
    """What the runtime asks for the plugin's verdicts, once it is known at which points the profile has it."""
    if plugin.without_pre_filter and isinstance(plugin, PreFilterPlugin) and not plugin.runs_at("pre_filter"):
        kind: type[FailingFilter] = type("FailingFilter", (FailingFilter,), {"name": plugin.name})
        return kind(plugin.without_pre_filter, handle)
    return plugin


def score_failure(plugins: Iterable[ScorePlugin[Any]]) -> Status | None:
    """The error that the score phase ends with, whatever the pod and the nodes; None where all have what they need."""
    for plugin in plugins:
        if plugin.without_pre_score and isinstance(plugin, PreScorePlugin) and not plugin.runs_at("pre_score"):
            text = f'running Score plugins: plugin "{plugin.name}" failed with: {plugin.without_pre_score}'
            return Status(Code.ERROR, (text,), plugin.name)
    return None
