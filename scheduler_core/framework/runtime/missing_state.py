"""Plugins that a profile has at Filter or Score, but not at the PreFilter or PreScore that makes the state for it.

Upstream's plugins then either work it out on the spot, or fail as they read the state. The former get None for a state;
for the latter the runtime puts ``FailingFilter`` in their place, or the score phase fails with ``score_failure``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.plugin import FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin
from scheduler_core.framework.contracts.plugin_errors import raised
from scheduler_core.framework.contracts.status import Code, Status, error
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts


class FailingFilter(FilterPlugin[str]):
    """Answers every node with the error that ``args`` says. Made for one plugin, whose name the subclass bears."""

    traits = Traits(node_local=True, static=True, reads_pods="none")

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """The error."""
        return error(self.args)

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts:
        """The error on all rows."""
        return Verdicts.broadcast(int(Code.ERROR), self.handle.run.reasons.intern((self.args,)), len(rows))


def filter_at_work(plugin: FilterPlugin[Any], handle: Handle) -> FilterPlugin[Any]:
    """The object that answers for the plugin at Filter, given the extension points at which the profile enables it."""
    if plugin.without_pre_filter and isinstance(plugin, PreFilterPlugin) and not plugin.runs_at("pre_filter"):
        kind: type[FailingFilter] = type("FailingFilter", (FailingFilter,), {"name": plugin.name})
        return kind(plugin.without_pre_filter, handle)
    return plugin


def unprepared(plugins: Iterable[ScorePlugin[Any]]) -> tuple[ScorePlugin[Any], ...]:
    """The score plugins whose PreScore is not run though they have one."""
    return tuple([p for p in plugins if isinstance(p, PreScorePlugin) and not p.runs_at("pre_score")])


def score_failure(plugins: Iterable[ScorePlugin[Any]], pod: PodInfo) -> Status | None:
    """The error that the score phase of a pod ends with, of unprepared plugins; None where these work all the same.

    Raises PluginRaised.
    """
    for plugin in plugins:
        try:
            failure = plugin.fails_without_pre_score(pod)
        except Exception as problem:
            raise raised(plugin.name, "Score", problem) from problem
        if failure:
            text = f'running Score plugins: plugin "{plugin.name}" failed with: {failure}'
            return Status(Code.ERROR, (text,), plugin.name)
    return None
